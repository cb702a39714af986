import Cryptography
import JSON
import Testing

@testable import Credentials
@testable import Trust

@Suite struct BundleRootTests {
    private func root(_ text: String) throws(TrustError) -> TrustRoot { try TrustRoot(name: "root.json", bytes: Array(text.utf8)) }

    private func with(_ signers: String, threshold: String = "1") throws(TrustError) -> TrustRoot {
        try root(#"{"gatehouse-root":1,"threshold":\#(threshold),"signers":\#(signers)}"#)
    }

    private func fault(_ signers: String, threshold: String = "1") -> TrustError? {
        do throws(TrustError) { _ = try with(signers, threshold: threshold) } catch { return error }
        return nil
    }

    @Test func signersByJWKAndPEM() throws {
        let pem = TestKey.ed25519.pem.replacing("\n", with: "\\n")
        let root = try with(#"[{"kid":"alice","jwk":\#(TestSigner.alice.jwk)},{"kid":"bob","pem":"\#(pem)"}]"#, threshold: "2")
        #expect(root.threshold == 2 && root.signers.map(\.id) == ["alice", "bob"])
        #expect(try root.signers[1].key == TestKey.ed25519.publicKey)
        #expect(try TestBundle.root(threshold: 16, (0..<16).map { TestSigner("s\($0)", $0) }).signers.count == 16)
    }

    @Test("every fault is named with its member")
    func faults() throws {
        let alice = try TestSigner.alice.jwk, bob = try TestSigner.bob.jwk
        func expect(
            _ signers: String, _ member: String, _ reason: TrustError.Reason, threshold: String = "1",
            _ line: SourceLocation = #_sourceLocation
        ) {
            #expect(
                fault(signers, threshold: threshold) == TrustError(file: "root.json", member: member, reason: reason), sourceLocation: line)
        }
        let one = #"[{"kid":"alice","jwk":\#(alice)}]"#
        #expect(fault(one) == nil)
        for threshold in ["0", "-1", "2", "18446744073709551616"] {
            let reason: TrustError.Reason = threshold.count > 2 ? .wrongType : .wrongValue
            expect(one, "threshold", reason, threshold: threshold)
        }
        expect(one, "threshold", .wrongType, threshold: "\"1\"")
        expect(one, "threshold", .wrongType, threshold: "1.5")
        expect("[]", "signers", .wrongType)
        expect("{}", "signers", .wrongType)
        expect(#"[{"kid":"a","jwk":\#(alice)},{"kid":"a","jwk":\#(bob)}]"#, "signers[1]", .duplicate)
        expect(#"[{"kid":"a","jwk":\#(alice)},{"kid":"b","jwk":\#(alice)}]"#, "signers[1]", .duplicate)
        expect(#"[{"kid":"","jwk":\#(alice)}]"#, "signers[0].kid", .wrongType)
        expect(#"[{"kid":"\#(String(repeating: "k", count: 65))","jwk":\#(alice)}]"#, "signers[0].kid", .tooLarge)
        expect(#"[{"kid":"a"}]"#, "signers[0]", .wrongValue)
        expect(#"[{"kid":"a","jwk":\#(alice),"pem":"x"}]"#, "signers[0]", .wrongValue)
        expect(#"[{"kid":"a","jwk":\#(alice),"weight":2}]"#, "signers[0].weight", .unknown)
        expect(#"[{"kid":"a","jwk":\#(TestKey.p256.jwk)}]"#, "signers[0].jwk", .wrongValue)
        expect(#"[{"kid":"a","pem":"\#(TestKey.rsa.pem.replacing("\n", with: "\\n"))"}]"#, "signers[0].pem", .wrongValue)
        expect(#"[{"kid":"a","jwk":{}}]"#, "signers[0].jwk", .malformedKey)
        expect(#"[{"kid":"a","jwk":{"d":"x"}}]"#, "signers[0].jwk.d", .secretKey)
        expect(#"[{"kid":"a","jwk":{"kid":"b"}}]"#, "signers[0].jwk.kid", .wrongValue)
        let seventeen = try (0..<17 as Range<UInt8>).map { #"{"kid":"\#($0)","jwk":\#(try TestSigner("", $0).jwk)}"# }.joined(
            separator: ",")
        expect("[\(seventeen)]", "signers", .tooLarge)
        #expect(throws: TrustError(file: "root.json", member: "gatehouse-root", reason: .unsupportedVersion)) {
            try root(#"{"gatehouse-root":2}"#)
        }
        #expect(throws: TrustError(file: "root.json", member: "gatehouse-root", reason: .missing)) { try root("{}") }
        #expect(throws: TrustError(file: "root.json", member: "treshold", reason: .unknown)) {
            try root(#"{"gatehouse-root":1,"treshold":2}"#)
        }
        #expect(throws: TrustError(file: "root.json", reason: .malformed(JSONError(.truncated, at: 1)))) { try root("{") }
    }
}
