"""A phone's documents and its side of a session of ISO/IEC 18013-5, with their issuer; honest or not. No radio is in it: that is mdoc_phone.py's.

It shares no code with the gate: it makes an IACA root, a document signer, a driving licence with a portrait and an engagement, answers the octets of SessionEstablishment and SessionData, and cuts messages into fragments. Everything that a
verifier has to find out is a fault with a name (`FAULTS`), beside it what a verifier says.
"""
import base64
import datetime as dt
import hashlib
import hmac
import os
import struct
import uuid as _uuid
import zlib

import cbor2
from cbor2 import CBORTag
from cryptography import x509
from cryptography.x509.oid import NameOID, ObjectIdentifier
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, x25519, utils as asym_utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MDL, NS, NS_AAMVA = 'org.iso.18013.5.1.mDL', 'org.iso.18013.5.1', 'org.iso.18013.5.1.aamva'
CURVES = {'P-256': (ec.SECP256R1, 1, -7, hashes.SHA256), 'P-384': (ec.SECP384R1, 2, -35, hashes.SHA384),
          'P-521': (ec.SECP521R1, 3, -36, hashes.SHA512), 'bp256': (ec.BrainpoolP256R1, 256, -7, hashes.SHA256),
          'bp384': (ec.BrainpoolP384R1, 258, -35, hashes.SHA384), 'bp512': (ec.BrainpoolP512R1, 259, -36, hashes.SHA512)}

# name -> (what is wrong, MATTR reason.type expected from a correct reader; None = must verify)
FAULTS = {
    'expired': ('MSO validUntil in the past', 'MobileCredentialExpired'),
    'not_yet_valid': ('MSO validFrom in the future', 'MobileCredentialNotYetValid'),
    'iaca_expired': ('IACA notAfter in the past', 'TrustedIssuerCertificateExpired'),
    'iaca_not_yet_valid': ('IACA notBefore in the future', 'TrustedIssuerCertificateNotYetValid'),
    'ds_expired': ('DS notAfter in the past', 'InvalidSignerCertificate'),
    'ds_not_yet_valid': ('DS notBefore in the future', 'InvalidSignerCertificate'),
    'ds_wrong_eku': ('DS EKU is mdocReaderAuth', 'InvalidSignerCertificate'),
    'ds_no_eku': ('DS without EKU', 'InvalidSignerCertificate'),
    'ds_wrong_ku': ('DS keyUsage keyAgreement', 'InvalidSignerCertificate'),
    'ds_country': ('DS countryName differs from IACA', 'InvalidSignerCertificate'),
    'ds_state': ('DS stateOrProvince differs from IACA', 'InvalidSignerCertificate'),
    'ds_no_cn': ('DS without commonName', 'InvalidSignerCertificate'),
    'ds_bad_sig': ('DS signature corrupted; a verifier cannot tell it from lookalike_iaca', 'MobileCredentialInvalid'),
    'ds_garbage': ('x5chain[0] is not DER', 'InvalidSignerCertificate'),
    'untrusted_iaca': ('DS issued by an unknown root', 'MobileCredentialInvalid'),
    'lookalike_iaca': ('unknown root with the very same subject and SKI', 'MobileCredentialInvalid'),
    'no_x5chain': ('issuerAuth without x5chain', 'MobileCredentialInvalid'),
    'issuer_sig': ('issuerAuth signature bit flipped', 'MobileCredentialInvalid'),
    'tampered_value': ('family_name changed after signing', 'MobileCredentialInvalid'),
    'tampered_portrait': ('portrait replaced after signing', 'MobileCredentialInvalid'),
    'swapped_digest_id': ('two items exchange digestID', 'MobileCredentialInvalid'),
    'missing_digest': ('digest of one disclosed item absent from MSO', 'MobileCredentialInvalid'),
    'item_in_wrong_ns': ('ISO item presented under another namespace', 'MobileCredentialInvalid'),
    'doctype_mismatch': ('Document.docType differs from MSO.docType', 'MobileCredentialInvalid'),
    'unrequested_doctype': ('a well-formed document of a docType nobody asked for', 'MobileCredentialInvalid'),
    'wrong_device_key': ('deviceAuth made with a key that is not in the MSO', 'MobileCredentialInvalid'),
    'wrong_transcript': ('deviceAuth over another session transcript (relay/replay)', 'MobileCredentialInvalid'),
    'device_alg_none': ('deviceSignature protected header without alg', 'MobileCredentialInvalid'),
    'no_device_auth': ('deviceAuth map empty', 'MobileCredentialInvalid'),
    'embedded_payload': ('deviceSignature carries a payload of other bytes', 'MobileCredentialInvalid'),
    'device_ns_unauthorised': ('device-signed element without keyAuthorizations', 'DeviceKeyInvalid'),
    'device_ns_authorised': ('device-signed element that keyAuthorizations allow', None),
    'device_key_malformed': ('MSO deviceKey point not on the curve', 'DeviceKeyInvalid'),
    'wrong_curve': ('DS key on brainpoolP256r1', 'UnsupportedCurve'),
    'ed25519_device': ('device key Ed25519 (OKP)', 'UnsupportedCurve'),
    'bp_device': ('device key on brainpoolP256r1', 'UnsupportedCurve'),
    'digest_alg': ('MSO digestAlgorithm "SHA-1"', 'MobileCredentialInvalid'),
    'status_ref': ('MSO has a status_list reference; result depends on the list', None),
    'element_errors': ('one element in errors instead of nameSpaces', None),
    'document_error': ('documentErrors only, no documents', None),
    'response_status_10': ('DeviceResponse.status 10', None),
    'response_status_11': ('DeviceResponse.status 11', None),
    'response_status_12': ('DeviceResponse.status 12', None),
    'terminate_with_response': ('SessionData carries data and status 20', None),
    'terminate_only': ('SessionData status 20, no data', None),
    'session_status_10': ('SessionData status 10 (session encryption error)', None),
    'session_status_11': ('SessionData status 11 (CBOR decoding error)', None),
    'aead_tamper': ('ciphertext bit flipped', None),
    'wrong_counter': ('first message encrypted with counter 2', None),
    'wrong_iv_id': ('reader IV identifier used by the device', None),
    'garbage': ('SessionData is not CBOR', None),
    'no_answer': ('never answers', None),
    'fat_encoding': ('non-minimal lengths and indefinite maps wherever the signature allows', None),
    'multi_chain': ('x5chain is an array [DS, IACA]', None),
    'tagged_cose': ('COSE structures carry tags 18/17', None),
    'extra_keys': ('unknown keys in every map (RFU)', None),
    'sha384': ('MSO digestAlgorithm SHA-384', None), 'sha512': ('MSO digestAlgorithm SHA-512', None),
    'wrong_mac': ('deviceMac tag bit flipped (use with mac=True)', 'MobileCredentialInvalid'),
    'mac_wrong_alg': ('deviceMac protected alg is HMAC 256/64 (4)', 'MobileCredentialInvalid'),
    'device_sig': ('deviceSignature bit flipped', 'MobileCredentialInvalid'),
    'both_device_auths': ('deviceAuth has deviceSignature and deviceMac', 'MobileCredentialInvalid'),
    'wrong_digests': ('every digest in the MSO is of other bytes', 'MobileCredentialInvalid'),
    'digest_wrong_ns': ('the digests stand under another namespace', 'MobileCredentialInvalid'),
    'short_random': ('random of each item is 8 bytes (issuers must use >= 16); digests are right: a warning', None),
    'duplicate_element': ('family_name twice, both covered by digests, values differ', 'MobileCredentialInvalid'),
    'duplicate_digest_id': ('two items carry the same digestID', 'MobileCredentialInvalid'),
    'mso_version_2': ('MSO version "2.0"', 'MobileCredentialInvalid'),
    'mso_untagged': ('issuerAuth payload is the MSO map, not #6.24(bstr)', 'MobileCredentialInvalid'),
    'no_validity': ('MSO without validityInfo', 'MobileCredentialInvalid'),
    'bad_date': ('validUntil is not a date', 'MobileCredentialInvalid'),
    'signed_outside_ds': ('MSO signed before the DS became valid', 'MobileCredentialInvalid'),
    'issuer_alg_none': ('issuerAuth protected header without alg', 'MobileCredentialInvalid'),
    'issuer_alg_mismatch': ('issuerAuth alg -35 with a P-256 DS key', 'MobileCredentialInvalid'),
    'duplicate_map_key': ('DeviceResponse has the key "documents" twice: the response is undecodable', None),
    'extra_document': ('the same docType twice: the second one is surplus', None),
    'ds_is_iaca': ('MSO signed by the root itself, x5chain = [IACA]', 'InvalidSignerCertificate'),
    'ds_extra_eku': ('DS EKU is mdocDS and serverAuth', 'InvalidSignerCertificate'),
    'ds_no_country': ('DS without countryName', 'InvalidSignerCertificate'),
    'ds_two_countries': ('DS with two countryName', 'InvalidSignerCertificate'),
    'ds_state_missing': ('DS without stateOrProvince while the IACA has one', 'InvalidSignerCertificate'),
    'ds_unknown_critical': ('DS with an unknown critical extension', 'InvalidSignerCertificate'),
    'ds_ca': ('DS with basicConstraints CA true', 'InvalidSignerCertificate'),
    'iaca_not_ca': ('the root lacks basicConstraints CA: refused when it is imported as an anchor', None),
    'intermediate': ('DS issued by an intermediate CA below the IACA, chain complete', 'MobileCredentialInvalid'),
    'key_auth_element_ok': ('device-signed element that keyAuthorizations.dataElements name', None),
    'key_auth_other_element': ('keyAuthorizations.dataElements name another element', 'DeviceKeyInvalid'),
    'empty_response': ('status 0, neither documents nor errors: consent refused', None),
    'p384': ('IACA and DS on P-384', None), 'p521': ('IACA and DS on P-521', None),
    'p384_device': ('device key on P-384 (ES384)', None),
    'jp2_portrait': ('portrait is a JPEG 2000 signature box + codestream stub', None),
    'big_portrait': ('40 kB portrait (many fragments)', None),
}

