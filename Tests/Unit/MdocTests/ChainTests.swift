import Cryptography
import Envelopes
import Testing

@testable import Mdoc

/// Certificates: which roots may be pinned, and whom they vouch for (mdoc.md section 6.1).
struct ChainTests {
    private func fault(_ root: String) -> RootFault? {
        do throws(RootFault) {
            _ = try IssuerRoot(octets: hex(root))
            return nil
        } catch {
            return error
        }
    }

    @Test func aRootThatBreaksARuleIsNone() throws {
        #expect(fault(DocumentFixtures.root) == nil)
        #expect(fault(DocumentFixtures.rootNotAnAuthority) == .notAnAuthority)
        #expect(fault(DocumentFixtures.rootWithoutSigning) == .keyUsage)
        #expect(fault(DocumentFixtures.rootOfTwoCountries) == .country)
        #expect(fault(DocumentFixtures.rootNotSelfSigned) == .notSelfSigned)
        #expect(fault(DocumentFixtures.rootOnBrainpool) == .unsupportedCurve)
        #expect(fault(DocumentFixtures.signer) == .notAnAuthority)
        #expect(fault("3000") == .malformed)
    }

    @Test func aRootOfTheProfileHasNoWarnings() throws {
        #expect(try IssuerRoot(octets: hex(DocumentFixtures.root)).warnings.isEmpty)
    }

    @Test func nobodyTrustedIsItsOwnReason() throws {
        #expect(try judge(TestDocument(), .test(roots: [])).detail == .issuerNotTrusted)
        #expect(try judge(TestDocument(), .test(roots: [DocumentFixtures.rootOfSameName])).detail == .issuerNotTrusted)
        let two = [DocumentFixtures.rootOfSameName, DocumentFixtures.root]
        #expect(try judge(TestDocument(), .test(roots: two)).fault == nil, "a look-alike before the root hides nothing")
    }

    @Test func aRootVouchesForItsDocumentsAlone() throws {
        #expect(try judge(TestDocument(), .test(docTypes: [TestDocument.docType])).fault == nil)
        #expect(try judge(TestDocument(), .test(docTypes: ["eu.europa.ec.eudi.pid.1"])).detail == .issuerNotTrusted)
    }

    @Test func aRootHasToBeValidNow() throws {
        #expect(try judge(TestDocument(), .test(roots: [DocumentFixtures.rootOver])).fault == .trustedIssuerCertificateExpired)
        #expect(try judge(TestDocument(), .test(roots: [DocumentFixtures.rootRenewed])).fault == .trustedIssuerCertificateNotYetValid)
        let both = [DocumentFixtures.rootOver, DocumentFixtures.rootRenewed]
        #expect(try judge(TestDocument(), .test(roots: both)).fault == .trustedIssuerCertificateNotYetValid)
        #expect(try judge(TestDocument(), .test(roots: both + [DocumentFixtures.root])).fault == nil)
    }

    @Test func anAuthorityMayHaveAUsageOfItsOwn() throws {
        let root = try IssuerRoot(octets: hex(DocumentFixtures.root), signerUsage: "1.3.130.2.0.0.1.2")
        #expect(try judge(TestDocument(), MdocTrust(roots: [root])).detail == .signerExtendedKeyUsage)
    }

    @Test func aSignerHasToBeValidNow() throws {
        let year: Seconds = 366 * 86_400
        #expect(try judge(TestDocument(), now: DocumentFixtures.now + year).detail == .signerValidity)
        #expect(try judge(TestDocument(), now: DocumentFixtures.now - year).detail == .signerValidity)
    }

    @Test func whoeverIsListedIsRevoked() throws {
        func verdict(_ lists: [String]) throws -> DocumentResult { try judge(TestDocument(), .test(lists: lists)) }
        #expect(try verdict([DocumentFixtures.revokingSigner]).detail == .signerRevoked)
        #expect(try verdict([DocumentFixtures.revokingNobody, DocumentFixtures.revokingSigner]).detail == .signerRevoked)
        #expect(try verdict([DocumentFixtures.revokingSignerLongAgo]).detail == .signerRevoked, "also by a list past its time")
        #expect(try verdict([DocumentFixtures.revokingNobody]).warnings.isEmpty)
        #expect(try verdict([DocumentFixtures.revokingSignerByAnother]).warnings == [.revocationListMissing], "nobody else's list counts")
        let stale = try verdict([DocumentFixtures.revokingNobodyLongAgo])
        #expect(stale.fault == nil && stale.warnings == [.revocationListStale(70 * 86_400)])
        #expect(try verdict([DocumentFixtures.revokingNobodyLongAgo, DocumentFixtures.revokingNobody]).warnings.isEmpty)
    }

    @Test func anAuthorityListsWithItsNewKeyWhomItsOldOneHadSigned() throws {
        let lists = [DocumentFixtures.revokingSignerByAnother], other = DocumentFixtures.rootOfSameName
        #expect(try judge(TestDocument(), .test(roots: [DocumentFixtures.root, other], lists: lists)).detail == .signerRevoked)
        #expect(try judge(TestDocument(), .test(roots: [other, DocumentFixtures.root], lists: lists)).detail == .signerRevoked)
        var trust = try MdocTrust.test(lists: lists)
        trust.roots.append(try IssuerRoot(octets: hex(other), docTypes: ["org.example"]))
        #expect(try judge(TestDocument(), trust).warnings == [.revocationListMissing], "a root of other documents takes nobody's away")
    }

    @Test func aRevocationListIsReadStrictly() throws {
        let list = hex(DocumentFixtures.revokingSigner)
        #expect(throws: CryptographyError.malformedCertificate) { try RevocationList(octets: list + [0]) }
        #expect(throws: CryptographyError.malformedCertificate) { try RevocationList(octets: list.dropLast()) }
        #expect(throws: CryptographyError.malformedCertificate) { try RevocationList(octets: hex(DocumentFixtures.root)) }
        var changed = list
        changed[changed.count - 1] ^= 1
        let octets = hex(DocumentFixtures.root), root = try Certificate(octets.span)
        #expect(try RevocationList(list.span).isIssued(by: root))
        #expect(try !RevocationList(changed.span).isIssued(by: root))
    }

    @Test func lifetimesThatOverflowAreNotShort() {
        #expect(!(Seconds.min...Seconds.max).isShorter(than: 1))
        #expect((0...5 as ClosedRange<Seconds>).isShorter(than: 5))
        #expect(Seconds.max.later(by: 1) == .max && Seconds(5).since(7) == 0 && Seconds.max.since(.min) == .max)
    }
}
