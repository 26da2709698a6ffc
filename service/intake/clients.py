"""What mail clients write around a reply, by language: attributions, header fields, markers, farewells, footers.

Sources: the word lists of mail-parser-reply and quotequail (both MIT) were read for the older clients; the rest is
written from what is known of the clients, not from a collection of real mails.
Every pattern is read on a piece of bounded length; the one repetition within another (WORDS) has two rounds at most.
"""

from __future__ import annotations

import re

# "On … wrote:" in the languages' words for writing; CJK ones stand without spaces around them
VERB = re.compile(
    r"\b(?:wrote|writes|schrieb|schrieben|geschrieben|escribió|escribio|a\s+écrit|escreveu|ha scritto|scrisse|schreef"
    r"|napisał|napisała|napisał\(a\)|napisano|napisana przez|pisze|skrev|kirjoitti|написал|написала"
    r"|написал\(а\)|пишет"
    r"|писал|писала|wrote)(?!\w)|写道|寫道|書きました|のメール|のメッセージ|撰写|님이 작성|\bírta(?!\w)"
    r"|\bnapsal(?!\w)|đã viết|\byazdı(?!\w)|\ba scris(?!\w)"
    r"|\bέγραψε(?!\w)|\b(?:пише|написав|писав)(?!\w)|כתב(?:ה|/ה)?(?!\w)",
    re.IGNORECASE,
)
# how an attribution begins: an intro word, a number, or a weekday before a number
ATTRIBUTION_START = re.compile(
    r"(?:(?:on|am|le|el|en|em|il|op|den|at|vào|στις|στη|pe|în|w dniu|dnia|wiadomość)\s|在|於|\W?\d"
    r"|[^\W\d]{2,14}[.,]{0,2}\s\d)",
    re.IGNORECASE,
)
DATE = re.compile(r"\d{1,4}[./-]\s?\d{1,2}[./-]\s?\d{2,4}|(?<!\d)(?:19|20)\d\d(?!\d)")
TIME = re.compile(r"\d{1,2}[:.h時点]\d{2}")
ADDRESS = re.compile(r"[^\s<>()\"]@[^\s<>()\"]")
BRACKETED_ADDRESS = re.compile(r"(?:[<(\[]|mailto:)\s?[^\s<>()\[\]]{1,100}@[^\s<>()\[\]]{1,100}[>)\]]")


def names(listed: str) -> frozenset[str]:
    return frozenset(listed.split(","))


# help desks ask for the reply above a line of theirs
REPLY_ABOVE = re.compile(
    r"(?-i:Reply ABOVE THIS LINE).{0,60}|\W{2,12}\s?(?:please )?(?:type|write|reply"
    r"|enter)\b.{0,40}\babove this line.{0,20}"
    r"|\W{2,12}\s?bitte .{0,40}(?:über|oberhalb) dieser zeile.{0,20}|\W{2,12}.{0,40}(?:au-dessus de cette ligne"
    r"|por encima de esta línea|acima desta linha|sopra questa riga|boven deze regel).{0,20}",
    re.IGNORECASE,
)
# Yahoo on Android: the quoted words follow on the attribution's own line, after more spaces than a writer sets
INLINE_ATTRIBUTION = re.compile(
    r"(?:<[^<>\s]{1,100}@[^<>\s]{1,100}>\)?,?\s?(?:wrote|schrieb|escribió|a écrit|escreveu|ha scritto|schreef"
    r"|napisał\(a\)|skrev|kirjoitti|написал\(а\))"
    r"|(?:schrieb|schreef|skrev)\s[^<>]{1,80}<[^<>\s]{1,100}@[^<>\s]{1,100}>)\s?:\s{2,}"
)
DAYTIME = re.compile(r"\s*(?:[ap]\.?m\b\.?|uhr\b)?[\s,]*", re.IGNORECASE)

