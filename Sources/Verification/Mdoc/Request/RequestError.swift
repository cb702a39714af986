/// Why a request is none that this gate sends, or cannot be signed.
public enum RequestError: Error, Hashable, Sendable {
    /// No document, or one without an element: nothing would be asked.
    case empty
    /// More documents than `DeviceRequest.mostDocuments`, or more elements than `DocumentRequest.mostElements`.
    case tooMuch
    /// The same name space, or the same element of one, twice.
    case repeated
    /// More than two `age_over_NN` in one document (mdoc.md section 4).
    case tooManyAges
    /// The signer could not sign.
    case cannotSign
}

/// Why a reader's key cannot be used.
public enum ReaderKeyError: Error, Hashable, Sendable, CaseIterable {
    /// No PEM text of a private key, or an encrypted one.
    case keyMalformed
    /// A key of another kind, or on another curve than P-256, P-384 and P-521.
    case keyUnsupported
    /// No certificate, one that does not parse, or more than `ReaderKey.mostCertificates`.
    case certificatesMalformed
    /// One that was not issued by the next.
    case certificatesBroken
    /// The first certificate is of another key.
    case certificateOfAnotherKey
}
