import Cryptography
import Envelopes

/// What a wallet answers, taken apart (trustedkey.md sections 2 and 3, steps 1 and 2): nothing in it is believed yet.
public struct TrustedKeyAnswer: Sendable {
    /// The compact JWS.
    private(set) var token: [UInt8]
    /// DER of the claims, or what is said to be that.
    private(set) var claims: [[UInt8]]
    /// The same of their issuers.
    private(set) var issuers: [[UInt8]]

    /// Whether anything is sent that somebody may vouch for.
    public var hasClaims: Bool { !claims.isEmpty }

    /// From the whole address that a wallet shows as a code or calls.
    ///
    /// Throws `answerMalformed`, `callbackMismatch`, `nonceMismatch`, `declined`.
    public init(url: [UInt8], to request: TrustedKeyRequest) throws(TrustedKeyFault) {
        guard url.count <= AnswerParameters.longest else { throw .answerMalformed }
        // Octet for octet: an address that means the same is another one, and no wallet has a reason to write it otherwise.
        let address = Array(request.callbackURL.utf8), separator = CallbackAddress.separator(after: request.callbackURL)
        guard url.starts(with: address), !url.contains(UInt8(ascii: "#")) else { throw .callbackMismatch }
        let rest = url[address.count...]
        guard rest.isEmpty || rest.starts(with: separator) else { throw .callbackMismatch }
        try self.init(AnswerParameters(query: rest.dropFirst(separator.count)), to: request)
    }

    /// From the body of a form, `application/x-www-form-urlencoded`.
    ///
    /// Throws `answerMalformed`, `nonceMismatch`, `declined`. Which address it was sent to, the listener looks at.
    public init(form: [UInt8], to request: TrustedKeyRequest) throws(TrustedKeyFault) {
        try self.init(AnswerParameters(query: form[...]), to: request)
    }

    /// From a body of JSON. Throws as `init(form:to:)`.
    public init(json: Span<UInt8>, to request: TrustedKeyRequest) throws(TrustedKeyFault) {
        try self.init(AnswerParameters(json: json), to: request)
    }

    private init(_ parameters: AnswerParameters, to request: TrustedKeyRequest) throws(TrustedKeyFault) {
        claims = try SentCertificates.decode(parameters[.certs], most: SentCertificates.mostClaims)
        issuers = try SentCertificates.decode(parameters[.chain], most: SentCertificates.mostIssuers)
        let nonce = parameters[.nonce] ?? []
        // A request that is wiped has no answer.
        guard !request.nonceText.isEmpty, constantTimeEqual(nonce.span, request.nonceText.span) else { throw .nonceMismatch }
        guard parameters[.result].map({ $0.elementsEqual("success".utf8) }) == true else { throw .declined }
        guard let token = parameters[.token] else { throw .answerMalformed }
        self.token = token
    }

    /// Nothing of it is left.
    public mutating func wipe() {
        Cryptography.wipe(&token)
        for place in claims.indices { Cryptography.wipe(&claims[place]) }
        for place in issuers.indices { Cryptography.wipe(&issuers[place]) }
        (token, claims, issuers) = ([], [], [])
    }
}