FIELDS: dict[str, str] = {
    name: role
    for role, listed in {
        "from": "from,von,de,da,van,od,från,fra,lähettäjä,от,от кого,发件人,發件人,寄件者,差出人,送信者,expéditeur,"
        "từ,de la,מאת,"
        "feladó,kimden,odesílatel,보낸 사람,보낸사람,від,от кого,από,remitente,absender,mittente,afzender,nadawca,"
        "avsändare,afsender,отправитель",
        "date": "sent,đã gửi,נשלח,תאריך,"
        "date,gesendet,datum,enviado,enviado el,enviado em,enviada,enviada em,fecha,data,envoyé,"
        "envoyé le,"
        "inviato,verzonden,wysłano,wysłane,skickat,sendt,dato,lähetetty,päivä,päivämäärä,päiväys,отправлено,"
        "дата,发送时间,"
        "odesláno,odoslané,elküldve,dátum,gönderildi,tarih,보낸 날짜,보낸날짜,날짜,надіслано,trimis,στάλθηκε,"
        "發送時間,寄件日期,发送日期,日期,"
        "时间,送信日時,送信日,日付,日時",
        "to": "tới,אל,đến,komu,címzett,kime,받는 사람,받는사람,către,προς,to,an,para,à,pour,a,aan,do,till,til,"
        "vastaanottaja,кому,收件人,收件者,宛先,destinataire,destinatario",
        "cc": "cc,bcc,kopie,kopia,kopi,kopio,copie,cco,dw,копия,抄送,副本,reply-to,antwort an,importance,attachments",
        "subject": "chủ đề,נושא,"
        "předmět,predmet,tárgy,konu,제목,subiect,θέμα,subject,betreff,asunto,objet,sujet,assunto,"
        "oggetto,"
        "onderwerp,temat,ämne,emne,aihe,тема,主题,"
        "主題,主旨,件名",
    }.items()
    for name in names(listed)
}

