import BoardTestSupport
import Foundation
import Testing

@testable import Desk
@testable import Linux

@Suite struct InstalledGateTests {
    @Test func aSystemWithoutASignIsNoGate() { #expect(InstalledGate(under: Stage().folder) == nil) }

    @Test(arguments: [
        "/etc/gatehouse-version", "/etc/gatehouse/board.json", "/etc/systemd/system/gatehouse.service",
        "/usr/lib/systemd/system/gatehouse.service", "/usr/local/lib/systemd/system/gatehouse.service",
    ]) func signs(_ path: String) throws {
        let stage = Stage(), file = URL(fileURLWithPath: stage.folder + path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: file)
        #expect(InstalledGate(under: stage.folder)?.path == path)
        // A unit that is masked is a link to nowhere: there is a gate all the same.
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/nonexistent")
        #expect(InstalledGate(under: stage.folder)?.path == path)
    }
}

@Suite struct ListAddressTests {
    private func fault(_ text: String) -> FetchError? {
        do throws(FetchError) { _ = try ListAddress(text) } catch { return error }
        return nil
    }

    @Test func addresses() throws {
        let address = try ListAddress("https://issuer.example:8443/status/1?a=b")
        #expect(address.authority == "issuer.example:8443" && address.fileName == "issuer.example-8443-status-1-a-b")
        #expect(try ListAddress("HTTPS://a").authority == "a")
        #expect(try ListAddress("https://a/\(String(repeating: "x", count: 500))").fileName.count == 120)
        #expect(try ListAddress("https://../../etc/passwd").fileName == "etc-passwd")
        #expect(try ListAddress("https://[::1]/x").fileName == "1--x")
    }

    @Test func whatIsNone() {
        for text in ["http://a/", "file:///etc/passwd", "https:/a", "-K/etc/passwd", "a"] { #expect(fault(text) == .notHTTPS) }
        for text in [
            "", "https://", "https:///x", "https://user@a/", "https://user:secret@a/", "https://a/#1", "https://a/ b", "https://a/\n",
            "https://\u{e4}.example/", "https://a/" + String(repeating: "x", count: 2048),
        ] { #expect(fault(text) == .addressRefused) }
    }
}

@Suite struct ListRequestTests {
    private func request(_ change: (timeout: Int, authorities: String?) = (60, nil)) throws -> ListRequest {
        ListRequest(try ListAddress("https://a.example/1"), most: 1000, timeout: change.timeout, authorities: change.authorities)
    }

    @Test func curlIsToldEverything() throws {
        let arguments = try request().arguments
        // Only as the very first does it keep curl from its own configuration.
        #expect(arguments.first == "--disable" && arguments.suffix(2) == ["--url", "https://a.example/1"])
        func value(_ option: String) -> String? { arguments.firstIndex(of: option).map { arguments[$0 + 1] } }
        #expect(value("--proto") == "=https" && value("--proto-redir") == "=https" && value("--max-redirs") == "3")
        #expect(value("--max-filesize") == "1000" && value("--max-time") == "60")
        #expect(!arguments.contains("--insecure") && !arguments.contains("--cacert"))
        #expect(try request((1, "own.pem")).arguments.contains("own.pem"))
    }

    @Test func proxies() {
        #expect(ListRequest.proxy([:]) == nil && ListRequest.proxy(["http_proxy": "x", "no_proxy": "y", "https_proxy": ""]) == nil)
        let found = ListRequest.proxy(["HTTPS_PROXY": "http://b:1", "https_proxy": "http://user:p@ss@a:3128"])
        #expect(found?.variable == "https_proxy" && found?.address == "http://a:3128")
        #expect(ListRequest.proxy(["ALL_PROXY": "me:secret@a:1"])?.address == "a:1")
    }

    /// A curl by script: what is made of its words.
    @Test func whatCurlSays() throws {
        let stage = Stage(), program = stage.path("curl")
        func answer(_ script: String, timeout: Int = 60) throws -> Result<ListRequest.Answer, FetchError> {
            try stage.put(Array("#!/bin/sh\n\(script)\n".utf8), "curl")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            let asked = try request((timeout, nil))
            return Result { () throws(FetchError) in try asked.fetch(by: program, ["https_proxy": "p", "HOME": "/"]) }
        }
        let report = #"printf '\n200\n1\ntext/plain\nhttps://b.example/2\n' >&2"#
        #expect(
            try answer("printf list; \(report)")
                == .success(
                    ListRequest.Answer(octets: Array("list".utf8), type: "text/plain", address: "https://b.example/2", redirects: 1)))
        #expect(try answer("printf \"$https_proxy$HOME\"; \(report)").get().octets == Array("p".utf8))
        #expect(try answer(report) == .failure(.empty))
        #expect(try answer("printf x") == .failure(.curl(0, words: "")))
        #expect(try answer("printf x; \(report.replacing("200", with: "302"))") == .failure(.answered(302)))
        #expect(try answer("echo 'curl: (22) no' >&2; \(report.replacing("200", with: "404")); exit 22") == .failure(.answered(404)))
        #expect(try answer("echo 'curl: (60) no' >&2; \(report); exit 60") == .failure(.curl(60, words: "curl: (60) no")))
        #expect(try answer("\(report); exit 28") == .failure(.tooSlow))
        #expect(try answer("\(report); exit 63") == .failure(.tooLarge))
        #expect(try answer("head -c 1001 /dev/zero; \(report)") == .failure(.tooLarge))
        #expect(try answer("kill -KILL $$") == .failure(.killed))
        try stage.remove("curl")
        let asked = try request(), gone = Result { () throws(FetchError) in try asked.fetch(by: program, [:]) }
        #expect(gone == .failure(.notStarted(SystemError(errno: 2))))
    }

    @Test func everyErrorHasASentence() {
        let errors: [FetchError] = [
            .notHTTPS, .addressRefused, .noCurl, .notStarted(.notFound), .tooLarge, .tooSlow, .answered(404), .killed, .empty,
        ]
        let sentences = (errors + (0..<100).map { FetchError.curl($0, words: "") }).map(\.description)
        #expect(sentences.allSatisfy { !$0.isEmpty } && Set(sentences.prefix(errors.count)).count == errors.count)
    }
}

@Suite struct SearchPathTests {
    @Test func programs() throws {
        let stage = Stage()
        try stage.put([UInt8](), "tool")
        #expect(SearchPath.program("tool", in: stage.folder) == nil, "not executable")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stage.path("tool"))
        #expect(SearchPath.program("tool", in: "/nonexistent:.:\(stage.folder)") == stage.path("tool"))
        #expect(SearchPath.program("tool", in: "") == nil && SearchPath.program("tool", in: ".") == nil)
        #expect(SearchPath.program("sh", in: nil) != nil)
    }
}
