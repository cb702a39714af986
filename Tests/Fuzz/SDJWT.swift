import Cryptography

@testable import Credentials
@testable import Envelopes
@testable import JSON

/// The first octet says what the rest is.
///
/// `B`: lines from which the issuer makes a credential (see `built`), so that what lies behind the signature is
/// reached with any content. Otherwise: a message as a stranger can send it, made of recorded credentials.
func fuzzSDJWT(_ octets: UnsafeBufferPointer<UInt8>) {
    guard octets.first == UInt8(ascii: "B") else {
        let message = Array(octets)
        if let credential = Issuer.verifier.verify(message, at: Issuer.now).credential {
            guard let received = try? ReceivedCredential(message: message.span) else {
                return require(false, "what is accepted can be read")
            }
            requireSigned(credential, received.bytes)
        }
        return
    }
    let lines = octets.dropFirst().split(separator: UInt8(ascii: "\n"), maxSplits: 24, omittingEmptySubsequences: false).map(Array.init)
    guard lines.count >= 2 else { return }
    let (text, count) = built(lines)
    guard let credential = Issuer.verifier.verify(text, at: Issuer.now).credential else { return }
    let claims = credential.claims.root
    require(claims["iss"]?.isString(Issuer.id) == true && claims["vct"]?.isString(Issuer.type) == true, "issuer and type are trusted")
    if let expires = claims["exp"]?.double { require(Double(Issuer.now) < expires, "nothing expired is accepted") }
    if let begins = claims["nbf"]?.double { require(begins <= Double(Issuer.now + 300), "nothing from the future is accepted") }
    require(claims["status"] == nil && claims["credentialStatus"] == nil, "nothing revocable is accepted")
    requireNoDigests(claims)
    require(count == 0 || claims.members != nil, "claims are an object")
}

/// Header, payload, and disclosures, a line each; a last line that begins with `K` asks for a key binding, with what
/// follows as its hash when it is not empty. `"#0"` to `"#9"` stand for the digests of the disclosures, later ones
/// inside earlier ones too.
private func built(_ lines: [[UInt8]]) -> (text: [UInt8], disclosures: Int) {
    var disclosures = Array(lines.dropFirst(2))
    var binding: [UInt8]?
    if let last = disclosures.last, last.first == UInt8(ascii: "K") {
        binding = Array(last.dropFirst())
        disclosures.removeLast()
    }
    var encoded = [[UInt8]](repeating: [], count: disclosures.count)
    for index in disclosures.indices.reversed() { encoded[index] = Base64.encodeURL(resolved(disclosures[index], encoded)) }
    let token = Issuer.token(resolved(lines[0], encoded), resolved(lines[1], encoded))
    let presentation = token + [UInt8(ascii: "~")] + encoded.flatMap { $0 + [UInt8(ascii: "~")] }
    guard let binding else { return (presentation, encoded.count) }
    return (Issuer.bind(presentation, hash: binding.isEmpty ? nil : binding), encoded.count)
}

/// `text` with digests in the place of their marks.
private func resolved(_ text: [UInt8], _ encoded: [[UInt8]]) -> [UInt8] {
    var result: [UInt8] = []
    var position = 0
    while position < text.count {
        if text[position] == UInt8(ascii: "#"), position + 1 < text.count, case let index = Int(text[position + 1]) - 0x30,
            encoded.indices.contains(index), !encoded[index].isEmpty
        {
            result += Issuer.digest(encoded[index])
            position += 2
        } else {
            result.append(text[position])
            position += 1
        }
    }
    return result
}

/// The claims of a credential hold nothing of how they were hidden.
private func requireNoDigests(_ value: JSONValue) {
    if let members = value.members {
        for member in members {
            require(!["_sd", "_sd_alg", "..."].contains(member.name), "no digest is a claim")
            requireNoDigests(member.value)
        }
    } else if let elements = value.elements {
        for element in elements { requireNoDigests(element) }
    }
}

/// A certificate for the pinned root's path: the leaf, and after two octets of its length one more.
func fuzzCertificate(_ octets: UnsafeBufferPointer<UInt8>) {
    var script = Script(octets)
    let leaf = script.take(Int(script.word()))
    let other = script.take(octets.count)
    let middle = Base64.decode(CertificateFixtures.middle.filter { $0 != "\n" }, alphabet: .standard) ?? []
    guard
        let chain = try? CertificateChain(
            x5c: [leaf, middle] + (other.isEmpty ? [] : [other]), roots: Issuer.trust.issuers[0].roots,
            usages: Issuer.trust.issuers[0].extendedKeyUsages, at: Issuer.now)
    else { return }
    for name in chain.dnsNames + chain.uris {
        require(["issuer.example", "*.issuer.example", "https://issuer.example/vct"].contains(name), "\(name) was certified")
    }
    require(chain.validity.contains(Issuer.now), "a chain holds now")
}
