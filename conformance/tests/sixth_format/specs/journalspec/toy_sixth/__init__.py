"""A toy format: what a sixth format has to bring, and nothing more."""
