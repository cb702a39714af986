import Cryptography

/// A pinned public key and when it is believed.
public struct TrustedKey: Sendable {
    /// The exact `kid` of headers, or `verificationMethod` of proofs, signed with it.
    public let id: String
    /// The same as COSE has it: a byte string (RFC 9052 section 3.1).
    let octets: [UInt8]
    public let key: PublicKey
    /// The only algorithm it is believed with; nil where the trust file does not narrow it.
    public let algorithm: SignatureAlgorithm?
    /// Inclusive; nil is unlimited.
    public let notBefore: Seconds?
    /// Exclusive; nil is unlimited.
    public let notAfter: Seconds?

    func isCurrent(at time: Seconds) -> Bool {
        if let notBefore, time < notBefore { return false }
        if let notAfter, time >= notAfter { return false }
        return true
    }

    /// Whether this is the key a header means that says so. Throws `keyNotCurrent` and `keyMismatch`.
    func check(_ algorithm: SignatureAlgorithm, at time: Seconds) throws(RejectReason) {
        guard isCurrent(at: time) else { throw .keyNotCurrent }
        guard self.algorithm == nil || self.algorithm == algorithm else { throw .keyMismatch }
    }

    /// The octets of a COSE `kid` that is pinned as `hex:`, `base64url:` or the text itself; nil for what has the prefix and not the form, and for none.
    static func octets(of id: String) -> [UInt8]? {
        let text = Array(id.utf8)
        let forms: [(prefix: String, decode: (ArraySlice<UInt8>) -> [UInt8]?)] = [("hex:", Hexadecimal.decode), ("base64url:", { Base64.decode($0) })]
        for form in forms where text.starts(with: form.prefix.utf8) {
            guard let octets = form.decode(text.dropFirst(form.prefix.utf8.count)), !octets.isEmpty else { return nil }
            return octets
        }
        return text
    }
}

extension TrustedIssuer {
    /// The key that must have signed where a header does not say which: `kid` is recommended (SD-JWT VC) and optional (RFC 9052 section 3.1). It is the
    /// only one for that algorithm now: two are one too many, because nobody tries keys until one fits.
    ///
    /// Throws `keyUnknown` where there is none for the algorithm, `keyNotCurrent` where there is none now, `keyIDMissing` for more than one.
    func onlyKey(for algorithm: SignatureAlgorithm, at time: Seconds) throws(RejectReason) -> TrustedKey {
        let fitting = keys.filter { algorithm.fits($0.key.kind) && ($0.algorithm == nil || $0.algorithm == algorithm) }
        let current = fitting.filter { $0.isCurrent(at: time) }
        guard let key = current.first else { throw fitting.isEmpty ? .keyUnknown : .keyNotCurrent }
        guard current.count == 1 else { throw .keyIDMissing }
        return key
    }
}
