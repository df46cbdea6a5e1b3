"""The Bitronix (BTM) transaction log: spec, requirements, schemas, deviations."""
