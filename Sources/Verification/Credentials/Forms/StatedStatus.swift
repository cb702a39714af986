import CBOR
import Envelopes
import JSON
import LinkedData

/// Where a credential says its status is kept. Nothing is believed of the list it names before the list was verified.
struct StatusEntry: Hashable, Sendable {
    /// The two of the W3C.
    enum Format: Hashable, Sendable {
        /// Bitstring Status List.
        case bitstring
        /// StatusList2021, its predecessor.
        case statusList2021
    }

    /// What a set bit of a W3C list means.
    enum Purpose: String, CaseIterable, Hashable, Sendable {
        case revocation, suspension
    }

    /// Longest entry, in bits. The standard names no limit.
    static let largestSize = 32

    enum Scheme: Hashable, Sendable {
        /// W3C: a list has one purpose, and a set bit means that.
        case bitstring(Format, Purpose, size: Int)
        /// IETF: each value has its own meaning.
        case token
    }

    let scheme: Scheme
    /// URL of the list, compared octet for octet.
    let list: String
    let index: UInt64
}

/// What a credential says about its status.
enum StatedStatus: Hashable, Sendable {
    case entry(StatusEntry)
    /// Something that this gate cannot read: the status is unknown.
    case unreadable

    /// Purposes that do not make a credential worthless (Bitstring Status List section 2.2).
    private static let harmless = ["message", "refresh"]
    /// More entries than any issuer has purposes.
    static let most = 8

    /// The types of the W3C's entries, by their names in the vocabularies.
    private static let types: [(name: String, format: StatusEntry.Format)] = [
        ("BitstringStatusListEntry", .bitstring), ("StatusList2021Entry", .statusList2021),
    ]

    /// The entry of a W3C scheme; nil for one whose purpose says nothing about validity.
    ///
    /// - Parameters:
    ///   - size: `statusSize`: 1 where it is absent, nil where it is no number.
    private static func bitstring(
        _ format: StatusEntry.Format, purpose: String?, list: String?, index: UInt64?, size: UInt64?
    ) -> StatedStatus? {
        guard let purpose else { return .unreadable }
        if harmless.contains(where: purpose.isExactly) { return nil }
        guard let known = StatusEntry.Purpose.allCases.first(where: { purpose.isExactly($0.rawValue) }), let list, let index,
            let bits = size.flatMap(Int.init(exactly:)), (1...StatusEntry.largestSize).contains(bits)
        else { return .unreadable }
        return .entry(StatusEntry(scheme: .bitstring(format, known, size: bits), list: list, index: index))
    }

    /// Too many to look at is a doubt, and never hides what the first ones say.
    private static func first<Element>(_ elements: [Element], _ read: (Element) -> StatedStatus?) -> [StatedStatus] {
        elements.prefix(most).compactMap(read) + (elements.count > most ? [.unreadable] : [])
    }
}

// MARK: Signed JSON

extension StatedStatus {
    /// `status` of the IETF and `credentialStatus` of the W3C, in claims that are signed as JSON.
    ///
    /// - Parameter claims: of an SD-JWT, the payload as signed: whatever of a status is only there by a disclosure is left out by whom it
    ///   hurts.
    static func all(in claims: JSONValue) -> [StatedStatus] {
        var found: [StatedStatus] = []
        if let status = claims["status"] { found.append(token(status)) }
        if let status = claims["credentialStatus"] { found += first(status.elements.map(Array.init) ?? [status], bitstring) }
        return found
    }

    /// Token Status List section 6.2.
    private static func token(_ status: JSONValue) -> StatedStatus {
        guard let list = status["status_list"], let index = list["idx"]?.int64.flatMap(UInt64.init(exactly:)), let uri = list["uri"]?.string
        else { return .unreadable }
        return .entry(StatusEntry(scheme: .token, list: uri, index: index))
    }

