import Cryptography
import Envelopes
import TestSupport
import Testing

@testable import Mdoc
@testable import Trust

/// `mdoc.json` of a trust folder (trust-format.md section 5).
struct MdocListingTests {
    private static let digest = String(repeating: "0a", count: 32)

    private func listing(_ text: String) -> Result<MdocListing, TrustError> {
        Result { () throws(TrustError) in try MdocListing(bytes: Array(text.utf8)) }
    }

    private func fault(_ members: String) -> TrustError? {
        if case .failure(let error) = listing(#"{"gatehouse-mdoc":1,\#(members)}"#) { error } else { nil }
    }

    @Test("what is written is read, one row a line")
    func rows() throws {
        var listing = MdocListing()
        #expect(try MdocListing(bytes: listing.bytes) == listing)
        let root = MdocListing.Root(
            file: "mdoc/a.der", digest: [UInt8](repeating: 10, count: 32), country: "UT", docTypes: ["a", "\"b\""], signerUsage: "1.2",
            provider: "Utopia")
        var other = root
        (other.provider, other.signerUsage) = (nil, nil)
        listing.roots = [root, other]
        listing.vicals = [
            MdocContents.Vical(
                provider: "Utopia", issue: nil, date: 0, nextUpdate: 86_400, digest: root.digest, signer: root.digest)
        ]
        #expect(try MdocListing(bytes: listing.bytes) == listing)
        let lines = String(decoding: listing.bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 13 && lines[3].hasPrefix(#"    {"file":"mdoc/a.der","sha256":"\#(Self.digest)","country":"UT""#))
        #expect(!root.isAbout(other) && root.isAbout(root))
    }

    @Test("as many roots as there may be are read again, and one more is named")
    func many() throws {
        var listing = MdocListing()
        let root = MdocListing.Root(
            file: "mdoc/a.der", digest: [UInt8](repeating: 10, count: 32), country: "UT", docTypes: ["a", "b", "c", "d"],
            provider: "Utopia")
        listing.roots = [MdocListing.Root](repeating: root, count: MdocContents.mostRoots)
        #expect(try MdocListing(bytes: listing.bytes).roots.count == MdocContents.mostRoots)
        listing.roots.append(root)
        #expect(throws: TrustError(file: "mdoc.json", member: "roots", reason: .tooLarge)) { try MdocListing(bytes: listing.bytes) }
    }

    @Test("each fault names file and member")
    func faults() {
        func expect(_ members: String, _ member: String, _ reason: TrustError.Reason) {
            #expect(fault(members) == TrustError(file: "mdoc.json", member: member, reason: reason), "\(members)")
        }
        #expect(listing("[]") == .failure(TrustError(file: "mdoc.json", member: "gatehouse-mdoc", reason: .wrongType)))
        #expect(listing("{}") == .failure(TrustError(file: "mdoc.json", member: "gatehouse-mdoc", reason: .missing)))
        #expect(
            listing(#"{"gatehouse-mdoc":2}"#)
                == .failure(TrustError(file: "mdoc.json", member: "gatehouse-mdoc", reason: .unsupportedVersion)))
        expect(#""root":[]"#, "root", .unknown)
        expect(#""roots":{}"#, "roots", .wrongType)
        expect(#""roots":[{}]"#, "roots[0].file", .missing)
        expect(#""roots":[{"file":"a","sha256":"00","country":"UT","docTypes":["a"]}]"#, "roots[0].sha256", .wrongValue)
        expect(#""roots":[{"file":"a","sha256":"\#(Self.digest)","country":"UT","docTypes":[]}]"#, "roots[0].docTypes", .wrongType)
        expect(
            #""roots":[{"file":"a","sha256":"\#(Self.digest)","country":"UT","docTypes":["a","a"]}]"#, "roots[0].docTypes[1]", .duplicate)
        expect(
            #""roots":[{"file":"a","sha256":"\#(Self.digest)","country":"UT","docTypes":["a"],"doctypes":[]}]"#, "roots[0].doctypes",
            .unknown)
        expect(#""vicals":[{"provider":"a","issue":-1,"date":"2026-01-01T00:00:00Z"}]"#, "vicals[0].issue", .wrongValue)
        expect(#""vicals":[{"provider":"a","date":"yesterday"}]"#, "vicals[0].date", .wrongValue)
        expect(#""revocationLists":[{"file":"a"}]"#, "revocationLists[0].fetched", .missing)
        expect(#""revocationLists":[{"file":"a","fetched":"2026-01-01T00:00:00Z","uri":"a"}]"#, "revocationLists[0].uri", .unknown)
        expect(#""statusTokens":[{"file":"a","fetched":"2026-01-01T00:00:00Z"}]"#, "statusTokens[0].uri", .missing)
        expect(#""readers":["a"]"#, "readers[0]", .wrongType)
    }

    @Test("files are read in PEM and DER, and are what their rows say")
    func files() throws {
        let der = hex(DocumentFixtures.root), digest = Hexadecimal.text(try Digest.hash(der.span, .sha256))
        let pem = Array("-----BEGIN CERTIFICATE-----\n".utf8) + Base64.encodeStandard(der) + Array("\n-----END CERTIFICATE-----\n".utf8)
        let list = hex(DocumentFixtures.revokingNobody)
        let listPEM = Array("-----BEGIN X509 CRL-----\n".utf8) + Base64.encodeStandard(list) + Array("\n-----END X509 CRL-----\n".utf8)
        let row = #"{"file":"a","sha256":"\#(digest)","country":"UT","docTypes":["a"]}"#
        let text =
            #"{"gatehouse-mdoc":1,"roots":[\#(row)],"revocationLists":[{"file":"b","fetched":"2026-01-01T00:00:00Z"}],"readers":[{"file":"c"}]}"#
        let listing = try MdocListing(bytes: Array(text.utf8))
        for (a, b) in [(der, list), (pem, listPEM)] {
            let found = try listing.contents { (file, _) throws(TrustError) in file == "a" ? a : file == "b" ? b : pem }
            #expect(found.roots.first?.certificate == der && found.revocations.first?.bytes == list && found.readers == [[der]])
        }
        func fault(_ files: [String: [UInt8]]) -> TrustError? {
            do throws(TrustError) {
                _ = try listing.contents { (file, _) throws(TrustError) in files[file] ?? [] }
                return nil
            } catch {
                return error
            }
        }
        let other = hex(DocumentFixtures.rootRenewed)
        #expect(fault(["a": other]) == TrustError(file: "mdoc.json", member: "roots[0].sha256", reason: .wrongValue))
        #expect(
            fault(["a": Array("-----BEGIN".utf8)]) == TrustError(file: "mdoc.json", member: "roots[0]", reason: .unusableRoot(.malformed)))
        #expect(
            fault(["a": der, "b": Array("-----BEGIN".utf8)])
                == TrustError(file: "mdoc.json", member: "revocationLists[0]", reason: .malformedRevocations))
        #expect(
            fault(["a": der, "b": list, "c": der])
                == TrustError(file: "mdoc.json", member: "readers[0]", reason: .unusableReader(.certificatesMalformed)))
    }
}
