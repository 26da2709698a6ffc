"""PostgreSQL: the full-text index names the span of time in which a mail came too, so that words can be looked for in a
span without reading all that it knows of them; built while the service goes on. The release before reads it as well."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from migrations.online import create_index, drop_index

revision = "8e52c6b0f7d4"
down_revision = "c47e0a95b1d3"
branch_labels = None
depends_on = None

SPANS = sa.text(f"(array[{', '.join(f'left(email_id, {digits})' for digits in (4, 5, 6, 7, 8))}])")


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        create_index("ix_mail_words_words_spans", "mail_words", ["words", SPANS], postgresql_using="gin")
        drop_index("ix_mail_words_words", "mail_words")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        create_index("ix_mail_words_words", "mail_words", ["words"], postgresql_using="gin")
        drop_index("ix_mail_words_words_spans", "mail_words")
