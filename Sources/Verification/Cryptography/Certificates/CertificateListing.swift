import COpenSSL

/// What a signed list of certificates asks of its signer, and how it names its entries (mdoc.md section 6.2).
extension Certificate {
    /// Returns if a path through `intermediates` to one of `pinned` holds, by the rules of `CertificateChain`. It does not look at the
    /// certificate's own key, so that one on P-521 has a path as well.
    ///
    /// - Parameters:
    ///   - usages: extended key usages as dotted identifiers; everybody below the pinned certificate that has any has one of these.
    ///   - time: seconds since 1970.
    ///
    /// Throws the certificate cases of `CryptographyError`: of several pinned certificates, what the one says that knows most.
    public func checkPath(
        through intermediates: [Certificate], to pinned: [Certificate], usages: [String], at time: Int64
    ) throws(CryptographyError) {
        guard intermediates.count <= CertificateChain.mostIntermediates else { throw .chainTooLong }
        var reason = CryptographyError.untrustedRoot
        for root in pinned {
            do throws(CryptographyError) {
                let path = try CertificatePath(leaf: self, intermediates: intermediates, root: root, time: time)
                return try path.verify(usages: usages)
            } catch {
                // That a path does not lead there says nothing where it leads somewhere else.
                if [.untrustedRoot, .badCertificateSignature].contains(reason) { reason = error }
            }
        }
        throw reason
    }

    /// The serial number, most significant octet first and without leading zeros; nil for a negative one.
    public var serialNumber: [UInt8]? {
        guard let number = X509_get0_serialNumber(storage.certificate), ASN1_STRING_type(number) == V_ASN1_INTEGER,
            let start = ASN1_STRING_get0_data(number)
        else { return nil }
        let octets = UnsafeBufferPointer(start: start, count: max(0, Int(ASN1_STRING_length(number))))
        return Array(octets.drop { $0 == 0 })
    }
}

extension Certificate.KeyUsage {
    /// Also called contentCommitment.
    public static let nonRepudiation = Certificate.KeyUsage(rawValue: UInt32(KU_NON_REPUDIATION))
}
