import CBOR

/// Why a COSE object or key was refused. Nothing of it is believed after any of these.
public enum COSEError: Error, Hashable, Sendable {
    /// Not CBOR, or not the shape RFC 9052 gives the object.
    case malformed(CBORError)
    /// Another tag than that of a signature: encryption, MAC, something else.
    case notASignature
    /// The payload is somewhere else (RFC 9052 section 2, "detached").
    case payloadDetached
    /// More signatures than this gate is willing to check.
    case tooManySignatures

    // Headers
    /// A header parameter of the wrong type.
    case headerMalformed
    /// The same parameter in the protected and in the unprotected header (RFC 9052 section 3).
    case headerRepeated
    /// `crit` outside the protected header, malformed, or asking for an extension this gate does not have.
    case criticalHeaderRefused
    /// `alg` is missing from the protected header, or not one this gate believes.
    case algorithmRefused

    // Verification
    /// The algorithm does not belong to the kind of key.
    case keyMismatch
    case signatureInvalid
    /// Fewer trusted signers than asked for.
    case thresholdNotMet
    /// libcrypto could not make a signature.
    case cannotSign

    // Decryption
    /// Another key sealed it, or it was changed.
    case cannotOpen

    // Keys
    /// Not a public key this gate verifies with, or meant for something else.
    case keyRefused
    /// A private key where a public one belongs.
    case secretKey
}

extension CBORItem {
    /// Runs a decoder of this module's shapes; its refusals are `malformed`.
    package static func cose<Result>(_ body: () throws(CBORError) -> Result) throws(COSEError) -> Result {
        do throws(CBORError) {
            return try body()
        } catch {
            throw .malformed(error)
        }
    }
}
