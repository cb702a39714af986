import Linux

/// Why nothing was fetched.
package enum FetchError: Error, Hashable, Sendable {
    // Before anybody is asked
    /// Another scheme than https.
    case notHTTPS
    /// Not an address that a list in a bundle can have.
    case addressRefused
    /// There is no curl in the folders of PATH.
    case noCurl
    /// curl could not be started.
    case notStarted(SystemError)

    // While it is fetched
    /// More octets than a list in a bundle may have.
    case tooLarge
    /// Not whole within the time that it may take.
    case tooSlow
    /// Another answer than 200.
    case answered(Int)
    /// curl gave up: its exit code (curl(1)), and its own last words.
    case curl(Int32, words: String)
    /// Somebody else ended curl.
    case killed
    /// Nothing at all.
    case empty
}

extension FetchError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notHTTPS: "only https is fetched: over anything else somebody on the way chooses what comes, and sees what is asked for"
        case .addressRefused: "not an address of a list: https://HOST/PATH in plain ASCII, without a name, a password and #"
        case .noCurl: "there is no curl on this computer, which does the fetching: apt install curl"
        case .notStarted(let error): "curl cannot be started (\(error.cause))"
        case .tooLarge: "more than 1 MiB: no trust bundle takes such a list"
        case .tooSlow: "not there in time (--timeout)"
        case .answered(let code): "the server answered \(code), and has no such list for us"
        case .curl(let code, let words): Self.sentence(code) + " (\(words.isEmpty ? "curl \(code)" : words))"
        case .killed: "curl was killed"
        case .empty: "the server answered with nothing"
        }
    }

    /// The exit codes that an operator can do something about.
    private static func sentence(_ code: Int32) -> String {
        switch code {
        case 1: "the server sends it on to an address that is not https, and only https is followed"
        case 5: "the proxy has a name that is not known"
        case 6: "the server's name is not known"
        case 7: "nobody answers there"
        case 18, 56, 92: "it broke off before its end"
        case 35, 51, 58, 59, 60, 77, 83, 90, 91: "the server does not prove by a certificate that it is the one it is called"
        case 47: "the server sends it on more than \(ListRequest.mostRedirects) times"
        case 52: "the server answered with nothing"
        default: "it could not be fetched"
        }
    }
}
