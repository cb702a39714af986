import Cryptography
import Envelopes

/// An order as it travels: COSE_Sign (RFC 9052 section 4.1, tag 98) around the payload, by the signers of the trust root. Nothing in it is
/// believed before `verify`.
public struct SignedOrder: Sendable {
    private let file: CosignedFile

    /// The whole file.
    public var octets: [UInt8] { file.octets }

    /// - Parameter octets: the whole file. It has to be in the deterministic encoding.
    public init(_ octets: [UInt8]) throws(OrderError) {
        guard !Order.isText(octets) else { throw .signature(.notSigned) }
        self.init(try Self.cosign { () throws(CosignError) in try CosignedFile(octets, .order) })
    }

    private init(_ file: CosignedFile) { self.file = file }

    /// Signs an order for the first time.
    public init(signing order: Order, as id: String, with key: borrowing SigningKey) throws(OrderError) {
        do throws(CosignError) {
            file = try CosignedFile(signing: order.encoded, .order, as: id, with: key)
        } catch {
            throw .signature(error)
        }
    }

    /// The same order with one signature more.
    public func signed(as id: String, with key: borrowing SigningKey) throws(OrderError) -> SignedOrder {
        // Nobody should put a name to what no gate follows anyway.
        _ = try unverified()
        do throws(CosignError) {
            return SignedOrder(try file.signed(as: id, with: key))
        } catch {
            throw .signature(error)
        }
    }

    /// The order, if enough of the root's signers signed it. Says nothing about its time, its number and whom it is for.
    public func verify(_ root: TrustRoot) throws(OrderError) -> Order {
        try Order(decoding: Self.cosign { () throws(CosignError) in try file.verify(root) })
    }

    // MARK: For people

    /// What the order says, for people to look at. Nobody may have signed it.
    public func unverified() throws(OrderError) -> UnverifiedOrder {
        UnverifiedOrder(content: try Order(decoding: file.unverified))
    }

    /// The names of the signers, as they say.
    public var signerIDs: [String] { file.signerIDs }

    /// What each signature is worth under a root.
    public func signatures(_ root: TrustRoot) throws(OrderError) -> [SignatureReport] {
        try Self.cosign { () throws(CosignError) in try file.signatures(root) }
    }

    private static func cosign<Result>(_ body: () throws(CosignError) -> Result) throws(OrderError) -> Result {
        do throws(CosignError) {
            return try body()
        } catch {
            throw .signature(error)
        }
    }
}

/// What a signed order says before anybody checked who signed it. To be shown, never to be followed.
public struct UnverifiedOrder: Hashable, Sendable {
    public let content: Order
}

/// Why an order is not made, signed or followed. After any of these nothing of it is done.
public enum OrderError: Error, Hashable, Sendable {
    /// The signed file around it.
    case signature(CosignError)

    // Content
    case malformed(TrustError)
    /// Not in the form of RFC 8785, which is its one encoding.
    case notCanonical
    case kindUnknown(String)
    /// A number outside 1 to `TrustBundle.largestSequence`.
    case numberRefused
    /// A time before 1970 or after the year 9999.
    case timeRefused
    /// It ends before it was made.
    case windowRefused
    /// No gate, too many, one twice, or an id no gate has.
    case gatesRefused
    /// No JSON object, or too large.
    case contentRefused
    /// An order for the clock that may be used for longer than `TimeOrder.longestUse`, or for a time outside of its use; a reset that may.
    case useTooLong
    /// A reset that does not name its gates.
    case resetOfAll

    // For one gate
    case wrongKind(found: Order.Kind, wanted: Order.Kind)
    case forOthers(this: String)
    /// It names gates, and this one has no id.
    case noGateID
    case expired(at: Seconds)
}
