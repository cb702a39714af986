#!/usr/bin/env python3
"""Writes ListsFixtures.swift: a provider of lists, who signs for it, and who must not.

    python Tests/Unit/MdocTests/make_lists.py > Tests/Unit/MdocTests/ListsFixtures.swift

Needs PyPI `cryptography`. Every run makes new keys. The roots that are listed are those of make_documents.py.
"""
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from make_documents import DAY, NOW, SIGNING, certificate, der, name, pem, usage

LISTING = x509.ObjectIdentifier("1.0.18013.5.1.8")


def authority(key, subject, issuer=None, signer=None, length=1):
    return certificate(subject, issuer or subject, key, signer or key, NOW - 900 * DAY, NOW + 3000 * DAY, [
        (x509.BasicConstraints(True, length), True), (usage("key_cert_sign", "crl_sign"), True),
        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)])


def list_signer(key, issuer, issuer_key, use=("content_commitment",), usages=(LISTING,), end=NOW + 300 * DAY):
    extensions = [(usage(*use), True), (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)]
    if usages:
        extensions.append((x509.ExtendedKeyUsage(usages), True))
    return certificate(name("Test VICAL"), issuer, key, issuer_key, NOW - 90 * DAY, end, extensions)


def main():
    root_key, middle_key, signer_key, other_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(4))
    root, middle = name("Test VICAL Root"), name("Test VICAL Intermediate")
    octets = {
        "provider": authority(root_key, root),
        "intermediate": authority(middle_key, middle, root, root_key, 0),
        # Its name, and another key.
        "providerOfSameName": authority(other_key, root),
        "signer": list_signer(signer_key, root, root_key),
        "signerBelow": list_signer(signer_key, middle, middle_key),
        "signerOfItself": list_signer(signer_key, name("Test VICAL"), signer_key),
        "signerOver": list_signer(signer_key, root, root_key, end=NOW - DAY),
        "signerOfDocuments": list_signer(signer_key, root, root_key, usages=(SIGNING,)),
        "signerOfAnything": list_signer(signer_key, root, root_key, usages=()),
        "signerOfMessages": list_signer(signer_key, root, root_key, ("digital_signature",)),
    }
    print("/// Made by make_lists.py: nothing here is a secret, and nobody trusts it.")
    print("enum ListsFixtures {")
    for label, key in (("signerKey", signer_key), ("otherKey", other_key)):
        print(f'    static let {label} = """\n        ' + pem(key).strip().replace("\n", "\n        ") + '\n        """')
    for label, value in octets.items():
        text = der(value).hex()
        lines = [text[start:start + 120] for start in range(0, len(text), 120)]
        print(f'    static let {label} = """\n        ' + "\n        ".join(lines) + '\n        """')
    print("}")


if __name__ == "__main__":
    main()
