"""The database's tables, a module for each subject; importing this knows all of them, as migrations must."""

from service.tables.audit import AuditEntry
from service.tables.checks import SuiteRun, SuiteRunCase
from service.tables.claims import Claim
from service.tables.conversations import ConversationReference
from service.tables.emails import Email, StoredPrediction
from service.tables.feedback import Feedback
from service.tables.keys import ApiKey
from service.tables.promotions import Promotion
from service.tables.reviews import Review
from service.tables.sessions import ConsoleSession, SignInLink
from service.tables.shop_cases import ShopCase
from service.tables.views import SavedView

__all__ = [
    "ApiKey",
    "AuditEntry",
    "Claim",
    "ConsoleSession",
    "ConversationReference",
    "Email",
    "Feedback",
    "Promotion",
    "Review",
    "SavedView",
    "ShopCase",
    "SignInLink",
    "StoredPrediction",
    "SuiteRun",
    "SuiteRunCase",
]
