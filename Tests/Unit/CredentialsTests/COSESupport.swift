import CBOR
import Cryptography
import JSON
import TestSupport

@testable import Credentials
@testable import Envelopes

func hex(_ text: String) -> [UInt8] { Hex.bytes(text) }

extension TestKey {
    var publicKey: PublicKey {
        get throws { try JSONWebKey(JSONDocument(parsing: Array(jwk.utf8)).root)!.key }
    }

    /// A member of the JWK, for example `x`.
    func component(_ name: String) throws -> [UInt8] {
        unBase64URL(try JSONDocument(parsing: Array(jwk.utf8)).root[name]?.string ?? "")
    }

    var coseNumber: Int64 {
        switch kind {
        case .ed25519: -8
        case .p256: -7
        case .p384: -35
        case .secp256k1: -47
        case .rsa: -37
        }
    }
}

/// COSE structures made to order, the wrong ones too.
struct TestCOSE {
    var protected: [UInt8]
    var unprotected: [UInt8] = [0xA0]
    var payload: [UInt8] = Array("This is the content.".utf8)
    var externalAAD: [UInt8] = []
    var tag: UInt64? = 18

    /// `{1: alg}` and `more`, a map's other pairs in order.
    init(_ key: TestKey, more: [UInt8] = [], pairs: UInt8 = 0) throws {
        protected = [0xA1 + pairs, 0x01] + (try CBORWriter.encode { $0.integer(key.coseNumber) }) + more
    }

    init(protected: [UInt8]) { self.protected = protected }

    func sign1(_ key: TestKey) throws -> [UInt8] {
        let signed = try CBORWriter.encode { writer in
            writer.array {
                $0.text("Signature1")
                $0.bytes(protected)
                $0.bytes(externalAAD)
                $0.bytes(payload)
            }
        }
        return try message(signature: key.sign(signed))
    }

    func message(signature: [UInt8]) throws -> [UInt8] {
        let map = try CBORDocument(parsing: unprotected).root
        return try CBORWriter.encode { writer in
            if let tag { writer.tag(tag) }
            writer.array {
                $0.bytes(protected)
                $0.copy(map)
                $0.bytes(payload)
                $0.bytes(signature)
            }
        }
    }
}

/// What a parser of COSE says to bytes that are CBOR.
func refusal<Result>(_ bytes: [UInt8], _ body: (CBORItem) throws(COSEError) -> Result) throws -> COSEError? {
    let item = try CBORDocument(parsing: bytes).root
    do throws(COSEError) {
        _ = try body(item)
        return nil
    } catch {
        return error
    }
}
