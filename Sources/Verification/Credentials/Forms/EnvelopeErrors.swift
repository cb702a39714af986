import Envelopes

/// What is wrong with an envelope, in the words of a verdict.
extension COSEError {
    var rejectReason: RejectReason {
        switch self {
        case .malformed(let error) where [.tooDeep, .tooManyItems].contains(error.reason): .tooComplex
        case .malformed(let error) where error.reason == .tooLong: .messageTooLarge
        case .malformed, .notASignature, .payloadDetached, .tooManySignatures: .payloadMalformed
        case .headerMalformed, .headerRepeated: .headerMalformed
        case .criticalHeaderRefused: .criticalHeaderRefused
        case .algorithmRefused: .algorithmRefused
        case .keyMismatch: .keyMismatch
        case .signatureInvalid, .thresholdNotMet, .cannotSign: .signatureInvalid
        case .keyRefused, .secretKey: .keyUnknown
        case .cannotOpen: .decryptionFailed
        }
    }
}

extension JWSError {
    /// - Parameter notCompact: what a text of another shape is where this one was looked for.
    func rejectReason(notCompact: RejectReason) -> RejectReason {
        switch self {
        case .notCompact: notCompact
        case .headerMalformed: .headerMalformed
        case .criticalHeaderRefused: .criticalHeaderRefused
        case .algorithmRefused: .algorithmRefused
        case .certificateMalformed: .certificateMalformed
        }
    }
}

extension CompactJWS {
    /// The same in the words of a verdict.
    init(_ text: ArraySlice<UInt8>, malformed: RejectReason) throws(RejectReason) {
        do throws(JWSError) {
            try self.init(text)
        } catch {
            throw error.rejectReason(notCompact: malformed)
        }
    }
}

extension JOSEHeader {
    /// `x5c` in the words of a verdict: DER certificates, leaf first; none when absent.
    var certificateChain: [[UInt8]] {
        get throws(RejectReason) {
            do throws(JWSError) {
                return try certificates()
            } catch {
                throw error.rejectReason(notCompact: .headerMalformed)
            }
        }
    }
}

extension COSEHeader {
    /// `x5t` in the words of a verdict; nil when absent.
    var certificateThumbprint: CertificateThumbprint? {
        get throws(RejectReason) {
            do throws(COSEError) {
                return try thumbprint()
            } catch {
                throw error.rejectReason
            }
        }
    }

    /// `x5chain` in the words of a verdict: DER certificates, leaf first; none when absent.
    var certificateChain: [[UInt8]] {
        get throws(RejectReason) {
            do throws(COSEError) {
                return try certificates()
            } catch {
                throw error.rejectReason
            }
        }
    }
}