ALIASES = {'expired_mso': 'expired', 'other_iaca': 'untrusted_iaca', 'tampered': 'tampered_value', 'refuse': 'empty_response'}

# ------------------------------------------------------------------ small helpers
def enc(o): return cbor2.dumps(o)
def t24(o): return CBORTag(24, o if isinstance(o, bytes) else enc(o))
def b64u(b): return base64.urlsafe_b64encode(b).rstrip(b'=').decode()
def hkdf(ikm, salt, info, n): return HKDF(hashes.SHA256(), n, salt, info).derive(ikm)
def cose_key(pub, extra=None):
    if isinstance(pub, x25519.X25519PublicKey):
        return {1: 1, -1: 4, -2: pub.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)}
    if isinstance(pub, ed25519.Ed25519PublicKey):
        return {1: 1, -1: 6, -2: pub.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)}
    n = pub.public_numbers(); w = (pub.curve.key_size + 7) // 8
    crv = next(c[1] for c in CURVES.values() if c[0] is type(pub.curve))
    return {1: 2, -1: crv, -2: n.x.to_bytes(w, 'big'), -3: n.y.to_bytes(w, 'big')}
def pub_from_cose(m):
    c = next(c[0] for c in CURVES.values() if c[1] == m[-1])
    y = m[-3]
    pt = (bytes([2 + int(y)]) + m[-2]) if isinstance(y, bool) else b'\x04' + m[-2] + y
    return ec.EllipticCurvePublicKey.from_encoded_point(c(), pt)
def alg_of(key):
    if isinstance(key, ed25519.Ed25519PrivateKey): return -8
    return next(c[2] for c in CURVES.values() if c[0] is type(key.curve))
def raw_sign(key, msg):
    if isinstance(key, ed25519.Ed25519PrivateKey): return key.sign(msg)
    h = next(c[3] for c in CURVES.values() if c[0] is type(key.curve)); w = (key.curve.key_size + 7) // 8
    r, s = asym_utils.decode_dss_signature(key.sign(msg, ec.ECDSA(h())))
    return r.to_bytes(w, 'big') + s.to_bytes(w, 'big')
