import Cryptography
import Foundation
import TestSupport
import Testing

@Suite struct CertificateChainTests {
    typealias Fixture = CertificateFixtures
    /// 2026-01-01T00:00:00Z
    static let now: Int64 = 1_767_225_600

    /// The one usage a fixture has (ISO/IEC 18013-5 annex B).
    static let mdocSigning = "1.0.18013.5.1.2"

    static func der(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }

    static func verify(
        _ certificates: [String], roots: [String] = [Fixture.root], usages: [String] = [mdocSigning], at time: Int64 = now
    ) -> Result<CertificateChain, CryptographyError> {
        do throws(CryptographyError) {
            var pinned: [Certificate] = []
            for root in roots {
                let bytes = der(root)
                pinned.append(try Certificate(bytes.span))
            }
            return .success(try CertificateChain(x5c: certificates.map(der), roots: pinned, usages: usages, at: time))
        } catch {
            return .failure(error)
        }
    }

    static func refusal(
        _ certificates: [String], roots: [String] = [Fixture.root], usages: [String] = [mdocSigning], at time: Int64 = now
    ) -> CryptographyError? {
        if case .failure(let error) = verify(certificates, roots: roots, usages: usages, at: time) { error } else { nil }
    }

    @Test func aPathToThePinnedRootGivesKeyNamesAndDates() throws {
        let chain = try Self.verify([Fixture.leaf, Fixture.middle], roots: [Fixture.lookalikeRoot, Fixture.root]).get()
        #expect(chain.publicKey.kind == .p256)
        #expect(chain.dnsNames == ["issuer.example", "*.issuer.example"])
        #expect(chain.uris == ["https://issuer.example/vct"])
        // 2024-01-01 to 2034-01-01.
        #expect(chain.validity == 1_704_067_200...2_019_686_400)
        #expect(chain.rootIndex == 1)
    }

    @Test func orderExtrasAndTheRootItselfDoNotMatter() {
        #expect(Self.refusal([Fixture.leaf, Fixture.root, Fixture.middle]) == nil)
        #expect(Self.refusal([Fixture.leaf, Fixture.lookalikeRoot, Fixture.expiredMiddle, Fixture.middle]) == nil)
        #expect(Self.refusal([Fixture.directLeaf]) == nil)
        #expect(Self.refusal([Fixture.directLeaf], usages: ["1.3.6.1.5.5.7.3.36"]) == .certificateUsage)
        #expect(Self.refusal([Fixture.edwardsLeaf]) == nil)
        #expect(Self.refusal([Fixture.rsaLeaf]) == nil)
        #expect(Self.refusal([Fixture.bareLeaf]) == nil)
    }

    @Test func aPinnedCertificateIsItsOwnRoot() throws {
        #expect(Self.refusal([Fixture.selfSigned], roots: [Fixture.selfSigned]) == nil)
        #expect(Self.refusal([Fixture.leaf], roots: [Fixture.leaf]) == nil)
        #expect(Self.refusal([Fixture.leaf], roots: [Fixture.middle]) == nil)
        // A pinned leaf is no authority over others.
        #expect(Self.refusal([Fixture.leafOfLeaf], roots: [Fixture.leaf]) == .notAnAuthority)
    }

    @Test func withoutAPathThereIsNoTrust() {
        #expect(Self.refusal([Fixture.leaf]) == .untrustedRoot)
        #expect(Self.refusal([Fixture.leaf, Fixture.middle], roots: []) == .untrustedRoot)
        #expect(Self.refusal([Fixture.selfSigned]) == .untrustedRoot)
        #expect(Self.refusal([Fixture.leaf, Fixture.middle, Fixture.root], roots: [Fixture.selfSigned]) == .untrustedRoot)
        #expect(Self.refusal([]) == .malformedCertificate)
    }

    @Test func aLookalikeRootSignsNothing() {
        let refused = Self.refusal([Fixture.leaf, Fixture.middle], roots: [Fixture.lookalikeRoot])
        #expect(refused == .badCertificateSignature || refused == .untrustedRoot)
        let forged = Self.refusal([Fixture.forgedLeaf, Fixture.middle])
        #expect(forged == .badCertificateSignature || forged == .untrustedRoot)
    }

    @Test func timeDecides() {
        let first: Int64 = 1_704_067_200
        let last: Int64 = 2_019_686_400
        let path = [Fixture.leaf, Fixture.middle]
        #expect(Self.refusal(path, at: first) == nil)
        #expect(Self.refusal(path, at: last) == nil || Self.refusal(path, at: last) == .certificateExpired)
        #expect(Self.refusal(path, at: first - 1) == .certificateNotYetValid)
        #expect(Self.refusal(path, at: last + 1) == .certificateExpired)
        #expect(Self.refusal([Fixture.leaf, Fixture.expiredMiddle]) == .certificateExpired)
        // The root's own dates count too, and a clock at zero or at the end of time is no reason to trap.
        #expect(Self.refusal(path, at: 0) == .certificateNotYetValid)
        #expect(Self.refusal(path, at: .max) != nil)
        #expect(Self.refusal(path, at: .min) != nil)
    }

