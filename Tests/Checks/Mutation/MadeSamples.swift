import CBOR
import COpenSSL
import Credentials
import Envelopes
import Foundation
import TestSupport

/// Tokens in forms of which there is no published sample: without key id, without issuer, key ids of octets, algorithms by their newer
/// names.
enum MadeSamples {
    private static let time: Seconds = 1_764_547_200
    private static let vct = "urn:example:made", audience = "https://gate.example"

    static func all() throws -> [SampleSource] {
        [try withoutKeyID(), try withoutIssuer(), try token(named: true), try token(named: false)]
    }

    // MARK: SD-JWT

    /// Ed25519 by its own name, SHA3-256, an audience, and an end of validity without a zone.
    private static func withoutKeyID() throws -> SampleSource {
        let key = try MadeKey("no kid")
        var issuer = IssuerText(id: "https://made.example/nameless-key", form: "sd_jwt", types: [vct])
        issuer.addKey("key-1", "pem", .string(key.pem))
        issuer.audiences = [audience]
        let payload = #""iss":"\#(issuer.id)","aud":["https://elsewhere.example","\#(audience)"],"validUntil":"2026-12-01T00:00:00""#
        return SampleSource(
            name: "made: no kid", message: try credential(#"{"alg":"Ed25519","typ":"dc+sd-jwt"}"#, payload, "sha3-256", "SHA3-256", key),
            time: time, issuer: issuer)
    }

    /// The issuer is whom a document signer's certificate is made out to.
    private static func withoutIssuer() throws -> SampleSource {
        let root = try MadeKey("root"), key = try MadeKey("by certificate")
        var issuer = IssuerText(id: "https://made.example/by-certificate", form: "sd_jwt", types: [vct])
        let rootCertificate = try root.certificate(
            "Root", issuer: "Root", signer: root, at: time,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign"),
            ])
        let leaf = try key.certificate(
            "Signer", issuer: "Root", signer: root, at: time,
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "1.3.6.1.5.5.7.3.36"),
                (NID_subject_alt_name, "URI:\(issuer.id)"),
            ])
        issuer.roots = [SampleFolder.armor(rootCertificate, "CERTIFICATE")]
        issuer.extendedKeyUsages = ["1.3.6.1.5.5.7.3.36"]
        let header = #"{"alg":"EdDSA","typ":"dc+sd-jwt","x5c":["\#(leaf.base64EncodedString())"]}"#
        return SampleSource(
            name: "made: no iss", message: try credential(header, #""exp":\#(time + 1000)"#, "sha-256", "SHA2-256", key), time: time,
            issuer: issuer)
    }

    private static func credential(_ header: String, _ payload: String, _ digestName: String, _ digest: String, _ key: MadeKey) throws
        -> [UInt8]
    {
        let disclosures = [#"["c2FsdA","given_name","Asha"]"#, #"["c2FsdDI","portrait","data:image/jpeg;base64,/9j/AA=="]"#].map {
            Base64URL.encode(Array($0.utf8))
        }
        let digests = disclosures.map { "\"" + String(decoding: Base64URL.encode(hash($0, digest)), as: UTF8.self) + "\"" }.joined(
            separator: ",")
        let claims =
            #"{\#(payload),"vct":"\#(vct)","iat":\#(time - 1000),"birthdate":"1990-05-17","_sd_alg":"\#(digestName)","_sd":[\#(digests)]}"#
        let signed = Base64URL.encode(Array(header.utf8)) + Array(".".utf8) + Base64URL.encode(Array(claims.utf8))
        let token = signed + Array(".".utf8) + Base64URL.encode(try key.sign(signed))
        return Array((([token] + disclosures).joined(separator: Array("~".utf8)))) + Array("~".utf8)
    }

    private static func hash(_ text: [UInt8], _ name: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 64), count = 0
        EVP_Q_digest(nil, name, nil, text, text.count, &digest, &count)
        return Array(digest.prefix(count))
    }

    // MARK: CWT

    /// With a key id of octets that are no text, or without one; COSE's -19.
    private static func token(named: Bool) throws -> SampleSource {
        let key = try MadeKey("token"), other = try MadeKey("another")
        let kid: [UInt8] = [0x00, 0xFF, 0x10]
        var issuer = IssuerText(id: "https://made.example/token-\(named)", form: "cwt", types: ["claim-169"])
        issuer.addKey(named ? "hex:00ff10" : "key-1", "pem", .string(key.pem))
        if named { issuer.addKey("base64url:AP8R", "pem", .string(other.pem)) }
        issuer.audiences = [audience]
        let protected = try CBORWriter.encode {
            $0.map { map in
                map.entry(1) { $0.integer(-19) }
                if named { map.entry(4) { $0.bytes(kid) } }
            }
        }
        let payload = try CBORWriter.encode {
            $0.map { map in
                map.entry(1) { $0.text(issuer.id) }
                map.entry(3) { $0.text(audience) }
                map.entry(4) { $0.integer(time + 1000) }
                map.entry(6) { $0.integer(time - 1000) }
                map.entry(169) {
                    $0.map { map in
                        map.entry(4) { $0.text("Asha Rao") }
                        map.entry(16) { $0.bytes([0xFF, 0xD8, 1, 2, 3]) }
                    }
                }
            }
        }
        let signed = try CBORWriter.encode {
            $0.array {
                $0.text("Signature1")
                $0.bytes(protected)
                $0.bytes([])
                $0.bytes(payload)
            }
        }
        let signature = try key.sign(signed)
        let message = try CBORWriter.encode { writer in
            writer.tag(18)
            writer.array {
                $0.bytes(protected)
                $0.map { _ in }
                $0.bytes(payload)
                $0.bytes(signature)
            }
        }
        return SampleSource(
            name: named ? "made: kid of octets" : "made: CWT, no kid", message: Array(Hex.text(message).utf8), time: time, issuer: issuer)
    }
}
