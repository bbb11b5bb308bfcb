"""Whole conversations for clients in any language; PROTOCOL.md says how to read them."""
