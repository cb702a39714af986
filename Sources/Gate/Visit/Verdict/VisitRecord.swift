import AriesTransport
import Credentials
import Mdoc
import MdocTransport
import Presentation
import Trust
import Tuvali

/// What is kept of a visit: codes, counters and coarse sizes, nothing of the person or the credential.
public struct VisitRecord: Sendable {
    /// How a visit ended.
    public enum Outcome: String, Sendable, CaseIterable {
        case accepted, rejected
        /// The transfer failed; `error` says how.
        case failed
        /// The wallet left before a verdict.
        case left
        /// The wallet was too slow.
        case timedOut = "timed-out"
        /// The gate was stopped in the middle.
        case stopped
        /// The controller failed in the middle.
        case controllerFault = "controller-fault"
    }

    /// How the credential came.
    public enum Presentation: String, Sendable, CaseIterable {
        /// From a phone, over Tuvali.
        case tuvali
        /// In a code before the camera.
        case code
        /// From a phone that had shown an engagement to the camera (ISO/IEC 18013-5).
        case mdoc
        /// From a wallet that was asked for a proof in a DIDComm message (AnonCreds).
        case aries
        /// From a Trusted Key wallet that answered what stood on the screen.
        case trustedkey
    }

    /// Running number since the start of the process.
    public var visit: UInt64
    public var outcome: Outcome
    public var presentation = Presentation.tuvali
    public var reasons: [GateReason] = []
    public var error: TuvaliError?
    /// Why a phone's visit came to nothing, by its code.
    public var failure: String?
    /// What is kept of a document in a phone; nil of every other visit.
    public var mdoc: MdocRecord?
    /// What is kept of a presentation of AnonCreds; nil of every other visit.
    public var proven: AriesRecord?
    /// The deadline that was missed, of a visit that was too slow.
    public var deadline: MissedDeadline?
    /// By how many steps the deadlines were shortened, because others had been there in vain.
    public var step: UInt8 = 0
    public var form: CredentialForm?
    /// The trusted issuer's id, from the trust folder, where its signature held, also on a credential that is refused; never text of the
    /// wallet's.
    public var issuer: String?
    public var notes: [String] = []
    /// What has proven in this visit that it is the one the credential was issued to; nil without a credential that was believed.
    public var binding: HolderBinding?
    /// Whether the visitor was found to be the person in the credential; nil without a credential that was believed.
    public var isHolderBound: Bool?
    /// What came of comparing faces; nil where none were.
    public var face: FaceRecord?
    /// The trust bundle's sequence number, for a visit whose credential was looked at.
    public var bundle: Int64?
    /// Suite of a JSON-LD credential's proof and the rule its options were signed under.
    public var proof: ProofRecord?
    public var status: CredentialStatus?
    /// ATT MTU, chunks and checksum failures of the transfer.
    public var mtu: UInt16 = 0
    public var chunks = 0
    public var checksumFailures: UInt32 = 0
    /// The size of the message, or of the code's text, as a power of two: 2^n octets or more, less than twice that. Nil without one.
    public var sizeClass: Int?
    public var times = VisitTimes()
    /// Packets and writes dropped since the visit before.
    public var drops: UInt64 = 0
}

/// What is kept of a document in a phone: which bearer, which kind of document, and what became of it. No claim, and no text of the
/// phone's.
public struct MdocRecord: Hashable, Sendable {
    /// What carried the messages; nil where no link was open.
    public var bearer: MdocBearer?
    /// One of the site's own list.
    public var docType: String?
    /// What other verifiers of mdocs say of documents that are not verified, in the order of their steps.
    public var results: [MdocFault] = []

    init(_ report: MdocReport) { bearer = report.bearer }

    init(_ report: MdocReport, _ finding: MdocFinding) {
        bearer = report.bearer
        docType = finding.docType
        results = finding.results
    }
}

/// What is kept of a presentation of AnonCreds: of the bundle's own words, and what was proven. Never a value that was shown.
public struct AriesRecord: Hashable, Sendable {
    /// The deadline that the wallet missed.
    public var missed: AriesDeadline?
    /// It was posted on the gate's own network.
    public var isPosted: Bool
    /// The credential definition, by its id; nil where no proof held.
    public var definition: String?
    /// What was proven without being shown, as `birth_date <= 20080926`.
    public var statements: [String]

    init(_ proven: ProvenCredential?, missed: AriesDeadline?, isPosted: Bool) {
        self.missed = missed
        self.isPosted = isPosted
        definition = proven?.definitionID
        statements = proven?.statements ?? []
    }
}

/// When a visit's steps were done, in milliseconds since the wallet connected, or since the code was read.
public struct VisitTimes: Hashable, Sendable {
    public var identified: UInt64?
    public var received: UInt64?
    public var opened: UInt64?
    public var decided: UInt64?

    public init() {}
}