    /// `statusListIndex`: a text of decimal digits; issuers write a number too. Nil for anything else, and beyond 64 bits.
    static func index(_ value: JSONValue) -> UInt64? {
        guard let digits = value.string ?? value.number?.lexeme, !digits.isEmpty, digits.utf8.count <= 20,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return UInt64(digits)
    }

    private static func bitstring(_ entry: JSONValue) -> StatedStatus? {
        let names = entry["type"].map { $0.elements.map(Array.init) ?? [$0] } ?? []
        // A member that can be withheld, `statusSize` for one, would choose what the others mean.
        guard entry["_sd"] == nil, let type = types.first(where: { type in names.contains { $0.isString(type.name) } }) else {
            return .unreadable
        }
        return bitstring(
            type.format, purpose: entry["statusPurpose"]?.string, list: entry["statusListCredential"]?.string,
            index: entry["statusListIndex"].flatMap(index),
            size: entry["statusSize"].map { $0.int64.flatMap(UInt64.init(exactly:)) } ?? 1)
    }
}

// MARK: Signed CBOR

extension StatedStatus {
    /// `status` of a CWT (Token Status List section 6.3). Issuers that make tokens of JSON leave names that they have no number for as they
    /// are: `credentialStatus` of the W3C is read as in JSON, a status under a text is said all the same.
    static func all(in claims: CBORItem) -> [StatedStatus] {
        var found: [StatedStatus] = []
        if let status = claims[CWTClaims.Label.status] { found.append(token(status)) }
        if claims["status"] != nil || claims["\(CWTClaims.Label.status)"] != nil { found.append(.unreadable) }
        if let status = claims["credentialStatus"] { found += first(status.elements.map(Array.init) ?? [status], bitstring) }
        return found
    }

    private static func token(_ status: CBORItem) -> StatedStatus {
        guard let list = status["status_list"], let index = list["idx"]?.uint64, let uri = list["uri"]?.text else { return .unreadable }
        return .entry(StatusEntry(scheme: .token, list: uri, index: index))
    }

    private static func bitstring(_ entry: CBORItem) -> StatedStatus? {
        let names = (entry["type"].map { $0.elements.map(Array.init) ?? [$0] } ?? []).compactMap(\.text)
        guard let type = types.first(where: { type in names.contains { $0.isExactly(type.name) } }) else { return .unreadable }
        func count(_ item: CBORItem) -> UInt64? { item.uint64 ?? item.text.flatMap(number) }
        return bitstring(
            type.format, purpose: entry["statusPurpose"]?.text, list: entry["statusListCredential"]?.text,
            index: entry["statusListIndex"].flatMap(count), size: entry["statusSize"].map(\.uint64) ?? 1)
    }
}

// MARK: Signed statements

extension StatedStatus {
    /// `credentialStatus` of the credential itself.
    static func all(in statements: LinkedStatements) -> [StatedStatus] {
        first(statements.statuses) { bitstring($0, in: statements) }
    }

    private static func bitstring(_ node: Term, in statements: LinkedStatements) -> StatedStatus? {
        let stated = statements.values(of: node, Vocabulary.type.string)
        for vocabulary in CredentialTerms.statusVocabularies {
            func only(_ name: String) -> Term? {
                let values = statements.values(of: node, vocabulary + name)
                return values.count == 1 ? values[0] : nil
            }
            guard let type = types.first(where: { stated.contains(.iri(Text(vocabulary + $0.name))) }) else { continue }
            let isSized = !statements.values(of: node, vocabulary + "statusSize").isEmpty
            return bitstring(
                type.format, purpose: only("statusPurpose")?.text, list: only("statusListCredential")?.iri,
                index: only("statusListIndex")?.text.flatMap(number), size: isSized ? only("statusSize")?.text.flatMap(number) : 1)
        }
        return .unreadable
    }

    private static func number(_ digits: String) -> UInt64? {
        guard (1...20).contains(digits.utf8.count), digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return UInt64(digits)
    }
}
