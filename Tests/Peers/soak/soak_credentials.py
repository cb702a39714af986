"""What the visitors of a soak carry: a few small credentials of every form, signed once, and what must not pass, each for one reason."""
import json
import time
from dataclasses import dataclass
from pathlib import Path

import linked_issuer
import wallet as w
from cwt_issuer import CWTIssuer, altered
from issuer import ALGORITHMS, Issuer, trust_entry, with_claim_changed, with_disclosure_changed, with_extra_disclosure, with_signature_flipped, wrap
from linked_issuer import LinkedIssuer
from status_lists import token_jwt, write_lists

URL = "https://issuer.demo.gatehouse.example/status/1"
REVOKED, GOOD = 7, 9
SUITES = ("ecdsa-rdfc-2019 ES256", "RsaSignature2018 PS256", "eddsa-jcs-2022 EdDSA")
PORTRAIT = 900
STRANGER = "https://stranger.demo.gatehouse.example"
CREDENTIAL_LIES = ("tampered", "unknown issuer", "revoked", "expired")


@dataclass(frozen=True)
class Payload:
    """What a wallet sends, compressed, and the reason a gate has to reject it: none for a genuine credential."""
    packed: bytes
    reason: str = ""


class Credentials:
    def __init__(self, folder: Path) -> None:
        self.genuine: list[Payload] = []
        self.lies: dict[str, list[Payload]] = {name: [] for name in CREDENTIAL_LIES}
        linked = [LinkedIssuer(suite, name=f"did:web:{index}.demo.gatehouse.example") for index, suite in enumerate(SUITES)]
        self.trust = linked_issuer.write_trust(folder, *linked)
        for algorithm in ALGORITHMS:
            self.add_texts(Issuer(algorithm, f"https://{algorithm.lower()}.demo.gatehouse.example"))
        for issuer in linked:
            self.add_documents(issuer)
        self.add_tokens(CWTIssuer("ES256"))

    def believe(self, name: str, entry: dict) -> None:
        (self.trust / f"{name}.json").write_text(json.dumps(entry))

    def add(self, payload: bytes, lie: str = "", reason: str = "") -> None:
        (self.lies[lie] if lie else self.genuine).append(Payload(w.gzip(payload), reason))

    def add_texts(self, issuer: Issuer) -> None:
        """SD-JWT VCs."""
        self.believe(issuer.algorithm, trust_entry(issuer))
        good = issuer.credential(PORTRAIT)
        self.add(wrap(good))
        for change, reason in ((with_claim_changed, "signature-invalid"), (with_signature_flipped, "signature-invalid"),
                               (with_disclosure_changed, "disclosure-unreferenced"), (with_extra_disclosure, "disclosure-unreferenced")):
            self.add(wrap(change(good)), "tampered", reason)
        self.add(wrap(Issuer(issuer.algorithm, STRANGER).credential(PORTRAIT)), "unknown issuer", "issuer-unknown")
        self.add(wrap(Issuer(issuer.algorithm, issuer.name).credential(PORTRAIT)), "unknown issuer", "key-unknown")
        self.add(wrap(issuer.credential(PORTRAIT, issued=-60, expires=-1)), "expired", "expired")
        if issuer.algorithm == "ES256":
            write_lists(self.trust, {URL: token_jwt(issuer, URL, {REVOKED: 1})}, int(time.time()) - 3600)
            status = {index: issuer.credential(PORTRAIT, status={"status_list": {"idx": index, "uri": URL}}) for index in (GOOD, REVOKED)}
            self.add(wrap(status[GOOD]))
            self.add(wrap(status[REVOKED]), "revoked", "revoked")

    def add_documents(self, issuer: LinkedIssuer) -> None:
        """JSON-LD credentials."""
        good = issuer.credential(PORTRAIT)
        self.add(wrap(good, "ldp_vc"))
        forged = {**good, "credentialSubject": {**good["credentialSubject"], "givenName": "Mallory"}}
        self.add(wrap(forged, "ldp_vc"), "tampered", "signature-invalid")
        stranger = LinkedIssuer(f"{issuer.suite.name} {issuer.algorithm}", name="did:web:stranger.demo.gatehouse.example")
        self.add(wrap(stranger.credential(PORTRAIT), "ldp_vc"), "unknown issuer", "issuer-unknown")
        self.add(wrap(issuer.credential(PORTRAIT, issued=-60, expires=-1), "ldp_vc"), "expired", "expired")

    def add_tokens(self, issuer: CWTIssuer) -> None:
        """CBOR web tokens with identity data."""
        self.believe("tokens", issuer.trust())
        good = issuer.token(PORTRAIT)
        self.add(wrap(good.hex(), "cwt_vc"))
        self.add(wrap(altered(good, 3, 5).hex(), "cwt_vc"), "tampered", "signature-invalid")
        self.add(wrap(CWTIssuer(issuer.algorithm, STRANGER).token(PORTRAIT).hex(), "cwt_vc"), "unknown issuer", "issuer-unknown")
        self.add(wrap(issuer.token(PORTRAIT, issued=-60, expires=-1).hex(), "cwt_vc"), "expired", "expired")
