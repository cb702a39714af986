import AriesTransport
import Bluetooth
import Cryptography
import MdocTransport
import Presentation
import Tuvali

/// The memory of a gate: allocated once, before the first wallet comes, and lent to its parts for as long as it lives. Whoever looks at a
/// part copies nothing of it.
public final class GateStorage {
    let host: UnsafeMutablePointer<HostStorage>
    let session: UnsafeMutablePointer<SessionStorage>
    let penalties: UnsafeMutableBufferPointer<PenaltyBox.Entry>
    let codes: UnsafeMutableBufferPointer<CodeMemory.Place>
    let mdoc: UnsafeMutablePointer<MdocLinkStorage>
    /// Where a message comes together.
    let message: UnsafeMutableRawBufferPointer
    /// What a phone answers, and what it is asked.
    let answer: UnsafeMutableRawBufferPointer
    let question: UnsafeMutableRawBufferPointer
    /// What wallets of DIDComm say, and what they are told.
    let aries: UnsafeMutablePointer<AriesLinkStorage>
    let proof: UnsafeMutableRawBufferPointer
    let invitation: UnsafeMutableRawBufferPointer
    /// The texts of the codes on the screen, but for Tuvali's.
    let codeTexts: UnsafeMutableRawBufferPointer
    /// What the gate goes by, and the visit of now. Of a value that cannot be copied the compiler follows every member at every use of one:
    /// the hundreds of these two were half of what it took to compile `Gatekeeper`.
    let policy: Policy
    var visit = CurrentVisit()

    init(_ policy: Policy) {
        self.policy = policy
        host = .allocate(capacity: 1)
        host.initialize(to: HostStorage())
        session = .allocate(capacity: 1)
        session.initialize(to: SessionStorage())
        penalties = .allocate(capacity: PenaltyBox.capacity)
        penalties.initialize(repeating: PenaltyBox.Entry())
        codes = .allocate(capacity: CodeMemory.capacity)
        codes.initialize(repeating: CodeMemory.Place())
        mdoc = .allocate(capacity: 1)
        mdoc.initialize(to: MdocLinkStorage())
        message = .allocate(byteCount: TransferSize.maximumCiphertext, alignment: 64)
        answer = .allocate(byteCount: MessageSize.buffer, alignment: 64)
        question = .allocate(byteCount: MessageSize.longestRequest, alignment: 64)
        aries = .allocate(capacity: 1)
        aries.initialize(to: AriesLinkStorage())
        proof = .allocate(byteCount: PieceSize.longest, alignment: 64)
        invitation = .allocate(byteCount: AriesLink.longestOutgoing, alignment: 64)
        codeTexts = .allocate(byteCount: Offer.textSize, alignment: 64)
    }

    deinit {
        for memory in [message, answer, question, proof, invitation, codeTexts] {
            Cryptography.wipe(memory)
            memory.deallocate()
        }
        aries.deinitialize(count: 1)
        aries.deallocate()
        mdoc.deinitialize(count: 1)
        mdoc.deallocate()
        codes.deallocate()
        penalties.deallocate()
        session.deinitialize(count: 1)
        session.deallocate()
        host.deinitialize(count: 1)
        host.deallocate()
    }

    // MARK: for `doctor`

    /// One fixed buffer of the visit path.
    public struct Row: Sendable {
        public var name: StaticString
        /// Octets.
        public var size: Int
        public var purpose: StaticString
    }

    /// Every fixed buffer of the visit path and its size, those included that the parts allocate for themselves.
    public static var rows: [Row] {
        [
            Row(name: "message", size: TransferSize.maximumCiphertext, purpose: "ciphertext put together from chunks, decrypted in place"),
            Row(name: "payload", size: MessageOpener.payloadCap, purpose: "the message inflated; pages are touched as needed"),
            Row(name: "inflater", size: MessageOpener.workspaceSize, purpose: "all that zlib works in"),
            Row(name: "session", size: MemoryLayout<SessionStorage>.size, purpose: "chunk bitmap, checksum tables, report"),
            Row(name: "answer", size: MessageSize.buffer, purpose: "what a phone with a document says, put together from fragments"),
            Row(name: "question", size: MessageSize.longestRequest, purpose: "what it is asked"),
            Row(name: "proof", size: PieceSize.longest, purpose: "a DIDComm message put together from pieces"),
            Row(name: "invitation", size: AriesLink.longestOutgoing, purpose: "what its wallet is told: the question, then the verdict"),
            Row(name: "aries link", size: MemoryLayout<AriesLinkStorage>.size, purpose: "where a visit by DIDComm stands"),
            Row(name: "code texts", size: Offer.textSize, purpose: "what the codes on the screen say, but for Tuvali's"),
            Row(name: "link", size: MemoryLayout<MdocLinkStorage>.size, purpose: "where a phone's visit stands, and what it says last"),
            Row(name: "host", size: MemoryLayout<HostStorage>.size, purpose: "attribute table, reassembly and response frames, queues"),
            Row(
                name: "visitors", size: PenaltyBox.capacity * MemoryLayout<PenaltyBox.Entry>.stride,
                purpose: "addresses of those who were there in vain, for minutes"),
            Row(
                name: "codes", size: CodeMemory.capacity * MemoryLayout<CodeMemory.Place>.stride,
                purpose: "keyed digests of codes seen before the camera lately"),
            Row(name: "frame", size: MemoryLayout<PacketFrame>.size, purpose: "the packet on its way to the controller"),
        ]
    }
}
