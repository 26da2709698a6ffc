"""Which of the 250,000 word pieces of multilingual-e5-small a refund desk needs.

wordfreq's lists say which words the languages use and how often; the pieces that spell them, weighted by use, are
kept, and with them every Latin letter, digit, sign and emoji alone, so that any word can still be spelt.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from wordfreq import top_n_list, word_frequency

from model.tokenizer import CLS, PAD, SEP, UNKNOWN, MailTokenizer
from training.packed import PackedModel

SIZE = 32_000
SPECIALS = (PAD, UNKNOWN, CLS, SEP)
LANGUAGES = {"en": 3.0, "es": 1.0, "fr": 1.0, "de": 1.0, "pt": 1.0, "it": 1.0, "nl": 1.0, "pl": 1.0}  # and weights
WORDS_A_LANGUAGE = 60_000
ENCODED_AT_ONCE = 10_000
CAPITALISED, UPPER = 0.2, 0.03  # how much commoner the plain form is taken to be
CORPUS_WEIGHT = 8.0  # of the training mails' own pieces, beside the languages' weights
SPACE = "▁"  # how the pieces write the space before a word
FIRST_FOREIGN, FIRST_EMOJI = 0x3000, 0x1F000


def unigram(pieces: Sequence[tuple[str, float]], unknown_id: int) -> Tokenizer:
    """A SentencePiece unigram tokenizer (Kudo 2018) over pieces and their log-probabilities."""
    tokenizer = Tokenizer(models.Unigram(list(pieces), unk_id=unknown_id, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always")
    return tokenizer


def _alone(piece: str) -> bool:
    """One Latin letter, digit, sign or emoji, with or without its space."""
    character = piece.removeprefix(SPACE) or " "
    if len(character) != 1:
        return False
    category, code = unicodedata.category(character)[0], ord(character)
    if category == "L":
        return "LATIN" in unicodedata.name(character, "")
    return (category in "NPSZ" and code < FIRST_FOREIGN) or code >= FIRST_EMOJI


def _forms(words_a_language: int) -> Iterator[tuple[str, float]]:
    for language, weight in LANGUAGES.items():
        for word in top_n_list(language, words_a_language):
            frequency = word_frequency(word, language) * weight
            yield from (
                (word, frequency),
                (word.capitalize(), frequency * CAPITALISED),
                (word.upper(), frequency * UPPER),
            )


def _use(
    tokenizer: Tokenizer, texts: Sequence[str], weights: Sequence[float] | npt.NDArray[np.float64], n_pieces: int
) -> npt.NDArray[np.float64]:
    """How often each piece spells the texts, each text by its weight: (n_pieces,)."""
    use = np.zeros(n_pieces)
    for start in range(0, len(texts), ENCODED_AT_ONCE):
        entries = tokenizer.encode_batch(list(texts[start : start + ENCODED_AT_ONCE]), add_special_tokens=False)
        own = weights[start : start + ENCODED_AT_ONCE]
        ids = np.concatenate([np.array(entry.ids, dtype=np.int64) for entry in entries])
        use += np.bincount(ids, np.repeat(own, [len(entry.ids) for entry in entries]), minlength=n_pieces)
    return use


def kept_pieces(
    packed: PackedModel, texts: Sequence[str], *, size: int = SIZE, words_a_language: int = WORDS_A_LANGUAGE
) -> list[int]:
    """Ids of the pieces to keep, ascending; with the specials they are at most `size`. texts: training mails."""
    tokenizer = unigram(list(zip(packed.pieces, packed.scores, strict=True)), packed.unknown_id)
    words, frequencies = zip(*_forms(words_a_language), strict=True)
    use = _use(tokenizer, words, frequencies, len(packed.pieces))
    own = _use(tokenizer, texts, np.ones(len(texts)), len(packed.pieces))
    use += own * (CORPUS_WEIGHT / max(1.0, own.sum()))
    special = {packed.begin_id, packed.end_id, packed.pad_id, packed.unknown_id}
    kept = {i for i, piece in enumerate(packed.pieces) if _alone(piece)} - special
    for i in np.argsort(-use, kind="stable").tolist():
        if len(kept) >= size - len(SPECIALS) or use[i] == 0.0:
            break
        if i not in special:
            kept.add(i)
    return sorted(kept)


def mail_tokenizer(packed: PackedModel, kept: Sequence[int]) -> MailTokenizer:
    """The specials under our names, then the kept pieces in their order."""
    pieces = [(name, 0.0) for name in SPECIALS] + [(packed.pieces[i], packed.scores[i]) for i in kept]
    tokenizer = unigram(pieces, SPECIALS.index(UNKNOWN))
    tokenizer.add_special_tokens(list(SPECIALS))
    return MailTokenizer(tokenizer)
