import Envelopes
import JSON

/// What the operators of a gate tell it to do once: the payload of a signed order. `SignedOrder` is what gates are given.
///
/// The payload is one JSON text in the form of RFC 8785, so that a signer reads what is signed:
/// ```
/// {"content":{},"created":"2026-11-22T15:40:00Z","gatehouse-order":1,"gates":["10000000abcdef01"],"kind":"time","notAfter":"2026-11-25T00:00:00Z","number":7}
/// ```
/// `gates` is a list of gates' ids, or the word `all`. What `content` may hold is for each kind to say. A value of this type is well-formed
/// and has exactly one encoding. Whether anybody signed it is another question.
public struct Order: Hashable, Sendable {
    /// What is to be done. A gate counts the numbers of each kind by themselves.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Set the board's clock: `TimeOrder`.
        case time
        /// Take these settings: a site file.
        case site
        /// Copy the audit log to the stick that brought the order.
        case export
        /// Erase whom it believes, its settings and its audit log: `ResetOrder`.
        case reset
    }

    /// Whom it is for.
    public enum Gates: Hashable, Sendable {
        case all
        /// Their ids, in the order of their octets.
        case these([String])
    }

    /// Octets of the signed file.
    public static let largest = 256 << 10
    public static let mostGates = 1000
    /// How far a number may lie above the one before it. A slip must not use up the numbers of a gate for good.
    public static let largestStep: Int64 = 1_000_000_000_000
    private static let version: Int64 = 1

    public let kind: Kind
    /// 1 to `TrustBundle.largestSequence`. A gate takes no order of a kind with a number that is not higher than the highest it has taken.
    public let number: Int64
    public let gates: Gates
    /// When it was made, by the operator's clock: a time that is certainly past. Seconds since 1970.
    public let created: Seconds
    /// From when on it is not taken any more. Seconds since 1970.
    public let notAfter: Seconds
    /// A JSON object in the form of RFC 8785.
    public let content: [UInt8]

    /// Checks everything that all kinds have in common, and what `content` holds where this module knows it.
    public init(
        kind: Kind, number: Int64, gates: Gates, created: Seconds, notAfter: Seconds, content: [UInt8] = Array("{}".utf8)
    ) throws(OrderError) {
        guard 1...TrustBundle.largestSequence ~= number else { throw .numberRefused }
        for time in [created, notAfter] {
            guard 0...Timestamp.latest ~= time else { throw .timeRefused }
        }
        guard created < notAfter else { throw .windowRefused }
        guard content.count <= Self.largest, let canonical = TrustBundle.canonical(content), canonical.first == UInt8(ascii: "{") else {
            throw .contentRefused
        }
        self.kind = kind
        self.number = number
        self.gates = try Self.checked(gates)
        self.created = created
        self.notAfter = notAfter
        self.content = canonical
        if kind == .time { _ = try TimeOrder(self) }
        if kind == .reset { _ = try ResetOrder(self) }
    }

    /// Whether a file looks like the payload alone, a JSON object: nobody has signed it. A signed order is none.
    public static func isText(_ octets: [UInt8]) -> Bool {
        octets.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    }

    private static func checked(_ gates: Gates) throws(OrderError) -> Gates {
        guard case .these(let ids) = gates else { return .all }
        guard 1...mostGates ~= ids.count else { throw .gatesRefused }
        for id in ids {
            guard GateID.isWellFormed(id), !id.isExactly("all") else { throw .gatesRefused }
        }
        let sorted = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for (one, next) in zip(sorted, sorted.dropFirst()) {
            guard !one.isExactly(next) else { throw .gatesRefused }
        }
        return .these(sorted)
    }

    // MARK: Encoding

    /// The one encoding of this order.
    public var encoded: [UInt8] {
        var writer = JSONWriter()
        // The order of RFC 8785.
        writer.object { writer in
            writer.name("content")
            if let content = try? JSONDocument(parsing: content, limits: Self.limits) { writer.copy(content.root) } else { writer.null() }
            writer.member("created", Timestamp.text(created) ?? "")
            writer.member("gatehouse-order", Self.version)
            writer.name("gates")
            switch gates {
            case .all: writer.string("all")
            case .these(let ids): writer.array { writer in for id in ids { writer.string(id) } }
            }
            writer.member("kind", kind.rawValue)
            writer.member("notAfter", Timestamp.text(notAfter) ?? "")
            writer.member("number", number)
        }
        return writer.bytes
    }

    private static var limits: JSONLimits { JSONLimits(bytes: largest) }

    /// The order of an unsigned payload: nobody vouches for it. What a gate does comes out of `SignedOrder.verify` only.
    public init(decoding octets: [UInt8]) throws(OrderError) {
        try self.init(text: octets)
        guard encoded == octets else { throw .notCanonical }
    }

    /// An order as a person may have written it, with white space and in any sequence.
    public init(text octets: [UInt8]) throws(OrderError) {
        guard octets.count <= Self.largest else { throw .signature(.tooLarge) }
        let fields: Fields
        do throws(TrustError) {
            fields = try Fields(octets, version: Self.version)
        } catch {
            throw .malformed(error)
        }
        guard let kind = Kind.allCases.first(where: { $0.rawValue.isExactly(fields.kind) }) else { throw .kindUnknown(fields.kind) }
        try self.init(
            kind: kind, number: fields.number, gates: fields.gates, created: fields.created, notAfter: fields.notAfter,
            content: fields.content)
    }

    // MARK: For one gate

    /// Returns when this order is one of the kind for the gate. Throws `wrongKind`, `forOthers`, `noGateID`.
    ///
    /// - Parameter gate: the gate's id; nil where it has none.
    public func check(_ kind: Kind, for gate: String?) throws(OrderError) {
        guard self.kind == kind else { throw .wrongKind(found: self.kind, wanted: kind) }
        guard case .these(let ids) = gates else { return }
        guard let gate else { throw .noGateID }
        guard ids.contains(where: { $0.isExactly(gate) }) else { throw .forOthers(this: gate) }
    }
}

