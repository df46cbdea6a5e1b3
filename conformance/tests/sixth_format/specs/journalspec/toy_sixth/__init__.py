"""A toy format: only the parts that a new format needs."""
