import CBOR
import Cryptography
import Envelopes

/// One document, step by step; the first step that fails is its reason (mdoc.md section 6.4).
struct DocumentExamination {
    let trust: MdocTrust
    let settings: MdocVerifier.Settings
    /// SessionTranscript, encoded.
    let transcript: [UInt8]
    let now: Seconds

    /// - Parameters:
    ///   - item: a Document.
    ///   - requested: whether such a document was asked for, and not handed over before.
    func result(
        of item: CBORItem, requested: Bool, _ macKeys: borrowing some DeviceMACKeys & ~Copyable
    ) -> DocumentResult {
        var result = DocumentResult(docType: MobileDocument.docType(of: item))
        do throws(DocumentFault) {
            try examine(item, requested, macKeys, &result)
        } catch {
            result.fail(error)
        }
        return result
    }

    private func examine(
        _ item: CBORItem, _ requested: Bool, _ macKeys: borrowing some DeviceMACKeys & ~Copyable, _ result: inout DocumentResult
    ) throws(DocumentFault) {
        let (document, object, signer) = try read(item)
        let keys = try checkKeys(signer, object)
        let chain = try IssuerChain(signer, trust, docType: document.docType, at: now)
        result.issuer = DocumentIssuer(commonName: chain.root.commonName, fingerprint: chain.root.fingerprint)
        result.warnings += chain.warnings
        try checkIssuer(document, keys.signer)
        result.validity = object.validity
        let claims = try checkObject(document, object, signer, &result)
        result.deviceAuthentication = try checkDevice(document, keys.device, macKeys, &result)
        try checkAuthorizations(document, object)
        guard requested else { throw .invalid(.notRequested) }
        result.returned = MdocElementNames(claims)
        result.errors = document.errors
        try checkDates(object.validity)
        try checkStatus(object, chain.root, &result)
        result.claims = claims
        result.deviceClaims = document.deviceItems
    }

    /// Step 0.
    private func read(_ item: CBORItem) throws(DocumentFault) -> (MobileDocument, SecurityObject, DocumentSigner) {
        let document: MobileDocument, object: SecurityObject
        do throws(CBORError) {
            document = try MobileDocument(item)
            guard let payload = document.issuerAuth.payload else { throw item.fault(.missing) }
            object = try SecurityObject(payload: payload)
        } catch {
            throw .invalid(error.reason == .tooManyItems ? .tooMuch : .malformed)
        }
        guard let certificate = document.issuerAuth.certificates.first else { throw .invalid(.chainMissing) }
        return (document, object, try DocumentSigner(certificate))
    }

    /// Steps 1 and 2.
    private func checkKeys(
        _ signer: DocumentSigner, _ object: SecurityObject
    ) throws(DocumentFault) -> (signer: CurvePoint, device: CurvePoint) {
        guard let signerKey = signer.key else { throw DocumentFault(.unsupportedCurve, .signerCurve) }
        guard let deviceKey = object.deviceKey else { throw DocumentFault(.deviceKeyInvalid, .deviceKey) }
        do throws(EngagementError) {
            return (signerKey, try SessionKey.decode(deviceKey.source))
        } catch {
            throw error == .unsupportedCurve
                ? DocumentFault(.unsupportedCurve, .deviceCurve) : DocumentFault(.deviceKeyInvalid, .deviceKey)
        }
    }

    /// Step 6. The algorithm belongs to the curve: nobody chooses it.
    private func checkIssuer(_ document: MobileDocument, _ key: CurvePoint) throws(DocumentFault) {
        guard document.issuerAuth.algorithm == key.curve.signatureAlgorithm else { throw .invalid(.issuerAlgorithm) }
        guard let payload = document.issuerAuth.payload, document.issuerAuth.isSigned(by: key, over: payload) else {
            throw .invalid(.issuerSignature)
        }
    }

    /// Step 7. Returns the elements whose digests the issuer signed.
    private func checkObject(
        _ document: MobileDocument, _ object: SecurityObject, _ signer: DocumentSigner, _ result: inout DocumentResult
    ) throws(DocumentFault) -> MdocClaims {
        guard object.isKnownVersion else { throw .invalid(.version) }
        guard object.docType.isExactly(document.docType) else { throw .invalid(.docType) }
        guard let algorithm = object.digestAlgorithm else { throw .invalid(.digestAlgorithm) }
        guard signer.validity.contains(object.validity.signed) else { throw .invalid(.signedOutsideSigner) }
        var claims = MdocClaims(), short = 0
        for nameSpace in document.items {
            var elements: [MdocClaims.Element] = [], seen: Set<[UInt8]> = []
            for item in nameSpace.items {
                guard let expected = object.digest(nameSpace.name, item.digestID), try digest(item, algorithm) == expected else {
                    throw .invalid(.digest)
                }
                guard seen.insert(Array(item.identifier.utf8)).inserted else { throw .invalid(.elementTwice) }
                if item.randomLength < IssuerSignedItem.shortestRandom { short += 1 }
                elements.append(MdocClaims.Element(identifier: item.identifier, value: item.value))
            }
            claims.append(nameSpace.name, elements)
        }
        if short > 0 { result.warnings.append(.shortRandom(elements: short)) }
        return claims
    }

    private func digest(_ item: IssuerSignedItem, _ algorithm: DigestAlgorithm) throws(DocumentFault) -> [UInt8] {
        do throws(CryptographyError) {
            return try item.encoded.withSource { (source) throws(CryptographyError) in try Digest.hash(source, algorithm) }
        } catch {
            throw .invalid(.unavailable)
        }
    }

    /// Step 8.
    private func checkDevice(
        _ document: MobileDocument, _ key: CurvePoint, _ macKeys: borrowing some DeviceMACKeys & ~Copyable, _ result: inout DocumentResult
    ) throws(DocumentFault) -> DeviceAuthentication {
        guard let proof = document.deviceAuth else { throw .invalid(.deviceAuthMissing) }
        let payload = MobileDocument.DeviceProof.payload(
            transcript: transcript, docType: document.docType, nameSpaces: document.deviceNameSpaces)
        if try proof.carries(payload) { result.warnings.append(.devicePayloadEmbedded) }
        return try proof.verify(payload, with: key, macKeys)
    }

    /// Step 9.
    private func checkAuthorizations(_ document: MobileDocument, _ object: SecurityObject) throws(DocumentFault) {
        for nameSpace in document.deviceItems.nameSpaces {
            for element in nameSpace.elements where !object.authorizations.allow(nameSpace.name, element.identifier) {
                throw DocumentFault(.deviceKeyInvalid, .keyNotAuthorised)
            }
        }
    }

    /// Step 11. The seconds that are named belong to the validity.
    private func checkDates(_ validity: DocumentValidity) throws(DocumentFault) {
        guard now <= validity.until.later(by: settings.skew) else { throw DocumentFault(.mobileCredentialExpired, .validUntil) }
        guard now.later(by: settings.skew) >= validity.from else { throw DocumentFault(.mobileCredentialNotYetValid, .validFrom) }
    }

    /// Step 12.
    private func checkStatus(_ object: SecurityObject, _ root: IssuerRoot, _ result: inout DocumentResult) throws(DocumentFault) {
        guard !settings.skipsStatus, let reference = object.status else { return }
        // A token may stand under the authority's renewed root.
        let status = DocumentStatus(reference, trust, under: trust.authority(of: root, for: object.docType), at: now)
        result.statusAge = status.age
        result.warnings += status.warnings
        if let fault = status.fault { throw fault }
    }
}
