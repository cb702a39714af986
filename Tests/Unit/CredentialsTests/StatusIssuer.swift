import CBOR
import Foundation
import JSON
import TestSupport

@testable import Credentials
@testable import Trust

/// The ways a credential and its status list are written and signed.
enum StatusScheme: CaseIterable, CustomStringConvertible {
    /// JSON-LD: eddsa-rdfc-2022 with Bitstring Status List, Ed25519Signature2020 with StatusList2021, eddsa-jcs-2022 with Bitstring Status
    /// List.
    case rdfc, legacy, jcs
    /// Token Status List: an SD-JWT, a CWT.
    case jose, cose

    var isToken: Bool { self == .jose || self == .cose }
    var description: String { "\(self.suite.map(\.name) ?? (self == .jose ? "SD-JWT" : "CWT"))" }

    var suite: LinkedProofSuite? {
        switch self {
        case .rdfc: .eddsaRDFC2022
        case .legacy: .ed25519Signature2020
        case .jcs: .eddsaJCS2022
        case .jose, .cose: nil
        }
    }
}

/// What a credential says about its status, made to order.
struct TestStatusEntry {
    static let url = "https://issuer.example/status/1"

    var list = Self.url
    var index: UInt64 = 77
    var purpose = "revocation"
    var size: Int?

