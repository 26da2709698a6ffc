"""The database's tables, a module for each subject; importing this knows all of them, as migrations must."""

from service.tables.emails import Email, StoredPrediction
from service.tables.promotions import Promotion

__all__ = ["Email", "Promotion", "StoredPrediction"]
