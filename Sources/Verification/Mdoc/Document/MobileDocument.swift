import CBOR
import Envelopes

/// A Document of a DeviceResponse, taken apart (mdoc.md section 6.4, step 0). Nothing in it is believed yet.
struct MobileDocument {
    let docType: String
    let issuerAuth: MdocCOSE
    let items: [IssuerNameSpace]
    /// DeviceNameSpacesBytes as received: what the device signed.
    let deviceNameSpaces: CBORItem
    let deviceItems: MdocClaims
    /// Nil where there is neither signature nor MAC, or both.
    let deviceAuth: DeviceProof?
    let errors: [ElementError]

    /// The items of one namespace.
    struct IssuerNameSpace {
        let name: String
        let items: [IssuerSignedItem]
    }

    /// deviceAuth: exactly one of the two.
    enum DeviceProof {
        case signature(MdocCOSE)
        case mac(MdocCOSE)
    }

    /// The docType, also of a document that cannot be read any further.
    static func docType(of item: CBORItem) -> String? { item["docType"]?.text }

    init(_ item: CBORItem) throws(CBORError) {
        docType = try item.member("docType").require(\.text)
        let issuerSigned = try item.member("issuerSigned"), deviceSigned = try item.member("deviceSigned")
        issuerAuth = try MdocCOSE(try issuerSigned.member("issuerAuth"), .sign1)
        items = try Self.items(issuerSigned["nameSpaces"])
        deviceNameSpaces = try deviceSigned.member("nameSpaces")
        deviceItems = try Self.deviceItems(try deviceNameSpaces.wrapped())
        deviceAuth = try Self.proof(deviceSigned["deviceAuth"])
        errors = try Self.errors(item["errors"])
    }

    private static func items(_ item: CBORItem?) throws(CBORError) -> [IssuerNameSpace] {
        guard let item else { return [] }
        let spaces = try item.named()
        guard spaces.count <= ResponseLimits.nameSpaces else { throw item.fault(.tooManyItems) }
        var found: [IssuerNameSpace] = [], count = 0
        for (name, value) in spaces {
            let elements = try value.require(\.elements)
            count += elements.count
            guard count <= ResponseLimits.items else { throw value.fault(.tooManyItems) }
            var items: [IssuerSignedItem] = []
            for element in elements { items.append(try IssuerSignedItem(element)) }
            found.append(IssuerNameSpace(name: name, items: items))
        }
        return found
    }

    private static func deviceItems(_ item: CBORItem) throws(CBORError) -> MdocClaims {
        let spaces = try item.named()
        guard spaces.count <= ResponseLimits.nameSpaces else { throw item.fault(.tooManyItems) }
        var claims = MdocClaims(), count = 0
        for (name, value) in spaces {
            let elements = try value.named()
            count += elements.count
            guard count <= ResponseLimits.items else { throw value.fault(.tooManyItems) }
            claims.append(name, elements.map { MdocClaims.Element(identifier: $0.name, value: $0.value) })
        }
        return claims
    }

    private static func proof(_ item: CBORItem?) throws(CBORError) -> DeviceProof? {
        guard let item, item.kind == .map else { return nil }
        switch (item["deviceSignature"], item["deviceMac"]) {
        case (let signature?, nil): return .signature(try MdocCOSE(signature, .sign1))
        case (nil, let mac?): return .mac(try MdocCOSE(mac, .mac0))
        default: return nil
        }
    }

    private static func errors(_ item: CBORItem?) throws(CBORError) -> [ElementError] {
        guard let item else { return [] }
        var errors: [ElementError] = []
        for (nameSpace, codes) in try item.named() {
            for (identifier, code) in try codes.named() {
                guard errors.count < ResponseLimits.items else { throw codes.fault(.tooManyItems) }
                errors.append(ElementError(nameSpace: nameSpace, identifier: identifier, code: try code.require(\.int64)))
            }
        }
        return errors
    }
}

/// An IssuerSignedItem: one element, with the salt that keeps others from guessing it by its digest.
struct IssuerSignedItem {
    /// `#6.24(bstr item)` as received, the tag's head included: what the digest is of.
    let encoded: CBORItem
    let digestID: UInt64
    /// Octets of the salt.
    let randomLength: Int
    let identifier: String
    let value: CBORItem

    /// Octets an issuer's salt should have at least (mdoc.md section 6).
    static let shortestRandom = 16

    init(_ item: CBORItem) throws(CBORError) {
        encoded = item
        let content = try item.wrapped()
        digestID = try content.member("digestID").require(\.uint64)
        let random = try content.member("random")
        guard let length = random.withContents({ $0.count }) else { throw random.fault(.wrongType) }
        randomLength = length
        identifier = try content.member("elementIdentifier").require(\.text)
        value = try content.member("elementValue")
    }
}
