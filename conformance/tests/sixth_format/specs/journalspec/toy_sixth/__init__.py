"""A toy format. It has only the parts that a new format needs."""
