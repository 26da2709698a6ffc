"""API keys, console sessions, one-time links and the audit, whose rows can be neither changed nor deleted.

Four new tables; a release before this one does not see them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "c3a9d07b51e8"
down_revision = "4b7d20c9e1a5"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)

POSTGRES_APPEND_ONLY = (
    """create function audit_entries_append_only() returns trigger language plpgsql as $$
    begin raise exception 'audit_entries is append-only'; end $$""",
    """create trigger audit_entries_append_only before update or delete or truncate on audit_entries
    for each statement execute function audit_entries_append_only()""",
)
SQLITE_APPEND_ONLY = tuple(
    f"create trigger audit_entries_no_{verb} before {verb} on audit_entries"
    " begin select raise(abort, 'audit_entries is append-only'); end"
    for verb in ("update", "delete")
)


def upgrade() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("requests_per_second", sa.Double()),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT),
        sa.Column("revoked_at", MOMENT),
        sa.Column("last_used_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("name", name="uq_api_keys_name"),
        sa.UniqueConstraint("prefix", name="uq_api_keys_prefix"),
    )
    op.create_table(
        "console_sessions",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("key_id", sa.String(36), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("last_seen_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name="fk_console_sessions_key_id_api_keys"),
        sa.PrimaryKeyConstraint("digest", name="pk_console_sessions"),
    )
    op.create_table(
        "sign_in_links",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("key_id", sa.String(36), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name="fk_sign_in_links_key_id_api_keys"),
        sa.PrimaryKeyConstraint("digest", name="pk_sign_in_links"),
    )
    for table in ("console_sessions", "sign_in_links"):
        for column in ("key_id", "expires_at"):
            op.create_index(f"ix_{table}_{column}", table, [column])
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("actor", sa.String(64), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("details", JSON, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entries"),
    )
    op.create_index("ix_audit_entries_action_id", "audit_entries", ["action", "id"])
    op.create_index("ix_audit_entries_actor_id", "audit_entries", ["actor", "id"])
    postgres = op.get_bind().dialect.name == "postgresql"
    for statement in POSTGRES_APPEND_ONLY if postgres else SQLITE_APPEND_ONLY:
        op.execute(statement)


def downgrade() -> None:
    for table in ("audit_entries", "sign_in_links", "console_sessions", "api_keys"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("drop function audit_entries_append_only()")
