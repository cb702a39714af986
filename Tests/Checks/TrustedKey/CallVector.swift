import Envelopes
import JSON
import TrustedKeyWallet

/// `nested.json`: a wallet's call, with the secret and the body that belong to it.
struct CallVector {
    private let secret: [UInt8]
    private let body: [UInt8]?
    private let bearer: [UInt8]
    private let url: String
    private let issued: Int64
    private let address: String
    private let value: JSONValue

    /// Nil where a member is missing.
    init?(_ value: JSONValue) {
        guard let secret = value["secret"]?.stringBytes, let bearer = value["nested"]?.stringBytes,
            let url = value["claims"]?["aud"]?.string, let issued = value["claims"]?["iat"]?.int64, let address = value["address"]?.string
        else { return nil }
        (self.secret, self.bearer, self.url, self.issued, self.address, self.value) = (secret, bearer, url, issued, address, value)
        body = value["body"]?.stringBytes
    }

    func differences() -> [String] {
        var differences: [String] = []
        do throws(WalletCallFault) {
            let call = try WalletCall(bearer: bearer, body: body, url: url, at: issued) { _ in secret }
            if call.address.text != address { differences.append("expected address \(address), found \(call.address.text)") }
        } catch {
            differences.append("refused: \(error.rawValue)")
        }
        // The same call with one thing another.
        let others: [(String, [UInt8], [UInt8]?, String, Int64, [UInt8])] = [
            ("secret", bearer, body, url, issued, secret + [0x21]), ("body", bearer, (body ?? []) + [0x20], url, issued, secret),
            ("address", bearer, body, url + "/", issued, secret), ("time", bearer, body, url, issued + 60, secret),
            ("length", Array(bearer.dropLast()), body, url, issued, secret),
        ]
        for (name, bearer, body, url, now, secret) in others
        where (try? WalletCall(bearer: bearer, body: body, url: url, at: now) { _ in secret }) != nil {
            differences.append("accepted with another \(name)")
        }
        return differences
    }
}
