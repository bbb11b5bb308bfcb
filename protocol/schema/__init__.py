"""JSON Schema of every message, generated: `python -m protocol.schemas`."""