ORIGINAL = names(
    "original message,original-nachricht,ursprüngliche nachricht,originale nachricht,originalnachricht,"
    "mensaje original,"
    "message d'origine,mail original,"
    "message d’origine,message original,mensagem original,messaggio originale,messaggio originario,"
    "oorspronkelijk bericht,"
    "origineel bericht,wiadomość oryginalna,oryginalna wiadomość,ursprungligt meddelande,originalmeddelande,"
    "oprindelig meddelelse,alkuperäinen viesti,исходное сообщение,оригинальное сообщение,原始邮件,原始郵件,邮件原件,"
    "元のメッセージ,original,reply message,original email,urspr. nachricht,original appointment,"
    "initial header,replied message,回复的原邮件,回覆的原郵件"
)
FORWARDED = names(
    "forwarded message,begin forwarded message,forwarded mail,forwarded email,weitergeleitete nachricht,"
    "anfang der weitergeleiteten nachricht,anfang der weitergeleiteten e-mail,mensaje reenviado,"
    "inicio del mensaje reenviado,message transféré,début du message transféré,début du message réexpédié,"
    "mensagem encaminhada,início da mensagem encaminhada,início da mensagem reencaminhada,messaggio inoltrato,"
    "inizio messaggio inoltrato,doorgestuurd bericht,begin doorgestuurd bericht,wiadomość przekazana dalej,"
    "przekazana wiadomość,treść przekazanej wiadomości,początek przekazywanej wiadomości,vidarebefordrat meddelande,"
    "vidarebefordrat brev,vidarebefordrat mejl,videresendt meddelelse,videresendt besked,start på videresendt besked,"
    "välitetty viesti,edelleenlähetetty viesti,välitetty viesti alkaa,пересылаемое сообщение,пересланное сообщение,"
    "начало переадресованного сообщения,转发邮件,转发的邮件,轉寄郵件,下面是被转发的邮件,轉寄的郵件,"
    "转发的原邮件,转发的原郵件,転送メッセージ,転送されたメッセージ,"
    "転送されたメール"
)
# what mail programs write before the subject of a mail that they send on, and of an answer
FORWARD_SUBJECT = re.compile(
    r"\s*(?:fwd?|wg|tr|rv|reenv|enc|i|pd|vb|vl|doorst|转发|轉寄|轉發|転送)\s?[:：]",
    re.IGNORECASE,
)
REPLY_SUBJECT = re.compile(
    r"\s*(?:re|aw|antw|sv|vs|r|rif|res|réf|odp|отв|回复|回覆|答复|返信)(?:\[\d{1,3}\]|\(\d{1,3}\))?\s?[:：]",
    re.IGNORECASE,
)
# what a forwarder says above a mail that someone else is to read
POINTER = re.compile(
    r"\b(?:below|fyi|fwd|(?<!look )(?<!looking )(?<!going )(?<!moving )forward\w*"
    r"|(?:deal|help) with (?:this|it)|handle (?:this|it)|look into|take care of"
    r"|over to you"
    r"|unten|anbei|weiterleit\w*|weitergeleitet\w*|zur info\w*|zur kenntnis|z\.\s?k|kümmer\w*|übernehm\w*"
    r"|abajo|reenv\w+|te paso|os paso|ocup\w+ de esto|ci-dessous|transf[eè]r\w*|pour info\w*|abaixo|encaminh\w+"
    r"|reencaminh\w+"
    r"|sotto|inoltr\w+|per conoscenza|hieronder|onderstaand\w*|doorgestuurd|doorsturen|ter info\w*"
    r"|poniżej|przesyłam|przekazuję|do wiadomości|nedan|nedanstående|vidarebefordr\w+|nedenfor|nedenstående"
    r"|videresend\w+"
    r"|alla (?:ole|näky|viesti)\w*|(?:katso|ks\.|viesti|tässä) alla"
    r"|oheinen|välit\w+|tiedoksi|ниже|пересыл\w+|перенаправл\w+|для сведения)\b"
    r"|见下|如下|下面|以下|转发|轉寄|下記|転送",
    re.IGNORECASE,
)
# the same above a mail that is attached as a file; of a mail that stands below it says nothing
ATTACHED = re.compile(
    r"\b(?:attach\w*|enclosed|adjunt\w+|anex\w+|ci-?joint\w*|joint\w*|jointe\w*|angehängt\w*|anhang|anhänge\w*"
    r"|beigefügt\w*|anliegend\w*|beiliegend\w*|allegat\w+|allego|bijgevoegd\w*|bijlage\w*|bijgaand\w*|bijgesloten"
    r"|załącz\w+|bifoga\w*|bilag\w*|bilagor\w*|vedhæft\w*|vedlagt\w*|vedlægg\w*|liitt\w+|liite\w*|ohei\w+"
    r"|вложен\w+|прикрепл\w+|прилож\w+|прилага\w+)\b|附件|附上|附檔|附档|附的|添付",
    re.IGNORECASE,
)
# what a writer says whose answers stand between the quoted lines, in a mail that sets no marks before them
ANSWERS_INSIDE = re.compile(
    r"(?:\b(?:answer\w*|comment\w*|repl(?:y|ies)|responses?|notes?|antwort\w*|anmerkung\w*|kommentar\w*|réponses?"
    r"|commentaires?"
    r"|respuestas?|comentarios?|rispost\w|commenti|respostas?|comentários?|antwoord\w*|opmerking\w*|odpowied\w*|uwag\w*"
    r"|komentarz\w*|svar\w*|vasta\w*|kommen\w*|ответ\w*|коммент\w*)|回答|回复|回覆|答复|答覆|批注|返信|返事|コメント)"
    r".{0,40}"
    r"(?:\b(?:in-?line|in line|below|in (?:red|blue|green|bold|caps|capitals|the text)|unten|darunter|im text"
    r"|(?:in|auf|mit) (?:rot|blau|grün|fett)|(?:rot|blau|grün|fett) (?:markiert|geschrieben)|en (?:rouge|bleu|vert"
    r"|gras)|dessous"
    r"|dans le texte|en (?:rojo|azul|verde|negrita)|abajo|debajo|en el texto|in (?:rosso|blu|verde|grassetto)|sotto"
    r"|nel testo"
    r"|(?:a|em) (?:vermelho|azul|verde|negrito)|abaixo|no texto|in (?:het )?(?:rood|blauw|groen|vet)|hieronder"
    r"|onderstaand|in de tekst"
    r"|na (?:czerwono|niebiesko|zielono)|poniżej|w tekście|w treści|(?:i|med) (?:rött|blått|grönt|rødt|blåt|grønt|fed"
    r"|fetstil)"
    r"|nedan|i texten|nedenfor|i teksten|punaisella|sinisellä|vihreällä|tekstissä|alla|красным|синим|зел[её]ным|ниже"
    r"|в тексте)\b"
    r"|(?:用|以)?(?:红|紅|蓝|藍)(?:色|字)|文中|正文|下面|下方|(?:赤|青)(?:字|色|で)|本文中)"
    r"|\b(?:see|siehe|voir|ver|vedi|zie|zob\.|se|ks\.|см\.) (?:in-?line|in red|in rot|en rouge|en rojo|in rosso"
    r"|em vermelho)\b",
    re.IGNORECASE,
)
# the field of a contact form that holds what the customer wrote
FORM_MESSAGE = re.compile(
    r"\W{0,3}(?:your |ihre |votre |su |sua |il tuo |uw |twoja )?(?:message|enquiry|inquiry|question|comments?"
    r"|nachricht|anliegen"
    r"|mensaje|consulta|mensagem|messaggio|richiesta|bericht|vraag|wiadomość|treść|meddelande|besked|viesti|сообщение"
    r"|留言|内容|內容|お問い合わせ内容)\W{0,3}[:：]",
    re.IGNORECASE,
)
GREETING = re.compile(
    r"(?:dear|hello|hi|hey|hallo|sehr geehrte\w*|liebe[r]?|guten tag|bonjour|hola|estimad\w+|olá|prezad\w+|ciao"
    r"|buongiorno"
    r"|gentile|beste|geachte|dzień dobry|szanown\w+|hej|bästa|kære|hei|hyvä|здравствуйте|добрый день"
    r"|уважаем\w+)\b|您好|你好|お世話",
    re.IGNORECASE,
)

