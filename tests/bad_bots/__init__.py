"""Bots that misbehave on purpose, each bounded by an alarm."""
