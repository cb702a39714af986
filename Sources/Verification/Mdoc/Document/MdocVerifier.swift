import CBOR
import Cryptography
import Envelopes

/// Verifies what a phone answers (mdoc.md section 6): whom the issuer is trusted for, what it signed, that the device it was given to takes
/// part in this very session, and that all of it is good now.
public struct MdocVerifier: Sendable {
    public struct Settings: Hashable, Sendable {
        /// Seconds that clocks may differ, at both ends of a document's validity. Certificates have none.
        public var skew: Seconds
        /// Whether a document's status is not asked for.
        public var skipsStatus: Bool

        /// The longest difference: a day is more than any clock of a gate in service is off.
        public static let longestSkew: Seconds = 86_400

        public init(skew: Seconds = 0, skipsStatus: Bool = false) {
            self.skew = min(max(skew, 0), Self.longestSkew)
            self.skipsStatus = skipsStatus
        }
    }

    public let trust: MdocTrust
    public let settings: Settings

    public init(trust: MdocTrust, settings: Settings = Settings()) {
        self.trust = trust
        self.settings = settings
    }

    /// What a DeviceResponse turns out to be: of every document either its claims or the reason why there are none.
    ///
    /// - Parameters:
    ///   - response: the DeviceResponse as it was decrypted.
    ///   - transcript: SessionTranscript of the session it came in, encoded. A device's signature holds in no other session.
    ///   - requested: the docTypes that were asked for; twice for two of a kind.
    ///   - macKeys: the session, or who else holds the gate's ephemeral key.
    ///   - now: seconds since 1970.
    ///
    /// Throws where nothing can be read from it.
    public func verify(
        response: Span<UInt8>, transcript: [UInt8], requested: [String], macKeys: borrowing some DeviceMACKeys & ~Copyable, now: Seconds
    ) throws(ResponseError) -> DeviceResponseResult {
        let parsed = try DeviceResponse(response)
        guard (try? CBORDocument(parsing: transcript, options: ResponseLimits.options).root.kind) == .array else {
            throw .transcriptMalformed
        }
        let examination = DocumentExamination(trust: trust, settings: settings, transcript: transcript, now: now)
        var left = requested, results: [DocumentResult] = []
        for document in parsed.documents {
            // Asked for once, a second one of the same kind is more than was asked for.
            let place = MobileDocument.docType(of: document).flatMap { docType in left.firstIndex { $0.isExactly(docType) } }
            if let place { left.remove(at: place) }
            results.append(examination.result(of: document, requested: place != nil, macKeys))
        }
        return DeviceResponseResult(status: parsed.status, documentErrors: parsed.errors, documents: results)
    }
}