DEVICE = (
    r"(?:iphone|ipad|ipod|i?mac|apple|galaxy|samsung|android|phone|mobile|handy|smartphone|telefon|téléphone|teléfono"
    r"|telefone|móvil|celular|mobil|cellulare|telefoon|puhelim|blackberry|huawei|honor|xiaomi|redmi|oppo"
    r"|oneplus|pixel|nokia"
    r"|motorola|sony|xperia|htc|lg|outlook|yahoo|gmx|web\.de|windows|proton|yandex|mail\.ru|zoho|tablet|device|gerät"
    r"|surface|aquamail|bluemail|k-9|spark|aol|hotmail|gmail|libero|mail for|e-?mail app|mail app|телефон|смартфон"
    r"|яндекс"
    r"|thunderbird|mailbird|airmail|superhuman|polymail|mailspring|mimestream|verizon|droid"
    r"|palm (?:pixi|pre|treo)|phone|手机|邮箱|微信|新浪|网易)"
    r"(?![a-zà-ÿа-яąćęłńśźż]{4})"  # phones, телефона, but not telefonisch
)
WORDS = r"(?P<between>[\s:\[]*(?:[\w.,'’/-]+\s+){0,2}?[\w'’.-]{0,10}?)"  # "my old", "mein/meine"; bounded
# the end of a device's word, as `Wysłane z iPhone'a` has it
DEVICE_END = re.compile(
    r"\A(?:®|™|['’]?[a-zà-ÿа-яąćęłńśźż]{1,3}(?!\w)|-(?:ul|ului|gerät|mobiltelefon|smartphone|handy)"
    r"|(?:手机|邮箱|智能版|客户端|大师|移动端|平板|极速版)+(?=\W|\Z)|[^\W\d_]{0,3}(?=\s))",
    re.IGNORECASE,
)
LINK = re.compile(r"[(<\[\]]{0,2}\s?https?:\S*")
SENTENCE_GAP = re.compile(r"[.!?;:]+(?:\s+|\Z)|[。！？；：，]")
# what a phone's owner has it say of their spelling
EXCUSE = re.compile(
    r"(?:(?:so|and|und|et|y|e|en) )?(?:please |bitte |merci d['’]|por favor,? |per favore,? )?"
    r"(?:excuse|forgive|pardon|ignore|sorry for|apologies for|entschuldig\w*|excuser|excusez|disculp\w+|perdon\w*"
    r"|desculp\w+|scusa\w*|excuseer|przepraszam za|ursäkta|undskyld|извините за) "
    r"(?:[\w'’-]+ ){0,3}(?:typos?|typing|errors?|mistakes?|spelling|brevity|auto-?correct\w*|thumbs|grammar"
    r"|tippfehler|fehler|kürze|fautes?|brièveté|erreurs|errores|brevedad|erratas|erros|brevidade|errori|brevità"
    r"|fouten|typefouten|literówki|błędy|skrivfel|stavfel|slåfejl|опечатки|краткость)"
    r"(?: (?:and|or|und|et|y|e|en|och|og|i|и) (?:[\w'’-]+ ){0,2}(?:typos?|errors?|mistakes?|brevity|autocorrect"
    r"|spelling|fehler|kürze|fautes|errores|erros|errori|fouten|grammar))?",
    re.IGNORECASE,
)
# what stands after a device's name; other small words are a writer's
DEVICE_WORD = re.compile(
    r"[^\w]*(?:smart\w*|i(?:os|phone|pad)|phones?|devices?|tablets?|app\w*|e?-?mail\w*|mobi\w*|handys?|using|with|via"
    r"|mit|über|avec|con|com|met|med|from|an?|by|wireless|network|powered|dispositivo|appareil|toestel"
    r"|gesendet|geschickt|verschickt|for|für|pour|para|per|voor|för|til|dla|для|auf|on|su|pro|plus|max|mini|ultra"
    r"|the most|secure|sicher\w*|segur\w+|sécuris\w+|sicur\w+|veilig\w*|bezpieczn\w+"
    r"|please|droid|gerät|почты|на|с|iz|из|meiner|meinem|meu|mele|my|mi|mon|mio)[^\w]*",
    re.IGNORECASE,
)
# a writer's own: `the wrong`, `einem alten`; a device's own: `a mobile`, `the Samsung`, `the all new`
ARTICLE = re.compile(
    r"\b(?:the|an?|this|eine[mnr]?|une?|una|uno|um|uma|een|ett?|en)\s+(?!(?:all|new|mobile|smart)\b)(?-i:[a-zà-ÿ])",
    re.IGNORECASE,
)
MOBILE = re.compile(
    r"(?:sent (?:from|via|with)(?: my| the all new)?|gesendet (?:von|mit|über)(?: meinem| meiner)?"
    r"|diese nachricht wurde von meinem|enviado (?:desde|con|do|pelo|a partir do|via)(?: mi| el| meu)?"
    r"|envoyé (?:de|par|depuis|à partir de|avec|via)(?: mon| ma| l['’])?|inviato (?:da|dal|con)(?: mio| il mio)?"
    r"|(?:verstuurd|verzonden) (?:vanaf|vanuit|met|via)(?: mijn)?|wysłan[eoy] (?:z|ze)(?: mojego)?"
    r"|(?:skickat|skickades) från(?: min)?|sendt fra(?: min)?"
    r"|trimis (?:de pe|din|cu)|надіслано (?:з|із|зі)(?: мого)?|ode?sl[aá]no z|odoslané z"
    r"|(?:được )?gửi từ|στάλθηκε από(?: το)?"
    r"|отправлено (?:с|со|из|через)(?: моего| мобильного устройства)?|发自(?:我的)?|發自|來自)"
    + WORDS
    + DEVICE
    + r"(?P<rest>.{0,160})",
    re.IGNORECASE,
)
APP_SYSTEM = (
    r"(?:for|für|pour|para|per|voor|för|til|dla|для|на) (?:systemu )?(?:ios|android|iphone|ipad|mac\w*|windows)"
)
GET_APP = re.compile(
    r"(?:get|download|holen sie sich|laden sie|obtener|obtén|obter|obtenha|télécharger|obten(?:ez|ir)|scarica|ottieni"
    r"|pobierz|hämta|skaffa|hent|hanki|скачать|получить|获取|下载|下載)(?: the| o| la| aplikację)?"
    r" (?:outlook|yahoo|aol|gmail|bluemail|k-9)(?: mail)?(?: app)?(?: " + APP_SYSTEM + r")?\W*(?:https?:\S*)?\W*"
    r"|outlook " + APP_SYSTEM + r"\W*(?:https?:\S*)?\W*(?:(?:beziehen|herunterladen|downloaden|hämta|を入手)\W*)?"
    r"(?:https?:\S*)?\W*"
    r"|(?:yahoo|aol) mail.{0,40}(?:android|iphone).{0,20}",
    re.IGNORECASE,
)
MOBILE_WHOLE = re.compile(
    r"(?:(?=.{0,20}(?:iphone|ipad|android|galaxy|xperia|outlook|yahoo|gmail|mail|windows|スマ|携帯|モバイル|端末|アプリ"
    r"|メール|手机|邮箱))(?:(?:私の)?[\w !.]{2,20}から送信(?:されました)?。?|从我的.{2,20}发送|.{2,20}からの送信)"
    r"|发自.{2,20}邮箱(?:大师)?"
    r"|(?:von|vom) (?:meinem(?:/meiner)?|meiner|yahoo mail|aol mail)(?: (?!wurde|habe|kam)[\w.-]+){0,2} ?"
    + DEVICE
    + r"?"
    r"[^,;.!?]{0,40} (?:gesendet|verschickt|versendet)\.?"
    r"|mit proton ?mail.{0,20} gesendet\.?"
    r"|lähetetty (?:\w+ ){0,2}-?(?:äly)?(?:iphon|ipad|android|samsung|galaxy|outlook|puhelim|gmail|yahoo"
    r"|huawei|nokia|mobiili|laitt|sähköpost|windows|mac|oneplus|kännyk)\w*(?:sta|stä|lta|ltä|lla|llä)(?:ni)?\.?)",
    re.IGNORECASE,
)