    func json(_ scheme: StatusScheme) -> String {
        guard !scheme.isToken else { return #"{"status_list":{"idx":\#(index),"uri":"\#(list)"}}"# }
        let type = scheme == .legacy ? "StatusList2021Entry" : "BitstringStatusListEntry"
        let size = size.map { #","statusSize":\#($0)"# } ?? ""
        return
            #"{"id":"urn:example:entry:\#(purpose)","type":"\#(type)","statusPurpose":"\#(purpose)","statusListIndex":"\#(index)","statusListCredential":"\#(list)"\#(size)}"#
    }
}

/// A good credential of the scheme with that status, in JSON text; a CWT takes an entry.
func statusCredential(_ scheme: StatusScheme, status: String) throws -> [UInt8] {
    if scheme == .jose {
        var credential = TestCredential()
        credential.header["kid"] = quoted(TestLinkedCredential.method)
        credential.set("status", status)
        return credential.message
    }
    var credential = TestLinkedCredential(scheme.suite ?? .eddsaRDFC2022)
    credential.set("credentialStatus", status)
    return try credential.signed()
}

func statusCredential(_ scheme: StatusScheme, _ entry: TestStatusEntry = TestStatusEntry()) throws -> [UInt8] {
    guard scheme == .cose else { return try statusCredential(scheme, status: entry.json(scheme)) }
    return try TestToken { $0.status = (entry.index, entry.list) }.message()
}

/// A CWT with claim 169, made to order.
struct TestToken {
    var key = TestKey.ed25519
    var keyID: [UInt8]? = Array(TestLinkedCredential.method.utf8)
    var type: String?
    var iss: String? = TestLinkedCredential.issuer
    var sub: String?
    var expires: Int64? = TestCredential.now + 1000
    var notBefore: Int64?
    var issued: Int64? = TestCredential.now - 1000
    var ttl: Int64?
    var status: (index: UInt64, list: String)?
    var statusList: (bits: UInt64, octets: [UInt8])?
    var identity = true
    var photo: [UInt8]?
    var unprotected: [UInt8] = [0xA0]

    init(_ change: (inout TestToken) -> Void = { _ in }) { change(&self) }

    func claims() throws -> [UInt8] {
        try CBORWriter.encode { writer in
            writer.map { map in
                if let iss { map.entry(1) { $0.text(iss) } }
                if let sub { map.entry(2) { $0.text(sub) } }
                if let expires { map.entry(4) { $0.integer(expires) } }
                if let notBefore { map.entry(5) { $0.integer(notBefore) } }
                if let issued { map.entry(6) { $0.integer(issued) } }
                if let status {
                    map.entry(65_535) {
                        $0.map {
                            $0.entry("status_list") {
                                $0.map { map in
                                    map.entry("idx") { $0.unsigned(status.index) }
                                    map.entry("uri") { $0.text(status.list) }
                                }
                            }
                        }
                    }
                }
                if let ttl { map.entry(65_534) { $0.integer(ttl) } }
                if let statusList {
                    map.entry(65_533) {
                        $0.map { map in
                            map.entry("bits") { $0.unsigned(statusList.bits) }
                            map.entry("lst") { $0.bytes(statusList.octets) }
                        }
                    }
                }
                guard identity else { return }
                map.entry(169) {
                    $0.map { map in
                        map.entry(4) { $0.text("Ann") }
                        if let photo {
                            map.entry(16) { $0.bytes(photo) }
                            map.entry(17) { $0.integer(1) }
                        }
                    }
                }
            }
        }
    }

    func message(claims: [UInt8]? = nil) throws -> [UInt8] {
        let protected = try CBORWriter.encode { writer in
            writer.map { map in
                map.entry(1) { $0.integer(key.coseNumber) }
                if let keyID { map.entry(4) { $0.bytes(keyID) } }
                if let type { map.entry(16) { $0.text(type) } }
            }
        }
        var cose = TestCOSE(protected: protected)
        cose.unprotected = unprotected
        cose.payload = try claims ?? self.claims()
        return try cose.sign1(key)
    }
}

/// A status list made to order, signed with the issuer's key.
struct TestStatusList {
    var url = TestStatusEntry.url
    /// What the list calls itself, where that is something else.
    var name: String?
    var issuer: String? = TestLinkedCredential.issuer
    var method = TestLinkedCredential.method
    var key = TestKey.ed25519
    /// Entries that are not 0.
    var values: [UInt64: UInt8] = [:]
    var size = 1
    var octets = 16_384
    /// JSON text.
    var purpose = quoted("revocation")
    var type: String?
    var fetched: Int64 = TestCredential.now - 100
    /// From `TestCredential.now`, in seconds.
    var issued: Int64? = -1000
    var notBefore: Int64?
    var expires: Int64? = 1000
    /// JSON text.
    var ttl: String?
    /// Instead of what the values come to.
    var compressed: [UInt8]?

    init(_ change: (inout TestStatusList) -> Void = { _ in }) { change(&self) }

    private func bits(_ scheme: StatusScheme) -> [UInt8] {
        var bits = [UInt8](repeating: 0, count: octets)
        for (index, value) in values {
            for bit in 0..<size where value >> UInt8(bit) & 1 == 1 {
                let place = scheme.isToken ? Int(index) * size + bit : Int(index) * size + size - 1 - bit
                bits[place / 8] |= scheme.isToken ? 1 << UInt8(place % 8) : 0x80 >> UInt8(place % 8)
            }
        }
        return bits
    }

    func document(_ scheme: StatusScheme) throws -> PinnedStatusList {
        PinnedStatusList(url: url, fetched: fetched, bytes: try bytes(scheme))
    }

    func bytes(_ scheme: StatusScheme) throws -> [UInt8] {
        switch scheme {
        case .cose:
            return try TestToken {
                $0.key = key
                $0.keyID = Array(method.utf8)
                $0.type = type ?? "application/statuslist+cwt"
                $0.iss = issuer
                $0.sub = name ?? url
                $0.expires = expires.map { TestCredential.now + $0 }
                $0.notBefore = notBefore.map { TestCredential.now + $0 }
                $0.issued = issued.map { TestCredential.now + $0 }
                $0.ttl = ttl.flatMap { Int64($0) }
                $0.statusList = (UInt64(size), compressed ?? zlib(bits(scheme)))
                $0.identity = false
            }.message()
        case .jose: return Array(text().utf8)
        case .rdfc, .legacy, .jcs: return try credential(scheme).signed()
        }
    }

    private func text() -> String {
        var token = TestCredential(key: key)
        token.header["typ"] = quoted(type ?? "statuslist+jwt")
        token.header["kid"] = quoted(method)
        token.payload = [
            ("sub", quoted(name ?? url)), ("status_list", #"{"bits":\#(size),"lst":"\#(base64URL(compressed ?? zlib(bits(.jose))))"}"#),
        ]
        for (name, seconds) in [("iat", issued), ("exp", expires), ("nbf", notBefore)] {
            if let seconds { token.set(name, "\(TestCredential.now + seconds)") }
        }
        if let issuer { token.set("iss", quoted(issuer)) }
        token.set("ttl", ttl)
        return token.issuerJWT()
    }

    func credential(_ scheme: StatusScheme) -> TestLinkedCredential {
        var credential = TestLinkedCredential(scheme.suite ?? .eddsaRDFC2022, key: key)
        credential.method = method
        let own = type ?? (scheme == .legacy ? "StatusList2021" : "BitstringStatusList")
        let from = scheme == .legacy ? "issuanceDate" : "validFrom", until = scheme == .legacy ? "expirationDate" : "validUntil"
        credential.set("id", quoted(name ?? url))
        credential.set("type", list(["VerifiableCredential", own + "Credential"]))
        credential.set("issuer", issuer.map(quoted))
        credential.set(from, (notBefore ?? issued).map(TestLinkedCredential.date))
        credential.set(until, expires.map(TestLinkedCredential.date))
        let encoded = (scheme == .legacy ? "" : "u") + base64URL(compressed ?? Gzip().member(bits(scheme)))
        let ttl = ttl.map { #","ttl":\#($0)"# } ?? ""
        credential.set(
            "credentialSubject",
            #"{"id":"urn:example:list","type":"\#(own)","statusPurpose":\#(purpose),"encodedList":"\#(encoded)"\#(ttl)}"#)
        return credential
    }
}
