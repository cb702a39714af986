import Linux

/// How a status list is fetched: by Debian's curl, whose TLS is kept by others, told everything that matters here and reading no
/// configuration of its own.
package struct ListRequest: Sendable {
    /// What came.
    package struct Answer: Hashable, Sendable {
        package let octets: [UInt8]
        /// As the server calls it; nothing rests on it.
        package let type: String
        /// Where it came from in the end, and after how many redirects.
        package let address: String
        package let redirects: Int
    }

    package let address: ListAddress
    /// Octets: those of a list in a bundle.
    package let most: Int
    /// Seconds, for connecting and everything after it.
    package let timeout: Int
    /// A file of certificates in PEM that the server's must come from, instead of the system's.
    package let authorities: String?

    package static let mostRedirects = 3
    /// Seconds that curl itself is given beyond its own limit before it is killed.
    private static let grace = 5

    package init(_ address: ListAddress, most: Int, timeout: Int, authorities: String? = nil) {
        self.address = address
        self.most = most
        self.timeout = timeout
        self.authorities = authorities
    }

    /// What curl is told. The first is that its own configuration files have no say.
    package var arguments: [String] {
        var arguments = [
            "--disable", "--silent", "--show-error", "--fail", "--globoff", "--disallow-username-in-url",
            "--proto", "=https", "--proto-redir", "=https", "--tlsv1.2", "--location", "--max-redirs", "\(Self.mostRedirects)",
            "--max-time", "\(timeout)", "--max-filesize", "\(most)", "--header", "Accept: \(Self.accepted)", "--write-out", Self.report,
        ]
        // The system's folder of certificates would be asked beside the file.
        if let authorities { arguments += ["--cacert", authorities, "--capath", "/nonexistent"] }
        return arguments + ["--output", "-", "--url", address.text]
    }

    /// A token is asked for first, and whatever the server has is looked at.
    private static let accepted =
        "application/statuslist+jwt, application/statuslist+cwt;q=0.9, application/vc;q=0.8, application/vc+ld+json;q=0.8, "
        + "application/ld+json;q=0.7, application/json;q=0.6, */*;q=0.1"

    /// Four lines behind whatever curl says on standard error.
    private static let report = #"%{stderr}\n%{http_code}\n%{num_redirects}\n%{content_type}\n%{url_effective}\n"#

    // MARK: The way there

    /// What of the environment curl gets: nothing but the way out that this computer's owner has set (curl(1), "ENVIRONMENT").
    package static let proxyVariables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]

    /// The variable by which a proxy is named, and the proxy without its password; nil where there is none.
    package static func proxy(_ variables: [String: String]) -> (variable: String, address: String)? {
        for name in proxyVariables.prefix(4) {
            guard let value = variables[name], !value.isEmpty else { continue }
            guard let end = value.lastIndex(of: "@") else { return (name, value) }
            let scheme = value.firstRange(of: "://").map { String(value[..<$0.upperBound]) } ?? ""
            return (name, scheme + String(value[value.index(after: end)...]))
        }
        return nil
    }

    // MARK: Fetching

    /// - Parameters:
    ///   - program: curl.
    ///   - variables: of the environment; only `proxyVariables` are passed on.
    package func fetch(by program: String, _ variables: [String: String]) throws(FetchError) -> Answer {
        let environment = Self.proxyVariables.compactMap { name in variables[name].map { "\(name)=\($0)" } } + ["LC_ALL=C"]
        let run: ProgramOutput
        do throws(SystemError) {
            run = try ProgramOutput(
                program, arguments, environment: environment, most: most, patience: .seconds(timeout + Self.grace))
        } catch {
            throw .notStarted(error)
        }
        var lines = String(decoding: run.errors, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // Behind the last end of line there is an empty one.
        let report = lines.suffix(5).dropLast()
        lines = lines.dropLast(5).filter { !$0.isEmpty }
        switch run.ending {
        case .tooMuch: throw .tooLarge
        case .tooLong: throw .tooSlow
        case .killed: throw .killed
        case .exited(0): break
        case .exited(22): throw .answered(report.first.flatMap { Int($0) } ?? 0)
        case .exited(28): throw .tooSlow
        case .exited(63): throw .tooLarge
        case .exited(let code): throw .curl(code, words: lines.last ?? "")
        }
        return try Self.answer(run.output, Array(report))
    }

    /// - Parameter report: the lines that `report` asks for.
    static func answer(_ octets: [UInt8], _ report: [String]) throws(FetchError) -> Answer {
        guard report.count == 4, let code = Int(report[0]), let redirects = Int(report[1]) else { throw .curl(0, words: "") }
        // A redirect that leads nowhere is no error to curl.
        guard code == 200 else { throw .answered(code) }
        guard !octets.isEmpty else { throw .empty }
        return Answer(octets: octets, type: report[2], address: report[3], redirects: redirects)
    }
}