CLOSING = re.compile(
    r"(?:(?:with )?(?:best|kind|kindest|warm|warmest|many)? ?(?:regards|wishes|thanks)|best|thanks|thank you"
    r"|many thanks"
    r"|cheers|sincerely|yours sincerely|yours faithfully|yours truly|sincerely yours|respectfully|cordially|rgds|br"
    r"|(?:mit |viele |beste |liebe |schöne |herzliche |freundliche |mit freundlichen |mit besten |mit freundlichem )"
    r"(?:gr(?:ü|ue)(?:ß|ss)en?|gru(?:ß|ss))|mfg|vg|lg|hochachtungsvoll|danke"
    r"|(?:un |reciba un )?(?:cordial |atento )?saludos?(?: cordiales| cordial)?|atentamente|atte|gracias"
    r"|(?:bien )?cordialement|bien à vous|(?:sincères|meilleures) salutations|merci"
    r"|atenciosamente|cumprimentos|(?:com os )?(?:melhores|meus) cumprimentos|att|obrigad[oa]|abraços"
    r"|(?:cordiali|distinti|cari) saluti|saluti|grazie|cordialmente"
    r"|(?:met )?(?:vriendelijke|hartelijke) groete?n?|mvg|groete?n?|bedankt|hoogachtend"
    r"|z poważaniem|pozdrawiam|(?:serdecznie )?pozdrawiam|dziękuję|(?:med )?(?:vänliga?|bästa) hälsning(?:ar)?"
    r"|hälsningar|mvh|tack"
    r"|(?:med )?(?:venlig|bedste|mange) hilsen(?:er)?|hilsen|tak|(?:ystävällisin |parhain )?terveisin|t\."
    r"|kiitos|kiitoksin"
    r"|с уважением|с наилучшими пожеланиями|всего доброго|спасибо|此致|祝好|敬礼|谢谢|以上|よろしくお願いいたします)",
    re.IGNORECASE,
)
CONTACT = re.compile(
    r"\+?\(?\d[\d\s()./-]{6,}\d|www\.|https?://|[^\s<>]@[^\s<>]"
    r"|\b(?:gmbh|ltd|limited|llc|inc|s\.?l\.|sarl|s\.?r\.?l\.?|b\.v\.|oy|aps|sp\. z o\.o|ооо)(?!\w)",
    re.IGNORECASE,
)
# what makes a line of a person: a phone number or a mail address
PERSONAL = re.compile(r"\+?\(?\d[\d\s()./-]{6,}\d|[^\s<>]@[^\s<>]")
# a line about the case itself is the customer's, even under a farewell
CASE = re.compile(
    r"(?:\d[ -]?){14}|卡号|卡號|账号|帳號|账户|カード|会員"
    r"|\b(?:member\w*|card|tarjeta|cuenta|carte|compte|cartão|conta|carta|tessera"
    r"|abbonamento|rekening\w*|kort\w*|swish\w*|kart[aąęy]|tili\w*|карт[аыуе]|сч[её]т\w*|paypal|venmo|zelle|cash ?app"
    r"|pix|bizum|mb ?way|mobilepay|twint|blik|revolut|upi|sort code|bic|swift"
    r"|order\w*|refund\w*|kundn\w*|bestill\w*|numer|codice"
    r"|case (?:no|number|id)|reference|invoice|booking"
    r"|ticket|iban|account|bestell\w*|rechnung\w*|erstatt\w*|kundennummer"
    r"|konto\w*|pedido|"
    r"factura|reembols\w*|commande|facture|rembours\w*|encomenda|fatura|ordine|fattura|rimbors\w*|bestelling|factuur"
    r"|zamówieni\w*|faktura|zwrot\w*|beställning|ordre|tilaus\w*|lasku|заказ\w*|возврат\w*|p\.?s)\b|#\s?\d|订单"
    r"|退款|支付宝|注文|返金|振込|口座",
    re.IGNORECASE,
)

