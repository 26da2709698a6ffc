"""Keys and tokens: made at random, kept only as a hash.

The hash is SHA-256, without salt or stretching: those slow down guessing words that people choose, and 256 random bits
cannot be guessed at any speed, while a slow hash would cost every request its time.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

RANDOM_BYTES = 32
KEY_SCHEME = "rr_"
PREFIX_LENGTH = len(KEY_SCHEME) + 8  # what is shown of a key: 48 of its 256 bits
KEY_SHAPE = re.compile(r"rr_[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """43 characters that stand in a URL and a cookie as they are."""
    return secrets.token_urlsafe(RANDOM_BYTES)


def new_key() -> str:
    return KEY_SCHEME + new_token()


def prefix_of(key: str) -> str:
    return key[:PREFIX_LENGTH]


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def same(one: str, other: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def csrf_token(session_token: str) -> str:
    """Belongs to one session, and tells nothing of its token."""
    return hmac.new(session_token.encode("utf-8", "replace"), b"csrf", hashlib.sha256).hexdigest()