    @Test func onlyAuthoritiesSign() {
        #expect(Self.refusal([Fixture.leaf, Fixture.middleWithoutConstraints]) == .notAnAuthority)
        #expect(Self.refusal([Fixture.leaf, Fixture.middleThatIsNoAuthority]) == .notAnAuthority)
        let mayNot = Self.refusal([Fixture.leaf, Fixture.middleThatMayNotSign])
        #expect(mayNot == .notAnAuthority || mayNot == .untrustedRoot)
        #expect(Self.refusal([Fixture.leafOfLeaf, Fixture.leaf, Fixture.middle]) == .notAnAuthority)
        // The intermediate's path length is zero: no further authority below it.
        #expect(Self.refusal([Fixture.lowerLeaf, Fixture.lower, Fixture.middle]) == .notAnAuthority)
    }

    @Test func constraintsAndUnknownCriticalExtensionsBind() {
        #expect(Self.refusal([Fixture.leaf, Fixture.middleForOthers]) == .certificateConstraint)
        #expect(Self.refusal([Fixture.strangeLeaf]) == .certificateConstraint)
    }

    @Test func weakAndUnsupportedKeysAreRefused() {
        #expect(Self.refusal([Fixture.weakLeaf]) == .weakCertificate)
        #expect(Self.refusal([Fixture.brainpoolLeaf]) == .unsupportedKey)
        #expect(Self.refusal([Fixture.rsaSignedLeaf], roots: [Fixture.rsaRoot]) == nil)
        #expect(Self.refusal([Fixture.sha1Leaf], roots: [Fixture.rsaRoot]) == .weakCertificate)
    }

    @Test func namesWithHiddenBytesAreMalformed() {
        #expect(Self.refusal([Fixture.leafWithHiddenName]) == .malformedCertificate)
        #expect(Self.refusal([Fixture.leafWithBrokenNames]) != nil)
    }

    @Test func tooManyCertificatesAreNotWalked() {
        let many = [Fixture.leaf] + Array(repeating: Fixture.middle, count: CertificateChain.mostIntermediates + 1)
        #expect(Self.refusal(many) == .chainTooLong)
        #expect(Self.refusal(Array(many.dropLast())) == nil)
    }

    @Test func everyTruncationIsMalformedAndEveryFlippedByteIsRefused() throws {
        let leaf = Self.der(Fixture.directLeaf)
        let rootBytes = Self.der(Fixture.root)
        let root = try Certificate(rootBytes.span)
        func refusal(_ der: [UInt8]) -> CryptographyError? {
            failure { () throws(CryptographyError) in
                _ = try CertificateChain(x5c: [der], roots: [root], usages: [Self.mdocSigning], at: Self.now)
            }
        }
        #expect(refusal(leaf) == nil)
        for length in 0..<leaf.count { #expect(refusal(Array(leaf.prefix(length))) == .malformedCertificate) }
        #expect(refusal(leaf + [0]) == .malformedCertificate)
        for index in leaf.indices {
            var changed = leaf
            changed[index] ^= 0x01
            #expect(refusal(changed) != nil, "\(index)")
        }
    }

    @Test func aCertificateGivesItsKey() throws {
        let der = Self.der(Fixture.rsaLeaf)
        #expect(try PublicKey(certificate: der.span).kind == .rsa(bits: 2048))
        let weak = Self.der(Fixture.weakLeaf)
        #expect(failure { () throws(CryptographyError) in _ = try PublicKey(certificate: weak.span) } == .keySizeRefused)
        let huge = [UInt8](repeating: 0x30, count: Certificate.longest + 1)
        #expect(failure { () throws(CryptographyError) in _ = try Certificate(huge.span) } == .malformedCertificate)
    }

    @Test func profilesCanAskForUsagesAndNames() throws {
        func certificate(_ base64: String) throws -> Certificate {
            let der = Self.der(base64)
            return try Certificate(der.span)
        }
        let signer = try certificate(Fixture.directLeaf)
        #expect(signer.keyUsage == .digitalSignature)
        #expect(try signer.extendedKeyUsages() == ["1.0.18013.5.1.2"])
        #expect(try signer.subject(.country) == ["UT"])
        #expect(try signer.subject(.commonName) == ["Leaf"])
        #expect(try signer.subject(.stateOrProvince) == [])
        let root = try certificate(Fixture.root)
        #expect(root.keyUsage == [.certificateSigning, .listSigning])
        #expect(try root.extendedKeyUsages() == nil)
        #expect(try certificate(Fixture.bareLeaf).keyUsage == nil)
        let der = Self.der(Fixture.root)
        #expect(try root.fingerprint() == Digest.hash(der.span, .sha256))
    }

    /// Nothing a stranger puts into an x5c header may do more than fail.
    @Test func damagedCertificatesOnlyFail() throws {
        let rootBytes = Self.der(Fixture.root)
        let root = try Certificate(rootBytes.span)
        let middle = Self.der(Fixture.middle)
        let leaf = Self.der(Fixture.leaf)
        var random = SeededRandom(seed: 0x2545_f491_4f6c_dd1d)
        func next(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        for _ in 0..<4000 {
            var damaged = leaf
            for _ in 0...next(6) { damaged[next(damaged.count)] = UInt8(next(256)) }
            if next(4) == 0 { damaged.removeSubrange(0..<next(20)) }
            let refused = failure { () throws(CryptographyError) in
                let chain = try CertificateChain(x5c: [damaged, middle], roots: [root], usages: [Self.mdocSigning], at: Self.now)
                _ = try chain.leaf.extendedKeyUsages()
                _ = try chain.leaf.subject(.commonName)
            }
            // Now and then the damage writes back what was there.
            #expect(refused != nil || damaged == leaf)
        }
    }
}