SECRET = re.compile(
    r"confidential|privileged|proprietary|vertraulich|rechtlich geschützt|confidencia[il]|privilegiad"
    r"|confidentiel|riservat"
    r"|confidenzial|vertrouwelijk|poufn|konfidentiell|fortrolig|luottamuksellin|конфиденциальн|机密|保密|機密",
    re.IGNORECASE,
)
ADDRESSEE = re.compile(
    r"intended|addressee|recipient|in error|delete (?:it|this)|adressat|empfänger|irrtümlich|vernicht"
    r"|destinatari|por error"
    r"|por engano|destinataire|par erreur|per errore|geadresseerde|ten onrechte|bestemd voor|adresat|omyłkow"
    r"|avsett|mottagare"
    r"|av misstag|modtager|ved en fejl|vastaanottaj|erehdyks|адресат|получател|по ошибке|收件人|误收|受信者"
    r"|宛先|誤って",
    re.IGNORECASE,
)
FOOTER = re.compile(
    r"(?:please )?(?:consider|think of|think about) the environment.{0,40}\bprint|(?:please )?do(?:n't"
    r"| not) print this (?:e-?mail|message)"
    r"|bitte (?:prüfen|denken) sie.{0,60}(?:umwelt|ausdruck)|antes de imprimir (?:este|esta) (?:correo|e-?mail|mensa)"
    r"|pensez à l['’]environnement.{0,40}\bimprim|avant d['’]imprimer (?:ce|cet) (?:e-?mail|mail|message|courriel)"
    r"|prima di stampare (?:questa|questo)|this (?:e-?mail|message) (?:has been|was) (?:scanned|checked)|virus-free\W"
    r"|scanned by (?:\w+ ){0,3}?(?:anti-?virus|virus|security|mail|avast|avg|mcafee|norton|symantec|eset|sophos)"
    r"|diese e-mail wurde (?:von|auf)|registered in england|registered office\W{0,2}:|registered office (?:is|at)\b"
    r"|company (?:number|registration)|sitz der gesellschaft|amtsgericht\W+\w.{0,40}\bhr[ab]\b"
    r"|disclaimer\W*$|disclaimer\W+(?:this|the (?:information|content|views)|any)\b|confidentiality notice"
    r"|caution: this (?:e-?mail|message)|warning: this e-?mail"
    r"|you (?:have )?received this (?:message|e-?mail) because"
    r"|you are receiving this (?:message|e-?mail)|<?https?://www\.avast\.",
    re.IGNORECASE,
)
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
# a wish to be struck off is the customer's own; a footer says where to click
UNSUBSCRIBE = re.compile(
    r"(?:if you (?:no longer|do(?:n't| not)) (?:wish|want)|to unsubscribe|(?:click here to )?unsubscribe"
    r"|manage (?:your )?(?:preferences|subscription)|wenn sie keine weiteren|um sich abzumelden"
    r"|newsletter abbestellen|para darse de baja"
    r"|para cancelar (?:su|tu|a sua|sua) (?:suscripción|inscrição|subscrição)|pour (?:vous désabonner"
    r"|ne plus recevoir)"
    r"|se désinscrire|per (?:annullare l['’]iscrizione|cancellarti)|om u af te melden|afmelden voor|aby zrezygnować"
    r"|avregistrera|for at afmelde|peruuta tilaus|чтобы отписаться|отписаться|退订|取消订阅|配信停止)",
    re.IGNORECASE,
)
WHERE_TO_CLICK = re.compile(
    r"https?:|www\.|[^\s<>]@[^\s<>]|\b(?:click|klick\w*|clic|clique|clicca|klik\w*|kliknij|link|reply with|hier"
    r"|ici|aquí)\b|点击|こちら|нажмите",
    re.IGNORECASE,
)
# a footer's link works
NOT_WORKING = re.compile(
    r"\b(?:does not|did not|is not|no longer works?|missing|broken|dead|doesn['’]t|didn['’]t|funktioniert|fehlt"
    r"|kaputt|ne marche|ne fonctionne|no funciona"
    r"|não funciona|non funziona|werkt niet|nie działa|fungerar inte|virker ikke|ei toimi|не работает)\b"
    r"|无效|無效|失效|使えない",
    re.IGNORECASE,
)
# disclaimers do not speak of themselves; "I" is no word of theirs, and "i" is one in other languages
FIRST_PERSON = re.compile(
    r"\b(?:(?-i:I)|my|mine|ich|mein\w*|yo|je|mon(?![,.]|\s\d)|mes|io|mio|mia|meu|minha|ik|mijn|mój|moje\w*|jag|min"
    r"|mitt|jeg"
    r"|minä|minun|я|мой|мои|мне)\b|我|私",
    re.IGNORECASE,
)