/// The members of an order's text, with types and nothing else checked.
private struct Fields {
    let kind: String
    let number: Int64
    let gates: Order.Gates
    let created: Seconds
    let notAfter: Seconds
    let content: [UInt8]

    init(_ octets: [UInt8], version: Int64) throws(TrustError) {
        let file = try TrustMember(file: "order", bytes: octets)
        guard let found = file.value["gatehouse-order"] else {
            throw TrustError(file: "order", member: "gatehouse-order", reason: file.value.members == nil ? .wrongType : .missing)
        }
        guard found.int64 == version else { throw TrustError(file: "order", member: "gatehouse-order", reason: .unsupportedVersion) }
        let members = try file.object(known: ["content", "created", "gatehouse-order", "gates", "kind", "notAfter", "number"])
        kind = try members.required("kind", of: file).text()
        let number = try members.required("number", of: file)
        guard let value = number.value.int64 else { throw number.fault(.wrongType) }
        self.number = value
        let gates = try members.required("gates", of: file)
        self.gates = gates.value.isString("all") ? .all : .these(try gates.texts())
        created = try members.required("created", of: file).time()
        notAfter = try members.required("notAfter", of: file).time()
        let content = try members.required("content", of: file)
        guard content.value.members != nil else { throw content.fault(.wrongType) }
        self.content = content.value.source
    }
}

/// The content of an order of the kind `time`: `{}`, or `{"time":"2026-11-23T09:00:00Z","turnBack":true}`.
public struct TimeOrder: Hashable, Sendable {
    /// Seconds from an order's making to its end at most. A file nobody used is a time somebody else can set once: not for long.
    public static let longestUse: Seconds = 31 * 86_400

    /// What the board's clock is set to, in seconds since 1970: the moment at which the order is expected to arrive, by itself the one at
    /// which it was made.
    public let time: Seconds
    /// Whether a clock that is ahead is turned back, also where that is more than clocks differ by anyway.
    public let mayTurnBack: Bool

    /// Throws `wrongKind`, `malformed`, `timeRefused`, `useTooLong`.
    public init(_ order: Order) throws(OrderError) {
        guard order.kind == .time else { throw .wrongKind(found: order.kind, wanted: .time) }
        do throws(TrustError) {
            let content = try TrustMember(file: "order", bytes: order.content), members = try content.object(known: ["time", "turnBack"])
            time = try members["time"].map { (member) throws(TrustError) in try member.time() } ?? order.created
            mayTurnBack =
                try members["turnBack"].map { (member) throws(TrustError) in
                    guard let flag = member.value.bool else { throw member.fault(.wrongType) }
                    return flag
                } ?? false
        } catch {
            throw .malformed(error)
        }
        guard order.notAfter - order.created <= Self.longestUse, order.created <= time, time < order.notAfter else { throw .useTooLong }
    }
}

/// What a gate is called in orders: its board's serial number, or what it drew at random once. Nothing of a person's.
public enum GateID {
    /// Octets.
    public static let longest = 64

    /// 1 to 64 of `A-Z a-z 0-9 . _ -`, the first of them a letter or a digit.
    public static func isWellFormed(_ id: String) -> Bool {
        guard 1...longest ~= id.utf8.count, let first = id.utf8.first, isAlphanumeric(first) else { return false }
        return id.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    private static func isAlphanumeric(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
