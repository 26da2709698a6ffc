"""Alembic migrations, shipped with the service. Forward-compatible only: the release before must run on them."""
