"""The database's tables, a module for each subject; importing this knows all of them, as migrations must."""

from service.tables.emails import Email, StoredPrediction

__all__ = ["Email", "StoredPrediction"]
