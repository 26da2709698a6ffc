"""HTML bodies and the words that their readers see."""

from __future__ import annotations

from tests.service.intake.builder import Case, case, html, mail

PIXEL = '<img src="https://t.example/p.gif" width="1" height="1" alt="">'


def page(name: str, markup: str, expected: str) -> Case:
    return case(f"HTML: {name}", mail(html(markup)), words=expected)


def hidden(style: str) -> Case:
    return page(f"hidden by {style}", f'<div style="{style}">View in browser</div><p>Refund it.</p>', "Refund it.")


CASES = [
    page("paragraphs", "<p>Refund it.</p><p>Thanks</p>", "Refund it.\n\nThanks"),
    page("divs", "<div>Refund it.</div><div>Thanks</div>", "Refund it.\nThanks"),
    page("an empty div line", "<div>Refund it.<br></div><div><br></div><div>Mina</div>", "Refund it.\n\nMina"),
    page("breaks", "Refund it.<br>Thanks<br><br>Mina", "Refund it.\nThanks\n\nMina"),
    page(
        "Outlook's paragraphs",
        "<p class=MsoNormal>Refund it.</p><p class=MsoNormal>Thanks<o:p></o:p></p>"
        "<p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>Mina</p>",
        "Refund it.\nThanks\n\nMina",
    ),
    page("white space", "<p>Refund\n   the\t fee</p>", "Refund the fee"),
    page("words over tags", "<p>Re<b>fund</b> <i>the</i> fee</p>", "Refund the fee"),
    page(
        "entities", "<p>5&nbsp;&euro; &amp; 6&#8364; &#x1F370; &lt;now&gt; don&rsquo;t</p>", "5 € & 6€ 🍰 <now> don’t"
    ),
    page("an entity without its semicolon", "<p>cake &amp fee &copy 2026</p>", "cake & fee © 2026"),
    page(
        "scripts and styles",
        "<style>p{color:red}</style><script>var a='<p>x</p>'</script><p>Refund it.</p>",
        "Refund it.",
    ),
    page(
        "the title is not the body",
        "<html><head><title>Mail</title></head><body>Refund it.</body></html>",
        "Refund it.",
    ),
    page("comments", "<!-- secret --><p>Refund<!-- x --> it.</p>", "Refund it."),
    page(
        "conditional comments",
        "<!--[if mso]><table><tr><td>Outlook</td></tr></table><![endif]--><p>Refund it.</p>"
        "<![if !mso]><p>Thanks</p><![endif]>",
        "Refund it.\n\nThanks",
    ),
    page("a tracking pixel", f"<p>Refund it.</p>{PIXEL}", "Refund it."),
    page("a picture's name", '<p>Refund it.<img alt="Company logo" src="a.png"></p>', "Refund it."),
    page("an emoji picture", '<p>Thanks <img alt="🙏" src="a.png"></p>', "Thanks 🙏"),
    page("a link is its words", '<p>See <a href="https://x.example/?a=1">my order</a> now</p>', "See my order now"),
    page("a link without words", '<p>Refund it.<a href="https://x.example"><img src="a.png"></a></p>', "Refund it."),
    page(
        "hidden by a class",
        "<style>/*.shown{display:none}*/.pre , td.x{DISPLAY : none!important}.both{display:none} .both{display:block}"
        "@media (width<9px){.wide{display:none}}#id1{display:none}</style><div class='a PRE'>View in browser</div>"
        "<p class=shown>Refund</p><p class=wide>the</p><p class=x>lemon</p><p class=both>cake</p><p id=id1>no</p>"
        "<p class=pre style='display:block'>now.</p>",
        "Refund\n\nthe\n\nlemon\n\ncake\n\nnow.",
    ),
    page("a stylesheet that never ends", "<p>Refund it.</p><style>.a{display:none", "Refund it."),
    hidden("display:none"),
    hidden("DISPLAY : none !important"),
    hidden("color:red;display:none;font-size:1px"),
    hidden("visibility:hidden"),
    hidden("font-size:0"),
    hidden("font-size:0px; line-height:0"),
    hidden("max-height:0;overflow:hidden"),
    hidden("max-height: 0px"),
    hidden("mso-hide:all"),
    hidden("opacity:0"),
    hidden("opacity: 0.0;"),
    hidden("height:0;overflow:hidden"),
    page("the hidden attribute", "<div hidden>View in browser</div><p>Refund it.</p>", "Refund it."),
    page("not hidden by a small opacity", '<p style="opacity:0.9">Refund it.</p>', "Refund it."),
    page("not hidden by max-height", '<p style="max-height:0.5em">Refund it.</p>', "Refund it."),
    page("not hidden by a border of nothing", '<p style="border:0;margin-top:0">Refund it.</p>', "Refund it."),
    page(
        "a wrapper without a font size",
        '<div style="font-size:0"><p style="font-size:13px">Refund it.</p></div>',
        "Refund it.",
    ),
    page("hidden around visible", '<div style="visibility:hidden">a<b style="visibility:visible">Fee</b></div>', "Fee"),
    page(
        "not hidden by a cell that may not grow",
        '<td style="max-width:0;overflow:hidden">Refund it.</td>',
        "Refund it.",
    ),
    page("a padded preheader", "<p>Refund it.&#847;&#8203;&#65279;</p>", "Refund it."),
    page(
        "a table",
        "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Cake</td><td>850</td></tr>"
        "<tr><td>Fee</td><td>60</td></tr></table>",
        "Item  Price\nCake  850\nFee  60",
    ),
    page(
        "a table with paragraphs in its cells",
        "<table><tr><td><p>Cake</p></td><td><p>850</p></td></tr></table>",
        "Cake  850",
    ),
    page(
        "a layout table",
        "<table><tr><td><p>Refund it.</p><p>Thanks</p></td><td><img src=a></td></tr></table>",
        "Refund it.\n\nThanks",
    ),
    page(
        "tables in tables",
        "<table><tr><td><table><tr><td>Cake</td><td>850</td></tr><tr><td>Fee</td><td>60</td></tr>"
        "</table></td></tr></table>Thanks",
        "Cake  850\nFee  60\nThanks",
    ),
    page(
        "a list",
        "<p>Refund:</p><ul><li>the fee</li><li>not the cake</li></ul><p>Mina</p>",
        "Refund:\n\n- the fee\n- not the cake\n\nMina",
    ),
    page("a numbered list", "<ol><li>fee</li><li><p>cake</p></li></ol>", "1. fee\n2. cake"),
    page("a numbered list from three", "<ol start=3><li>fee<li>cake</ol>", "3. fee\n4. cake"),
    page(
        "a list in a list",
        "<ul><li>fees<ul><li>delivery<li>gift</ul><li>cake</ul>",
        "- fees\n  - delivery\n  - gift\n- cake",
    ),
    page("preformatted", "<pre>Refund:\n  the fee\n\nMina</pre>", "Refund:\n  the fee\n\nMina"),
    page("pre-wrap", '<div style="white-space: pre-wrap">Refund it.\nThanks</div>', "Refund it.\nThanks"),
    page("a rule", "<p>Refund it.</p><hr><p>Mina</p>", "Refund it.\n\n---\n\nMina"),
    page(
        "Gmail's quote",
        '<div>Yes, please.</div><div class="gmail_quote"><div class="gmail_attr">On Mon, Shop wrote:<br>'
        '</div><blockquote class="gmail_quote" style="margin:0"><div>Refund it?<br><br>Shop</div></blockquote></div>',
        "Yes, please.\nOn Mon, Shop wrote:\n> Refund it?\n>\n> Shop",
    ),
    page(
        "Gmail's forward is not quoted",
        '<div>See below</div><div class="gmail_quote">---------- Forwarded message<br>From: Anna<br><br>No cake.</div>',
        "See below\n---------- Forwarded message\nFrom: Anna\n\nNo cake.",
    ),
    page(
        "Gmail's indent is not a quote",
        '<blockquote style="margin:0 0 0 40px;border:none;padding:0px">the fee</blockquote>',
        "the fee",
    ),
    page(
        "Apple's quote",
        'Yes<br><blockquote type="cite"><div>On Mon, Shop wrote:</div><div>Refund?</div></blockquote>',
        "Yes\n> On Mon, Shop wrote:\n> Refund?",
    ),
    page(
        "Thunderbird's quote",
        '<p>Yes</p><div class="moz-cite-prefix">On Mon, Shop wrote:<br></div>'
        '<blockquote type="cite" cite="mid:a@x"><p>Refund?</p></blockquote>',
        "Yes\n\nOn Mon, Shop wrote:\n\n> Refund?",
    ),
    page(
        "Yahoo's quote",
        '<div>Yes</div><div class="yahoo_quoted"><div>On Monday, Shop wrote:</div><div>Refund?</div></div>',
        "Yes\n> On Monday, Shop wrote:\n> Refund?",
    ),
    page(
        "Outlook on the web",
        '<div>Yes</div><hr><div id="divRplyFwdMsg"><b>From:</b> Shop<br><b>Sent:</b> Monday</div>',
        f"Yes\n{'_' * 32}\nFrom: Shop\nSent: Monday",
    ),
    page(
        "Outlook on the desk",
        "<p class=MsoNormal>Yes</p><div><div style='border:none;border-top:solid #E1E1E1 1.0pt;"
        "padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal><b>From:</b> Shop</p></div></div>",
        f"Yes\n{'_' * 32}\nFrom: Shop",
    ),
    page("a quote in a quote", "<blockquote>a<blockquote>b</blockquote>c</blockquote>", "> a\n> > b\n> c"),
    page(
        "an answer inside a quote",
        "<blockquote>Which?</blockquote><div>The fee.</div><blockquote>When?</blockquote><div>Now.</div>",
        "> Which?\nThe fee.\n> When?\nNow.",
    ),
    page("tags that never close", "<div><b><table><tr><td>Refund it", "Refund it"),
    page("tags closed twice", "<p>Refund it.</p></p></div></b>", "Refund it."),
    page(
        "an XML declaration",
        '<?xml version="1.0" encoding="utf-16"?><html><body>Refund it.</body></html>',
        "Refund it.",
    ),
    page("text after the end", "<html><body>Refund it.</body></html>Thanks", "Refund it.Thanks"),
    page("no words", f"<html><body>{PIXEL}<br></body></html>", ""),
]
