from __future__ import annotations

import pytest

from model.checks.exchange import OrderCheck
from model.classifier import Prediction
from model.decision import decide
from model.language import unsupported_language

TRAINED = ("de", "en", "es", "fr", "hi", "it", "nl", "pl", "pt")
FEE = "Please refund the delivery fee and leave the cake alone, it was lovely."


def prediction(text: str, *, confidence: float = 0.97, n_tokens: int | None = None, **details: object) -> Prediction:
    tokens = len(text) // 4 + 1 if n_tokens is None else n_tokens
    fields = {"truncated": False, "unknown_ratio": 0.0} | details
    return Prediction("refund_fee", confidence, {"refund_fee": confidence}, (), n_tokens=tokens, **fields)  # type: ignore[arg-type]


def reasons(text: str, made: Prediction, check: OrderCheck | None = None) -> tuple[str, ...]:
    thresholds = {"refund_fee": 0.95}
    return decide(text, made, check, thresholds=thresholds, default_threshold=0.99, languages=TRAINED).reasons


def test_a_confident_mail_in_a_trained_language_needs_no_person() -> None:
    assert reasons(FEE, prediction(FEE)) == ()


def test_each_doubt_has_its_reason() -> None:
    assert reasons(FEE, prediction(FEE, confidence=0.94)) == ("low_confidence",)
    assert reasons(FEE, prediction(FEE, truncated=True)) == ("truncated",)
    assert reasons(FEE, prediction(FEE), OrderCheck(FEE, False)) == ("order_check_failed",)
    assert reasons("", prediction("", n_tokens=0)) == ("no_text",)


@pytest.mark.parametrize(
    "text",
    [
        "Lütfen teslimat ücretini iade edin, pastayı değil. Sipariş numaram 4432.",
        "Hej, jag vill ha tillbaka pengarna för frakten men inte för tårtan, den var god.",
        "Vă rog să îmi returnați taxa de livrare, nu tortul. Mulțumesc.",
        "Верните, пожалуйста, деньги за доставку, а торт оставьте.",
        "請退還運費，不要退蛋糕的錢。",
        "कृपया डिलीवरी शुल्क वापस करें, केक नहीं।",
    ],
)
def test_a_language_the_model_was_not_trained_on_goes_to_a_person(text: str) -> None:
    assert reasons(text, prediction(text)) == ("unsupported_language",)


@pytest.mark.parametrize(
    "text",
    [
        "Bitte die Versandkosten erstatten, nicht den Kuchen.",
        "Proszę o zwrot opłaty za dostawę, tort był w porządku.",
        "bhai delivery charge wapas karo, cake mat karo, cake badhiya tha",
        "REFUND DELIVERY FEE NOT CAKE",
        "refund",
        "ok",
    ],
)
def test_trained_languages_and_the_shortest_mails_pass(text: str) -> None:
    assert not unsupported_language(text, prediction(text), TRAINED)


def test_keys_struck_at_random_go_to_a_person() -> None:
    text = "hj kl;h jk lf;d sj kf;l dj sk;a fj dk;l"
    assert unsupported_language(text, prediction(text, n_tokens=30), TRAINED)
    words = "asdkjh qwe lkjasd qowie zxmcnb lkasjd"
    assert unsupported_language(words, prediction(words), TRAINED)
