"""Signed mails, which are read, and encrypted ones, which are not."""

from __future__ import annotations

from tests.service.intake.builder import case, mail, multi, part
from tests.service.intake.cases_structure import FEE, HTML, TEXT

SIGNATURE = part(b"x", 'application/pgp-signature; name="signature.asc"')
DATA_OID = "06092a864886f70d010701"
SIGNED_CMS = (  # of indefinite lengths, the content in two pieces, as OpenSSL streams it
    bytes.fromhex(f"308006092a864886f70d010702a0803080020101310f300d060960864801650304020105003080{DATA_OID}a0802480")
    + b"\x04\x10"
    + TEXT[:16]
    + b"\x04"
    + bytes([len(TEXT) - 16])
    + TEXT[16:]
    + bytes(6)
    + bytes.fromhex("a0803003020100")
    + bytes(20)
)
SIGNED_EMPTY = bytes.fromhex("308006092a864886f70d010702a080") + b"x" * 40
ENVELOPED_CMS = bytes.fromhex("308006092a864886f70d010703a080") + b"x" * 40
CLEAR_SIGNED = f"""-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA256

{FEE}
- -- 
Mina
-----BEGIN PGP SIGNATURE-----

iQEzBAEB
-----END PGP SIGNATURE-----
"""  # noqa: W291

CASES = [
    case(
        "PGP/MIME signed",
        mail(multi("signed", TEXT, SIGNATURE, parameters="; protocol=application/pgp-signature")),
        text=FEE,
        encrypted=False,
        attached=[("signature.asc", "application/pgp-signature")],
        note="signed: ",
    ),
    case(
        "S/MIME signed",
        mail(
            multi(
                "signed",
                multi("alternative", TEXT, HTML, boundary="b2"),
                part(b"x", 'application/pkcs7-signature; name="smime.p7s"', encoding="base64"),
            )
        ),
        text=FEE,
        encrypted=False,
    ),
    case(
        "PGP/MIME encrypted",
        mail(
            multi(
                "encrypted",
                part("Version: 1", "application/pgp-encrypted"),
                part("-----BEGIN PGP MESSAGE-----", "application/octet-stream"),
            )
        ),
        text=None,
        encrypted=True,
    ),
    case(
        "S/MIME enveloped",
        mail(part(ENVELOPED_CMS, "application/pkcs7-mime; smime-type=enveloped-data", encoding="base64")),
        text=None,
        encrypted=True,
    ),
    case(
        "S/MIME enveloped without its type",
        mail(part(ENVELOPED_CMS, 'application/x-pkcs7-mime; name="smime.p7m"', encoding="base64")),
        text=None,
        encrypted=True,
    ),
    case(
        "S/MIME signed in an envelope",
        mail(part(SIGNED_CMS, 'application/pkcs7-mime; name="smime.p7m"', encoding="base64")),
        text=FEE,
        encrypted=False,
        note="signed: S/MIME",
        attached=[("smime.p7m", "application/pkcs7-mime")],
    ),
    case(
        "S/MIME signed in a broken envelope",
        mail(part(SIGNED_EMPTY, "application/pkcs7-mime", encoding="base64")),
        text=None,
        encrypted=False,
        note="signed: the S/MIME envelope cannot",
    ),
    case("PGP clear-signed", mail(part(CLEAR_SIGNED)), text=f"{FEE}\n-- \nMina", encrypted=False),
    case(
        "PGP message in the text",
        mail(part("-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----")),
        encrypted=True,
    ),
]
