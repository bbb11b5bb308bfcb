"""`referee check`: whether a bot keeps the protocol, step by step, each mistake by its name."""
