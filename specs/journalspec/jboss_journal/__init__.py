"""The JBoss Messaging circular journal and its heirs: spec, requirements, schemas, deviations."""
