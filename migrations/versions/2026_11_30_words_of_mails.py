"""A full-text index over the words that were read, kept by triggers: also for an older release, and through erasure.

New mails are in it from now on. Those that are stored already are added by the back-fill that follows an upgrade
(service.backfill), from the newest to the oldest; `mail_words_backfill` says how far it came. The first 100,000
characters of a mail can be found. Words are not stemmed; accents and capitals make no difference.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "d17a4c86e3f2"
down_revision = "c51f80d9ab36"
branch_labels = None
depends_on = None

INDEXED = 100_000  # characters; a tsvector holds at most 1 MB, and whoever writes more repeats himself

POSTGRESQL = rf"""
create function mail_words_of(body text) returns tsvector language sql immutable parallel safe return
    to_tsvector('pg_catalog.simple', regexp_replace(
        regexp_replace(normalize(left(body, {INDEXED}), nfd), '[\u0300-\u036f]', '', 'g'),
        '[^a-zA-Z0-9\u0080-\U0010ffff]+|[\u0080-\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff'
        '\u3000-\u303f\ufe30-\ufe4f\uff00-\uff0f\U0001f000-\U0001faff]+', ' ', 'g'));
create table mail_words (
    email_id varchar(36) not null constraint pk_mail_words primary key
        constraint fk_mail_words_email_id_emails references emails on delete cascade,
    words tsvector not null
);
create index ix_mail_words_words on mail_words using gin (words);
create function mail_words_keep() returns trigger language plpgsql as $$
begin
    insert into mail_words values (new.id, mail_words_of(new.text))
    on conflict (email_id) do update set words = excluded.words;
    return null;
end
$$;
create trigger mail_words_insert after insert on emails for each row execute function mail_words_keep();
create trigger mail_words_update after update of text on emails for each row
    when (old.text is distinct from new.text) execute function mail_words_keep();
"""

# SQLite's index holds no text of its own (content=''), so a mail's words are taken out by naming them once more. It is
# in order of numbers: above 0 in order of arrival, below 0 the mails from before, which the back-fill counts downwards.
FORGET = f"""insert into mail_words (mail_words, rowid, words)
    select 'delete', number, substr(old.text, 1, {INDEXED}) from mail_words_numbers where email_id = old.id;"""
LEARN = f"""insert into mail_words (rowid, words)
    select number, substr(new.text, 1, {INDEXED}) from mail_words_numbers where email_id = new.id;"""
SQLITE = [
    "create table mail_words_numbers (number integer primary key, email_id varchar(36) not null unique)",
    "create virtual table mail_words using fts5 (words, content='', columnsize=0, "
    "tokenize=\"unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\")",
    "create trigger mail_words_insert after insert on emails begin "
    f"insert into mail_words_numbers (email_id) values (new.id); {LEARN} end",
    "create trigger mail_words_update after update of text on emails when old.text is not new.text begin "
    f"{FORGET} {LEARN} end",
    "create trigger mail_words_delete after delete on emails begin "
    f"{FORGET} delete from mail_words_numbers where email_id = old.id; end",
]


def upgrade() -> None:
    for statement in [POSTGRESQL] if op.get_bind().dialect.name == "postgresql" else SQLITE:
        op.get_bind().exec_driver_sql(statement)
    # before_id: the mails from it on are in the index; null once all are
    op.create_table("mail_words_backfill", sa.Column("before_id", sa.String(36)))
    if op.get_bind().scalar(sa.text("select max(id) from emails")) is not None:
        op.execute("insert into mail_words_backfill values ('g')")  # past every hexadecimal id


def downgrade() -> None:
    op.drop_table("mail_words_backfill")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("drop trigger mail_words_update on emails")
        op.execute("drop trigger mail_words_insert on emails")
        op.execute("drop function mail_words_keep()")
        op.execute("drop table mail_words")
        op.execute("drop function mail_words_of(text)")
        return
    for name in ("delete", "update", "insert"):
        op.execute(f"drop trigger mail_words_{name}")
    op.execute("drop table mail_words")
    op.execute("drop table mail_words_numbers")