def sign1(key, payload, unprotected=None, detached=None, tag=False, prot=None):
    """detached: bytes to be signed when payload is None"""
    prot = enc({1: alg_of(key)}) if prot is None else prot
    tbs = enc(['Signature1', prot, b'', payload if detached is None else detached])
    a = [prot, unprotected or {}, payload, raw_sign(key, tbs)]
    return CBORTag(18, a) if tag else a
def utc(y): return y.strftime('%Y-%m-%dT%H:%M:%SZ')
def tdate(d): return CBORTag(0, utc(d))
def fulldate(s): return CBORTag(1004, s)

def tiny_jpeg(w=128, h=160, f=lambda x, y: int(255 * (x + y) / 40) & 255):
    """Baseline greyscale JPEG of flat 8x8 blocks; f(bx,by) -> 0..255. No imaging library needed."""
    dc = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]; dcv = list(range(12))
    codes = {}; code = 0; k = 0
    for ln, n in enumerate(dc, 1):
        for _ in range(n): codes[dcv[k]] = (code, ln); code += 1; k += 1
        code <<= 1
    acc = 0; nb = 0; out = bytearray()
    def put(v, n):
        nonlocal acc, nb
        acc = (acc << n) | v; nb += n
        while nb >= 8:
            b = (acc >> (nb - 8)) & 255; out.append(b); nb -= 8
            if b == 255: out.append(0)
            acc &= (1 << nb) - 1
    pred = 0
    for by in range(h // 8):
        for bx in range(w // 8):
            v = f(bx, by) - 128; d = v - pred; pred = v       # quantiser 8 => DC = mean
            s = abs(d).bit_length(); c, n = codes[s]; put(c, n)
            if s: put(d if d > 0 else d + (1 << s) - 1, s)
            put(0, 1)                                          # EOB: one-symbol AC table, code '0'
    if nb: put((1 << (8 - nb)) - 1, 8 - nb)
    seg = lambda m, d: bytes([255, m]) + struct.pack('>H', len(d) + 2) + d
    return (b'\xff\xd8' + seg(0xe0, b'JFIF\0\1\1\0\0\1\0\1\0\0') + seg(0xdb, b'\0' + bytes([8] * 64))
            + seg(0xc0, struct.pack('>BHHB', 8, h, w, 1) + bytes([1, 0x11, 0]))
            + seg(0xc4, b'\0' + bytes(dc) + bytes(dcv)) + seg(0xc4, b'\x10' + bytes([1] + [0] * 15) + b'\0')
            + seg(0xda, bytes([1, 1, 0, 0, 63, 0])) + bytes(out) + b'\xff\xd9')

# ------------------------------------------------------------------ issuer
class Issuer:
    """IACA root + DS per Annex B, faults applied on demand. now = the instant the whole scene is built for."""
    def __init__(self, now=None, faults=(), country='UT', state='US-XX', org='Utopia DMV'):
        self.faults = set(faults); f = self.faults
        self.now = (now or dt.datetime.now(dt.timezone.utc)).replace(microsecond=0)
        self.curve = 'P-384' if 'p384' in f else 'P-521' if 'p521' in f else 'P-256'
        c = CURVES[self.curve][0]
        D = lambda n: dt.timedelta(days=n); now = self.now
        self.iaca_key = ec.generate_private_key(c())
        a, b = now - D(1000), now + D(3000)
        if 'iaca_expired' in f: a, b = now - D(3000), now - D(1)
        if 'iaca_not_yet_valid' in f: a, b = now + D(1), now + D(3000)
        self.iaca = self._iaca(self.iaca_key, a, b, country, state, org)
        signer, signer_cert = self.iaca_key, self.iaca
        if f & {'untrusted_iaca', 'lookalike_iaca'}:
            signer = ec.generate_private_key(c())
            signer_cert = self._iaca(signer, a, b, country, state, org if 'lookalike_iaca' in f else 'Elsewhere',
                                     ski=self._ski(self.iaca_key) if 'lookalike_iaca' in f else None)
        if 'intermediate' in f:
            mid = ec.generate_private_key(c())
            nm = x509.Name(list(self.iaca.subject)[:-1] + [x509.NameAttribute(NameOID.COMMON_NAME, 'Utopia sub CA')])
            signer_cert = (x509.CertificateBuilder().subject_name(nm).issuer_name(self.iaca.subject).public_key(mid.public_key()).serial_number(x509.random_serial_number())
                           .not_valid_before(a).not_valid_after(b).add_extension(x509.SubjectKeyIdentifier(self._ski(mid)), False)
                           .add_extension(x509.KeyUsage(False, False, False, False, False, True, True, False, False), True)
                           .add_extension(x509.BasicConstraints(True, 0), True).sign(self.iaca_key, CURVES[self.curve][3]()))
            signer = mid; self.intermediate_der = signer_cert.public_bytes(serialization.Encoding.DER)
        self.ds_issuer = signer_cert
        self.ds_key = ec.generate_private_key(CURVES['bp256'][0]() if 'wrong_curve' in f else c())
        a, b = now - D(30), now + D(400)
        if 'ds_expired' in f: a, b = now - D(400), now - D(1)
        if 'ds_not_yet_valid' in f: a, b = now + D(1), now + D(400)
        dsc = 'XX' if 'ds_country' in f else country; dss = 'US-YY' if 'ds_state' in f else state
        sub = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, org)]
        if dss and 'ds_state_missing' not in f: sub.insert(0, x509.NameAttribute(NameOID.STATE_OR_PROVINCE_NAME, dss))
        if 'ds_no_country' not in f: sub.insert(0, x509.NameAttribute(NameOID.COUNTRY_NAME, dsc))
        if 'ds_two_countries' in f: sub.insert(1, x509.NameAttribute(NameOID.COUNTRY_NAME, 'ZZ'))
        if 'ds_no_cn' not in f: sub.append(x509.NameAttribute(NameOID.COMMON_NAME, 'Utopia DS 1'))
        ku = dict(digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
                  key_agreement=False, key_cert_sign=False, crl_sign=False, encipher_only=False, decipher_only=False)
        if 'ds_wrong_ku' in f: ku.update(digital_signature=False, key_agreement=True)
        bld = (x509.CertificateBuilder().subject_name(x509.Name(sub)).issuer_name(signer_cert.subject)
               .public_key(self.ds_key.public_key()).serial_number(x509.random_serial_number())
               .not_valid_before(a).not_valid_after(b)
               .add_extension(x509.AuthorityKeyIdentifier(signer_cert.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest, None, None), False)
               .add_extension(x509.SubjectKeyIdentifier.from_public_key(self.ds_key.public_key()), False)
               .add_extension(x509.KeyUsage(**ku), True)
               .add_extension(x509.IssuerAlternativeName([x509.UniformResourceIdentifier('https://dmv.utopia.example')]), False)
               .add_extension(x509.CRLDistributionPoints([x509.DistributionPoint([x509.UniformResourceIdentifier('https://dmv.utopia.example/iaca.crl')], None, None, None)]), False))
        if 'ds_no_eku' not in f:
            oid = '1.0.18013.5.1.6' if 'ds_wrong_eku' in f else '1.0.18013.5.1.2'
            ekus = [ObjectIdentifier(oid)] + ([ObjectIdentifier('1.3.6.1.5.5.7.3.1')] if 'ds_extra_eku' in f else [])
            bld = bld.add_extension(x509.ExtendedKeyUsage(ekus), True)
        if 'ds_unknown_critical' in f: bld = bld.add_extension(x509.UnrecognizedExtension(ObjectIdentifier('1.2.3.4.5'), b'\x05\x00'), True)
        if 'ds_ca' in f: bld = bld.add_extension(x509.BasicConstraints(True, 0), True)
        self.ds = bld.sign(signer, CURVES[self.curve][3]())
        d = self.ds.public_bytes(serialization.Encoding.DER)
        if 'ds_bad_sig' in f: d = d[:-1] + bytes([d[-1] ^ 1])
        if 'ds_garbage' in f: d = b'not a certificate'
        if 'ds_is_iaca' in f: self.ds, self.ds_key = self.iaca, self.iaca_key; d = self.iaca.public_bytes(serialization.Encoding.DER)
        self.ds_der = d; self.iaca_der = self.iaca.public_bytes(serialization.Encoding.DER)
    @staticmethod
    def _ski(key): return x509.SubjectKeyIdentifier.from_public_key(key.public_key()).digest
    def _iaca(self, key, a, b, country, state, org, ski=None):
        n = x509.Name([x509.NameAttribute(NameOID.COUNTRY_NAME, country)] + ([x509.NameAttribute(NameOID.STATE_OR_PROVINCE_NAME, state)] if state else []) +
                      [x509.NameAttribute(NameOID.ORGANIZATION_NAME, org), x509.NameAttribute(NameOID.COMMON_NAME, 'Utopia IACA')])
        return (x509.CertificateBuilder().subject_name(n).issuer_name(n).public_key(key.public_key())
                .serial_number(x509.random_serial_number()).not_valid_before(a).not_valid_after(b)
                .add_extension(x509.SubjectKeyIdentifier(ski or self._ski(key)), False)
                .add_extension(x509.KeyUsage(False, False, False, False, False, True, True, False, False), True)
                .add_extension(x509.IssuerAlternativeName([x509.UniformResourceIdentifier('https://dmv.utopia.example')]), False)
                .add_extension(x509.BasicConstraints('iaca_not_ca' not in self.faults, None if 'iaca_not_ca' in self.faults else 0), True)
                .add_extension(x509.CRLDistributionPoints([x509.DistributionPoint([x509.UniformResourceIdentifier('https://dmv.utopia.example/root.crl')], None, None, None)]), False)
                .sign(key, CURVES[self.curve][3]()))
    def issue(self, device_pub, doctype=MDL, namespaces=None, status=None, key_auth=None, device_key_map=None, style=None):
        """-> {'docType','items':{ns:[CBORTag24...]},'issuerAuth':[...]}"""
        f = self.faults; D = lambda n: dt.timedelta(days=n); now = self.now
        hname = {'sha384': 'SHA-384', 'sha512': 'SHA-512'}.get(next(iter(f & {'sha384', 'sha512'}), ''), 'SHA-256')
        hfun = {'SHA-256': hashlib.sha256, 'SHA-384': hashlib.sha384, 'SHA-512': hashlib.sha512}[hname]
        items = {}; vd = {}
        for ns, els in (namespaces or demo_namespaces()).items():
            items[ns] = []; vd[ns] = {}
            ids = list(range(len(els) + 3)); import random; random.SystemRandom().shuffle(ids)   # decoy digests included
            st = style or {}; big = st.get('digest_id_base', 0)
            ids = [i + big for i in ids]
            pairs = list(els.items())
            if 'duplicate_element' in f and 'family_name' in els: pairs.append(('family_name', 'Second'))
            for (name, val), did in zip(pairs, ids):
                if 'duplicate_digest_id' in f and name == 'given_name': did = ids[0]
                m = {'digestID': did, 'random': os.urandom(8 if 'short_random' in f else st.get('random', 32)), 'elementIdentifier': name, 'elementValue': val}
                if st.get('item_order'): m = {k: m[k] for k in st['item_order']}
                it = CBORTag(24, fat_map(m)) if st.get('fat_items') else t24(m)
                items[ns].append(it); vd[ns][did] = hfun(enc(it)).digest()
            if 'wrong_digests' in f: vd[ns] = {k: hfun(v).digest() for k, v in vd[ns].items()}
            for did in ids[len(pairs):]: vd[ns][did] = os.urandom(hfun().digest_size)
            vd[ns] = dict(sorted(vd[ns].items()))
        if 'missing_digest' in f:
            ns = next(iter(vd)); did = cbor2.loads(items[ns][0].value)['digestID']; del vd[ns][did]
        a, b = now - D(10), now + D(300); signed = a
        if 'expired' in f: a, b = now - D(20), now - D(1); signed = a
        if 'not_yet_valid' in f: a = now + D(1)
        if 'signed_outside_ds' in f: signed = a = now - D(60)
        if 'digest_wrong_ns' in f: vd = {k + '.x': v for k, v in vd.items()}
        dk = device_key_map or cose_key(device_pub)
        dki = {'deviceKey': dk}
        if key_auth: dki['keyAuthorizations'] = key_auth
        mso = {'version': '2.0' if 'mso_version_2' in f else '1.0', 'digestAlgorithm': 'SHA-1' if 'digest_alg' in f else hname, 'valueDigests': vd, 'deviceKeyInfo': dki,
               'docType': doctype + '.other' if 'doctype_mismatch' in f else doctype,
               'validityInfo': {'signed': tdate(signed), 'validFrom': tdate(a), 'validUntil': tdate(b)}}
        if status: mso['status'] = {'status_list': {'idx': status[1], 'uri': status[0]}}
        if 'extra_keys' in f: mso['rfu.example'] = {'x': [1, 2, {'y': b'z'}]}
        if 'no_validity' in f: del mso['validityInfo']
        if 'bad_date' in f: mso['validityInfo']['validUntil'] = CBORTag(0, 'tomorrow')
        chain = [self.ds_der, self.iaca_der] if 'multi_chain' in f else self.ds_der
        if 'intermediate' in f: chain = [self.ds_der, self.intermediate_der]
        if (style or {}).get('chain_array'): chain = [self.ds_der]
        unp = {} if 'no_x5chain' in f else {33: chain}
        if 'extra_keys' in f: unp[-70001] = 'rfu'
        pl = enc(mso) if 'mso_untagged' in f else enc(t24(fat_map(mso) if (style or {}).get('fat_mso') else enc(mso)))
        s1 = sign1(self.ds_key, pl, unp, tag='tagged_cose' in f, prot=enc({}) if 'issuer_alg_none' in f else enc({1: -35}) if 'issuer_alg_mismatch' in f else None)
        if 'issuer_sig' in f:
            a_ = s1.value if isinstance(s1, CBORTag) else s1; a_[3] = a_[3][:-1] + bytes([a_[3][-1] ^ 1])
        if 'tampered_value' in f: self._alter(items, 'family_name', 'Mallory')
        if 'tampered_portrait' in f: self._alter(items, 'portrait', tiny_jpeg(128, 160, lambda x, y: 255 - 8 * x))
        if 'swapped_digest_id' in f:
            ns = next(iter(items)); p, q = cbor2.loads(items[ns][0].value), cbor2.loads(items[ns][1].value)
            p, q = dict(p), dict(q); p['digestID'], q['digestID'] = q['digestID'], p['digestID']; items[ns][0], items[ns][1] = t24(p), t24(q)
        return {'docType': doctype, 'items': items, 'issuerAuth': s1}
    @staticmethod
    def _alter(items, name, val):
        for ns in items:
            for i, it in enumerate(items[ns]):
                d = dict(cbor2.loads(it.value))
                if d['elementIdentifier'] == name: d['elementValue'] = val; items[ns][i] = t24(d)
    # ---- material for offline trust: CRL, status list token (CWT), VICAL
    def crl(self, revoked_serials=(), next_days=30):
        b = x509.CertificateRevocationListBuilder().issuer_name(self.iaca.subject).last_update(self.now - dt.timedelta(days=1)).next_update(self.now + dt.timedelta(days=next_days))
        b = b.add_extension(x509.AuthorityKeyIdentifier(self._ski(self.iaca_key), None, None), False).add_extension(x509.CRLNumber(1), False)
        for s in revoked_serials:
            b = b.add_revoked_certificate(x509.RevokedCertificateBuilder().serial_number(s).revocation_date(self.now - dt.timedelta(days=1)).build())
        return b.sign(self.iaca_key, CURVES[self.curve][3]()).public_bytes(serialization.Encoding.DER)
    def status_token(self, uri, values, bits=2, ttl=43200, exp_days=1, key=None, x5_protected=True):
        """IETF Token Status List, CWT form: COSE_Sign1 tag 18 over a CWT claims set. 18013-5 second edition 12.3.6.3
        puts x5chain (33) in the PROTECTED header and requires exp; x5_protected=False gives the looser older form."""
        lst = bytearray((len(values) * bits + 7) // 8)
        for i, v in enumerate(values): lst[i * bits // 8] |= v << (i * bits % 8)
        now = int(self.now.timestamp())
        claims = {2: uri, 6: now, 4: now + int(exp_days * 86400), 65534: ttl, 65533: {'bits': bits, 'lst': zlib.compress(bytes(lst), 9)}}
        return self._cwt(claims, 'application/statuslist+cwt', key, x5_protected)
    def identifier_list(self, uri, revoked_ids, exp_days=1, key=None):
        """18013-5 second edition 12.3.6.4: presence of an identifier means revoked; claim 65530, typ claim 16."""
        now = int(self.now.timestamp())
        return self._cwt({2: uri, 6: now, 4: now + int(exp_days * 86400), 16: 'application/identifierlist+cwt',
                          65530: {'identifiers': {bytes(i): {} for i in revoked_ids}}}, 'application/identifierlist+cwt', key, True)
    def _cwt(self, claims, typ, key, x5_protected):
        k = key or self.ds_key
        ph = {1: alg_of(k), 16: typ}
        if x5_protected: ph[33] = self.ds_der
        return enc(CBORTag(18, sign1(k, enc(claims), {} if x5_protected else {33: self.ds_der}, prot=enc(ph))))
    def vical(self, extra=(), doctypes=(MDL,)):
        key = ec.generate_private_key(ec.SECP256R1()); n = x509.Name([x509.NameAttribute(NameOID.COUNTRY_NAME, 'UT'), x509.NameAttribute(NameOID.COMMON_NAME, 'Utopia VICAL')])
        cert = (x509.CertificateBuilder().subject_name(n).issuer_name(n).public_key(key.public_key()).serial_number(x509.random_serial_number())
                .not_valid_before(self.now - dt.timedelta(days=1)).not_valid_after(self.now + dt.timedelta(days=300))
                .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
                .add_extension(x509.KeyUsage(False, True, False, False, False, False, False, False, False), True)
                .add_extension(x509.ExtendedKeyUsage([ObjectIdentifier('1.0.18013.5.1.8')]), True).sign(key, hashes.SHA256()))
        infos = [{'certificate': c.public_bytes(serialization.Encoding.DER), 'serialNumber': CBORTag(2, c.serial_number.to_bytes(20, 'big').lstrip(b'\0')),
                  'ski': c.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest, 'docType': list(doctypes)} for c in (self.iaca, *extra)]
        v = {'version': '1.0', 'vicalProvider': 'Utopia', 'date': tdate(self.now), 'vicalIssueID': 7, 'nextUpdate': tdate(self.now + dt.timedelta(days=30)), 'certificateInfos': infos}
        der = cert.public_bytes(serialization.Encoding.DER)
        return enc(CBORTag(18, sign1(key, enc(v), {33: der}))), der

def demo_namespaces(portrait=None, birth='1990-05-17'):
    pr = portrait or tiny_jpeg()
    return {NS: {'family_name': 'Müster', 'given_name': 'Änna', 'birth_date': fulldate(birth), 'issue_date': fulldate('2024-01-02'),
                 'expiry_date': fulldate('2033-01-02'), 'issuing_country': 'UT', 'issuing_authority': 'Utopia DMV', 'document_number': 'UT-1234567',
                 'portrait': pr, 'driving_privileges': [{'vehicle_category_code': 'B', 'issue_date': fulldate('2010-01-02'), 'expiry_date': fulldate('2033-01-02')},
                                                        {'vehicle_category_code': 'A', 'codes': [{'code': 'S01', 'sign': '<=', 'value': '2500'}]}],
                 'un_distinguishing_sign': 'UTO', 'age_over_18': True, 'age_over_21': True, 'age_over_65': False, 'sex': 2, 'height': 171,
                 'portrait_capture_date': CBORTag(0, '2023-12-01T10:00:00Z')},
            NS_AAMVA: {'DHS_compliance': 'F', 'EDL_credential': 1}}

# ------------------------------------------------------------------ holder
class Holder:
    def __init__(self, issuer=None, faults=(), mac=False, mode='central', portrait=None, now=None, uuid=None, addr=None, psm=None,
                 status=None, engagement_version='1.0', terminate=False, extra_docs=(), session_curve='P-256', device_curve=None,
                 peripheral_uuid=None, split=False, style=None, namespaces=None, doctype=MDL, response_version='1.0'):
        self.faults = {ALIASES.get(x, x) for x in faults}; f = self.faults
        bad = f - set(FAULTS)
        if bad: raise ValueError('unknown fault %s' % bad)
        self.issuer = issuer or Issuer(now, f)
        self.mac, self.mode = mac, mode
        self.peripheral_uuid, self.split, self.response_version = peripheral_uuid, split, response_version
        self.uuid = uuid or _uuid.uuid4().bytes; self.addr, self.psm, self.ver = addr, psm, engagement_version
        dc = CURVES[device_curve][0]() if device_curve else ec.SECP384R1() if 'p384_device' in f else ec.BrainpoolP256R1() if 'bp_device' in f else ec.SECP256R1()
        self.dkey = ed25519.Ed25519PrivateKey.generate() if 'ed25519_device' in f else ec.generate_private_key(dc)
        if 'big_portrait' in f: portrait = tiny_jpeg(1200, 1440, lambda x, y: (x * 37 ^ y * 91) & 255)
        if 'jp2_portrait' in f: portrait = bytes.fromhex('0000000c6a5020200d0a870a') + bytes.fromhex('00000014667479706a703220000000006a703220') + b'\xff\x4f\xff\x51'
        kmap = None
        if 'device_key_malformed' in f:
            kmap = cose_key(self.dkey.public_key()); kmap[-3] = bytes([kmap[-3][0] ^ 1]) + kmap[-3][1:]
        ka = {'nameSpaces': ['org.example.wallet']} if 'device_ns_authorised' in f else None
        if 'key_auth_element_ok' in f: ka = {'dataElements': {'org.example.wallet': ['wallet_name', 'other']}}
        if 'key_auth_other_element' in f: ka = {'dataElements': {'org.example.wallet': ['other']}}
        if 'status_ref' in f and status is None: status = ('https://dmv.utopia.example/status/1', 5)
        self.status = status
        self.creds = [self.issuer.issue(self.dkey.public_key(), doctype, namespaces or demo_namespaces(portrait), status=status, key_auth=ka, device_key_map=kmap, style=style)]
        for dtp, nss in extra_docs: self.creds.append(self.issuer.issue(self.dkey.public_key(), dtp, nss, style=style))
        if 'unrequested_doctype' in f:
            self.creds.append(self.issuer.issue(self.dkey.public_key(), 'org.example.other', {'org.example.ns': {'x': 1}}))
        self.ekey = x25519.X25519PrivateKey.generate() if session_curve == 'X25519' else ec.generate_private_key(CURVES[session_curve][0]())
        self.terminate = terminate or 'terminate_with_response' in f
        self.sk_r = self.sk_d = None; self.ctr_in = self.ctr_out = 1
        self.request = None; self.reader_auth = None; self.closed = False; self.decoded_requests = []
    # -- engagement
    def e_device_key_bytes(self): return enc(t24(cose_key(self.ekey.public_key())))
    def engagement(self):
        o = {0: self.mode in ('peripheral', 'both'), 1: self.mode in ('central', 'both')}
        if o[0]: o[10] = self.peripheral_uuid or self.uuid
        if o[1]: o[11] = self.uuid
        if self.addr: o[20] = self.addr
        if self.psm: o[21] = self.psm
        ms = [[2, 1, o]]
        if self.split and self.mode == 'both':      # one entry for each mode, as EUDI's iOS library writes it
            ms = [[2, 1, {0: False, 1: True, 11: o[11]}], [2, 1, {k: v for k, v in {**o, 1: False}.items() if k != 11}]]
        m = {0: self.ver, 1: [1, t24(cose_key(self.ekey.public_key()))], 2: ms}
        if self.ver != '1.0': m[5] = [] ; m[6] = {'rfu': True}
        if 'extra_keys' in self.faults: m[2].append([9, 1, {0: 'unknown transport'}]); m[-9] = 'rfu'
        if not hasattr(self, '_de'): self._de = enc(m)
        return self._de
    def qr(self): return 'mdoc:' + b64u(self.engagement())
    def ident(self): return hkdf(self.e_device_key_bytes(), b'', b'BLEIdent', 16)
    # -- session
    def on_session_establishment(self, data):
        m = cbor2.loads(data); ek = m['eReaderKey']
        if not isinstance(ek, CBORTag) or ek.tag != 24: raise ValueError('eReaderKey is not #6.24')
        # take EReaderKeyBytes as they came, byte for byte
        i = data.index(ek.value); ekb = data[i - (len(enc(CBORTag(24, ek.value))) - len(ek.value)):i] + ek.value
        if cbor2.loads(ekb) != ek: raise ValueError('eReaderKey bytes')
        self.transcript = b'\x83' + enc(CBORTag(24, self.engagement())) + ekb + b'\xf6'
        self.establishment = data
        z = self.ekey.exchange(ec.ECDH(), pub_from_cose(cbor2.loads(ek.value)))
        self.ereader = pub_from_cose(cbor2.loads(ek.value))
        salt = hashlib.sha256(enc(CBORTag(24, self.transcript))).digest()
        self.sk_r, self.sk_d = hkdf(z, salt, b'SKReader', 32), hkdf(z, salt, b'SKDevice', 32)
        return self.on_session_data(data)
    def on_session_data(self, data):
        """-> list of SessionData byte strings to send back (possibly empty)"""
        m = cbor2.loads(data)
        if 'status' in m and 'data' not in m:
            self.closed = True; return []
        pt = AESGCM(self.sk_r).decrypt(b'\0' * 8 + struct.pack('>I', self.ctr_in), m['data'], None); self.ctr_in += 1
        self.request = cbor2.loads(pt)
        self.decoded_requests.append(self.request)
        self.check_reader_auth(pt)
        return self.answer()
    def check_reader_auth(self, pt):
        r = []
        for dr in self.request['docRequests']:
            ra = dr.get('readerAuth')
            if ra is None: r.append(None); continue
            a = ra.value if isinstance(ra, CBORTag) else ra
            prot, unp, pl, sig = a
            ch = unp[33]; der = ch if isinstance(ch, bytes) else ch[0]
            cert = x509.load_der_x509_certificate(der)
            ra_bytes = enc(CBORTag(24, b'\x83' + enc('ReaderAuthentication') + self.transcript + enc(dr['itemsRequest'])))
            w = (cert.public_key().curve.key_size + 7) // 8
            try:
                cert.public_key().verify(asym_utils.encode_dss_signature(int.from_bytes(sig[:w], 'big'), int.from_bytes(sig[w:], 'big')),
                                         enc(['Signature1', prot, b'', ra_bytes]), ec.ECDSA(next(c[3] for c in CURVES.values() if c[2] == cbor2.loads(prot)[1])()))
                eku = [e.dotted_string for e in cert.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value]
                r.append({'ok': pl is None and eku == ['1.0.18013.5.1.6'], 'subject': cert.subject.rfc4514_string(), 'eku': eku})
            except Exception as e: r.append({'ok': False, 'error': repr(e)})
        self.reader_auth = r
    def _document(self, cred, items_request):
        f = self.faults; want = items_request['nameSpaces']; ns_out = {}; errors = {}
        for ns, els in want.items():
            have = {cbor2.loads(i.value)['elementIdentifier']: i for i in cred['items'].get(ns, [])}
            for e in els:
                if 'element_errors' in f and e == 'family_name': errors.setdefault(ns, {})[e] = 0; continue
                if e in have:
                    if have[e] not in ns_out.get(ns, []): ns_out.setdefault(ns, []).append(have[e])
                    if 'duplicate_element' in f: ns_out[ns] += [i for i in cred['items'][ns] if cbor2.loads(i.value)['elementIdentifier'] == e and i not in ns_out[ns]]
                elif e.startswith('age_over_') and ns == NS and have:
                    n = int(e[9:]); known = {int(k[9:]): cbor2.loads(v.value)['elementValue'] for k, v in have.items() if k.startswith('age_over_')}
                    # 7.2.5: nearest TRUE at or above, else nearest FALSE at or below
                    up = sorted(k for k, v in known.items() if v and k >= n); dn = sorted((k for k, v in known.items() if not v and k <= n), reverse=True)
                    k = up[0] if up else dn[0] if dn else None
                    if k is None: errors.setdefault(ns, {})[e] = 0
                    elif have['age_over_%02d' % k] not in ns_out.get(ns, []): ns_out.setdefault(ns, []).append(have['age_over_%02d' % k])
                else: errors.setdefault(ns, {})[e] = 0
        if 'item_in_wrong_ns' in f and NS in ns_out: ns_out = {NS_AAMVA: ns_out[NS]}
        isg = {'issuerAuth': cred['issuerAuth']}
        if ns_out: isg['nameSpaces'] = ns_out
        dns = {'org.example.wallet': {'wallet_name': 'holder.py'}} if f & {'device_ns_unauthorised', 'device_ns_authorised', 'key_auth_element_ok', 'key_auth_other_element'} else {}
        dnsb = t24(dns)
        tr = self.transcript if 'wrong_transcript' not in f else self.transcript[:-1] + b'\xf7'
        da = b'\x84' + enc('DeviceAuthentication') + tr + enc(cred['docType']) + enc(dnsb)
        dab = enc(CBORTag(24, da))
        key = self.dkey
        if 'wrong_device_key' in f: key = ec.generate_private_key(self.dkey.curve)
        if self.mac:
            z = key.exchange(ec.ECDH(), self.ereader)
            mk = hkdf(z, hashlib.sha256(enc(CBORTag(24, self.transcript))).digest(), b'EMacKey', 32)
            prot = enc({1: 4 if 'mac_wrong_alg' in f else 5})
            mac = [prot, {}, None, hmac.new(mk, enc(['MAC0', prot, b'', dab]), 'sha256').digest()]
            if 'wrong_mac' in f: mac[3] = bytes([mac[3][0] ^ 1]) + mac[3][1:]
            dauth = {'deviceMac': CBORTag(17, mac) if 'tagged_cose' in f else mac}
            if 'both_device_auths' in f: dauth['deviceSignature'] = sign1(key, None, {}, detached=dab)
        else:
            prot = enc({}) if 'device_alg_none' in f else None
            s = sign1(key, None, {}, detached=dab, tag='tagged_cose' in f, prot=prot)
            if 'embedded_payload' in f:
                other = enc(CBORTag(24, b'\x84' + enc('DeviceAuthentication') + b'\x83\xf6\xf6\xf6' + enc(cred['docType']) + enc(dnsb)))
                s = sign1(key, other, {})
            if 'device_sig' in f: s[3] = s[3][:-1] + bytes([s[3][-1] ^ 1])
            dauth = {'deviceSignature': s}
            if 'both_device_auths' in f:
                z = key.exchange(ec.ECDH(), self.ereader); mk = hkdf(z, hashlib.sha256(enc(CBORTag(24, self.transcript))).digest(), b'EMacKey', 32); p5 = enc({1: 5})
                dauth['deviceMac'] = [p5, {}, None, hmac.new(mk, enc(['MAC0', p5, b'', dab]), 'sha256').digest()]
        if 'no_device_auth' in f: dauth = {}
        doc = {'docType': cred['docType'], 'issuerSigned': isg, 'deviceSigned': {'nameSpaces': dnsb, 'deviceAuth': dauth}}
        if errors: doc['errors'] = errors
        if 'extra_keys' in f: doc['rfu'] = [1]; doc['deviceSigned']['rfu'] = None
        return doc
    def device_response(self):
        f = self.faults; docs = []; derr = []
        for dr in self.request['docRequests']:
            ir = cbor2.loads(dr['itemsRequest'].value)
            c = next((c for c in self.creds if c['docType'] == ir['docType']), None)
            if c is None or 'document_error' in f: derr.append({ir['docType']: 0})
            else: docs.append(self._document(c, ir))
        if 'unrequested_doctype' in f: docs.append(self._document(self.creds[-1], {'nameSpaces': {'org.example.ns': {'x': False}}}))
        st = next((n for n in (10, 11, 12) if 'response_status_%d' % n in f), 0)
        if 'extra_document' in f and docs: docs.append(docs[0])
        if 'empty_response' in f: docs, derr = [], []
        r = {'version': self.response_version}
        if docs and st == 0: r['documents'] = docs
        if derr: r['documentErrors'] = derr
        r['status'] = st
        if 'extra_keys' in f: r['zz'] = {'a': 1}
        if 'duplicate_map_key' in f:
            b = enc(r); return bytes([b[0] + 1]) + b[1:] + enc('documents') + enc([])
        return fat(r) if 'fat_encoding' in f else enc(r)
    def seal(self, pt, status=None):
        f = self.faults; c = self.ctr_out + (1 if 'wrong_counter' in f else 0)
        iv = b'\0' * 7 + (b'\0' if 'wrong_iv_id' in f else b'\1') + struct.pack('>I', c)
        ct = AESGCM(self.sk_d).encrypt(iv, pt, None); self.ctr_out += 1
        if 'aead_tamper' in f: ct = bytes([ct[0] ^ 1]) + ct[1:]
        m = {'data': ct}
        if status is not None: m['status'] = status
        return enc(m)
    def answer(self):
        f = self.faults
        if 'no_answer' in f: return []
        if 'garbage' in f: return [b'\xff\x00garbage']
        for n in (10, 11):
            if 'session_status_%d' % n in f: self.closed = True; return [enc({'status': n})]
        if 'terminate_only' in f: self.closed = True; return [enc({'status': 20})]
        out = [self.seal(self.device_response(), 20 if self.terminate else None)]
        if self.terminate: self.closed = True
        return out
    def terminate_message(self): self.closed = True; return enc({'status': 20})

def fat(o):
    """same data, clumsy but well-formed CBOR: 16-bit map/array counts, indefinite outer maps, 8-byte ints. Tag-24
    contents and COSE byte strings stay byte-identical, so every digest and signature still holds."""
    def w(o, top=False):
        if isinstance(o, bool) or o is None: return enc(o)
        if isinstance(o, int) and o >= 0: return b'\x1b' + o.to_bytes(8, 'big')
        if isinstance(o, bytes): return b'\x5a' + len(o).to_bytes(4, 'big') + o
        if isinstance(o, str): return b'\x79' + len(o.encode()).to_bytes(2, 'big') + o.encode()
        if isinstance(o, CBORTag): return enc(o)                 # digests cover these bytes
        if isinstance(o, (list, tuple)): return b'\x99' + len(o).to_bytes(2, 'big') + b''.join(map(w, o))
        if isinstance(o, dict):
            b = b''.join(w(k) + w(v) for k, v in o.items())
            return b'\xbf' + b + b'\xff' if top else b'\xb9' + len(o).to_bytes(2, 'big') + b
        return enc(o)
    return w(o, True)

def fat_map(m):
    """One map whose text keys have 8-byte lengths: well-formed, digests are over exactly these bytes."""
    k = lambda t: b'\x7b' + len(t.encode()).to_bytes(8, 'big') + t.encode()
    return b'\xb9' + len(m).to_bytes(2, 'big') + b''.join(k(a) + enc(b) for a, b in m.items())

# ------------------------------------------------------------------ BLE message framing (8.3.3.1.1.6)
def fragments(msg, mtu):
    """ATT_MTU -> list of characteristic values: 1 header byte (1 = more, 0 = last), max MTU-3 and max 512 in all."""
    n = min(mtu - 3, 512) - 1
    parts = [msg[i:i + n] for i in range(0, len(msg), n)] or [b'']
    return [bytes([0 if i == len(parts) - 1 else 1]) + p for i, p in enumerate(parts)]
class Reassembler:
    def __init__(self): self.b = bytearray()
    def feed(self, chunk):
        if not chunk or chunk[0] > 1: raise ValueError('bad fragment header')
        self.b += chunk[1:]
        if chunk[0] == 0: m = bytes(self.b); self.b.clear(); return m
