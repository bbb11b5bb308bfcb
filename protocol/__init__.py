"""The vocabulary shared by referee and bots: messages, the Python client, schemas and vectors."""
