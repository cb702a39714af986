import Envelopes
import JSON
import TrustedKeyWallet

/// One of `vectors/NAME.json`: a gate's request, whom it trusts, and what a wallet answered.
package struct TrustedKeyVector: Sendable {
    /// An answer by its carrier, with its octets.
    package enum Answer: Sendable {
        case url([UInt8])
        case form([UInt8])
        case json([UInt8])

        package var octets: [UInt8] {
            switch self {
            case .url(let octets), .form(let octets), .json(let octets): octets
            }
        }

        /// Other octets by the same carrier.
        package func with(_ octets: [UInt8]) -> Answer {
            switch self {
            case .url: .url(octets)
            case .form: .form(octets)
            case .json: .json(octets)
            }
        }
    }

    package let request: TrustedKeyRequest
    package let verifier: TrustedKeyVerifier
    /// The gate's clock: seconds since 1970.
    package let now: Int64
    package let answer: Answer

    package init(_ value: JSONValue) throws(UnusableVector) {
        request = try Self.request(value["request"])
        guard let clientID = value["client_id"]?.string else { throw UnusableVector(what: "client_id") }
        verifier = TrustedKeyVerifier(clientID: clientID, trust: try Self.trust(value))
        guard let now = value["at"]?.int64 else { throw UnusableVector(what: "at") }
        self.now = now
        answer = try Self.answer(value)
    }

    /// What the gate says of this answer, or of another in its place.
    package func verified(_ answer: Answer? = nil) throws(TrustedKeyFault) -> VerifiedTrustedKey {
        let parsed: TrustedKeyAnswer
        switch answer ?? self.answer {
        case .url(let text): parsed = try TrustedKeyAnswer(url: text, to: request)
        case .form(let text): parsed = try TrustedKeyAnswer(form: text, to: request)
        case .json(let text): parsed = try TrustedKeyAnswer(json: text.span, to: request)
        }
        return try verifier.verify(parsed, to: request, at: now)
    }

    // MARK: the file's members

    private static func request(_ value: JSONValue?) throws(UnusableVector) -> TrustedKeyRequest {
        guard let value, let nonce = value["nonce"]?.string, let url = value["callbackUrl"]?.string else {
            throw UnusableVector(what: "request")
        }
        let type = TrustedKeyRequest.CallbackType(rawValue: value["callbackType"]?.string ?? "JSON")
        guard let type else { throw UnusableVector(what: "callbackType") }
        var objects: [TrustedKeyObject] = []
        for identifier in identifiers(value["objectIds"]) {
            guard let object = TrustedKeyObject(identifier) else { throw UnusableVector(what: "objectIds") }
            objects.append(object)
        }
        do throws(TrustedKeyRequestError) {
            return try TrustedKeyRequest(nonceText: nonce, callbackURL: url, callbackType: type, objects: objects)
        } catch {
            throw UnusableVector(what: "request: \(error.rawValue)")
        }
    }

    /// A list, or a text with commas; none where it is not there.
    private static func identifiers(_ value: JSONValue?) -> [String] {
        if let text = value?.string, !text.isEmpty { return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        return value?.elements?.map { $0.string ?? "" } ?? []
    }

    private static func trust(_ value: JSONValue) throws(UnusableVector) -> TrustedKeyTrust {
        guard let roots = value["trusted_roots"]?.elements, let listed = value["revoked"]?.elements else {
            throw UnusableVector(what: "trusted_roots, revoked")
        }
        var pinned: [TrustedKeyRoot] = []
        for root in roots {
            guard let der = root.string.flatMap({ Base64.decode($0, alphabet: .standard) }), let root = try? TrustedKeyRoot(der.span) else {
                throw UnusableVector(what: "trusted_roots")
            }
            pinned.append(root)
        }
        var revoked: Set<RevokedAddress> = []
        for address in listed {
            guard let address = address.string.flatMap({ RevokedAddress($0) }) else { throw UnusableVector(what: "revoked") }
            revoked.insert(address)
        }
        return TrustedKeyTrust(roots: pinned, revoked: revoked)
    }

    /// A body is the decoded form or JSON, as an object; or the text of either.
    private static func answer(_ value: JSONValue) throws(UnusableVector) -> Answer {
        if value["form"]?.isString("url") == true, let text = value["callback"]?.stringBytes { return .url(text) }
        guard value["form"]?.isString("post") == true, let body = value["body"] else { throw UnusableVector(what: "form") }
        guard let text = body.stringBytes else { return .json(body.source) }
        return text.first == UInt8(ascii: "{") ? .json(text) : .form(text)
    }
}
