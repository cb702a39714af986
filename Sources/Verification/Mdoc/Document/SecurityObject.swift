import CBOR
import Cryptography
import Envelopes

/// A MobileSecurityObject (mdoc.md section 6): what the issuer signs of a document. It is only what it says until step 6 has passed.
struct SecurityObject {
    let version: String
    let docType: String
    /// Nil for an algorithm the standard does not have.
    let digestAlgorithm: DigestAlgorithm?
    let digests: [NameSpaceDigests]
    /// COSE_Key as received; nil where it is missing, which is a fault of its own.
    let deviceKey: CBORItem?
    let authorizations: KeyAuthorizations
    let validity: DocumentValidity
    let status: StatusReference?

    /// The digests of one namespace by their numbers.
    struct NameSpaceDigests {
        let name: String
        let byID: [UInt64: [UInt8]]
    }

    private static let algorithms: [(name: String, algorithm: DigestAlgorithm)] = [
        ("SHA-256", .sha256), ("SHA-384", .sha384), ("SHA-512", .sha512),
    ]
    /// Second editions count on from 1.0.
    private static let majorVersion = "1."

    /// - Parameter payload: of issuerAuth, `#6.24(bstr MobileSecurityObject)`.
    init(payload: [UInt8]) throws(CBORError) {
        let object = try CBORDocument(parsing: payload, options: ResponseLimits.options).root.wrapped()
        version = try object.member("version").require(\.text)
        docType = try object.member("docType").require(\.text)
        let algorithm = try object.member("digestAlgorithm")
        guard algorithm.kind == .text else { throw algorithm.fault(.wrongType) }
        digestAlgorithm = Self.algorithms.first { algorithm.isText($0.name) }?.algorithm
        digests = try Self.digests(object.member("valueDigests"))
        let keyInfo = try object.member("deviceKeyInfo")
        guard keyInfo.kind == .map else { throw keyInfo.fault(.wrongType) }
        deviceKey = keyInfo["deviceKey"]
        authorizations = try KeyAuthorizations(keyInfo["keyAuthorizations"])
        let dates = try object.member("validityInfo")
        validity = DocumentValidity(
            signed: try Self.date(dates.member("signed")), from: try Self.date(dates.member("validFrom")),
            until: try Self.date(dates.member("validUntil")))
        status = try object["status"].map { (item) throws(CBORError) in try StatusReference(item) }
    }

    var isKnownVersion: Bool { version.utf8.starts(with: Self.majorVersion.utf8) }

    /// The digest of an item; nil where the issuer signed none of that number in that namespace.
    func digest(_ nameSpace: String, _ id: UInt64) -> [UInt8]? {
        digests.first { $0.name.isExactly(nameSpace) }?.byID[id]
    }

    private static func digests(_ item: CBORItem) throws(CBORError) -> [NameSpaceDigests] {
        let spaces = try item.named()
        guard spaces.count <= ResponseLimits.nameSpaces else { throw item.fault(.tooManyItems) }
        var found: [NameSpaceDigests] = []
        for (name, values) in spaces {
            var byID: [UInt64: [UInt8]] = [:]
            for pair in try values.require(\.pairs) { byID[try pair.key.require(\.uint64)] = try pair.value.require(\.bytes) }
            found.append(NameSpaceDigests(name: name, byID: byID))
        }
        return found
    }

    /// RFC 3339 under tag 0. Whole seconds and UTC are what the standard wants; fractions, offsets and a missing tag occur.
    private static func date(_ item: CBORItem) throws(CBORError) -> Seconds {
        let text = try (item.content(of: 0) ?? item).require(\.text)
        guard let seconds = Timestamp.seconds(text) else { throw item.fault(.wrongType) }
        return seconds
    }
}

/// Which elements the device's key may sign (mdoc.md section 6.4, step 9). Where the issuer says nothing, none.
struct KeyAuthorizations {
    private let nameSpaces: [String]
    private let elements: [(nameSpace: String, identifiers: [String])]

    init(_ item: CBORItem?) throws(CBORError) {
        guard let item else {
            (nameSpaces, elements) = ([], [])
            return
        }
        guard item.kind == .map else { throw item.fault(.wrongType) }
        nameSpaces = try Self.texts(item["nameSpaces"])
        var elements: [(nameSpace: String, identifiers: [String])] = []
        if let named = item["dataElements"] {
            for (name, value) in try named.named() { elements.append((name, try Self.texts(value))) }
        }
        self.elements = elements
    }

    private static func texts(_ item: CBORItem?) throws(CBORError) -> [String] {
        guard let item else { return [] }
        var texts: [String] = []
        for element in try item.require(\.elements) { texts.append(try element.require(\.text)) }
        return texts
    }

    func allow(_ nameSpace: String, _ identifier: String) -> Bool {
        nameSpaces.contains { $0.isExactly(nameSpace) }
            || elements.contains { $0.nameSpace.isExactly(nameSpace) && $0.identifiers.contains { $0.isExactly(identifier) } }
    }
}
