import ClaimTestSupport
import Cryptography
import Envelopes

@testable import TrustedKeyWallet

/// What a wallet shows as a code or posts, and behind the signatures, which the keys here make over whatever comes: the token's payload,
/// what is signed of a claim and of its issuer, a certificate's octets, a call (trustedkey.md sections 2 to 7).
func fuzzTrustedKey(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let mode = octets.first else { return }
    let rest = Array(octets.dropFirst())
    var answer = Holder.answer
    switch mode % 7 {
    case 0: requireUnchanged(try? TrustedKeyAnswer(url: Array((answer.request.callbackURL + "&").utf8) + rest, to: answer.request))
    case 1: requireUnchanged(try? TrustedKeyAnswer(json: rest.span, to: answer.request))
    case 2:
        answer.payload = String(decoding: rest, as: UTF8.self)
        requireUnchanged(Holder.parsed(answer))
    case 3:
        answer.claims = [Holder.signed(rest, by: answer.issuerKey)]
        requireClaim(answer)
    case 4:
        answer.issuers.append(Holder.signed(rest, by: answer.rootKey))
        requireUnchanged(Holder.parsed(answer))
    case 5: requireCertificate(rest)
    default:
        let secret = [UInt8](repeating: 7, count: 32)
        require((try? WalletCall(bearer: rest, body: nil, url: "u", at: answer.now) { _ in secret }) == nil, "nobody guesses a secret")
    }
}

/// An issuer below a pinned root, and a holder. Their keys are fixed, so that what was found once is found again; they sign nothing
/// anywhere else.
private enum Holder {
    static let answer: TestAnswer = {
        do {
            var answer = try TestAnswer(keys: made())
            answer.token = try answer.madeToken()
            return answer
        } catch {
            fatalError("\(error)")
        }
    }()

    static let verifier: TrustedKeyVerifier = {
        do { return try answer.verifier() } catch { fatalError("\(error)") }
    }()

    private static func made() throws -> (holder: TestKey, issuer: TestKey, root: TestKey) {
        (
            holder: try TestKey(
                pkcs8: "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXgoStjADuO9/8voDu/FVFiPJNbrU6abQnUPQliRNnoSh"
                    + "RANCAAT6MMG+zbxHtLrNWiDbtR5vA5LMCe1pZWkTYJjyR/3Vii8JiAQL5o2dlCxVv5BoHR9YsMBzPhMYllhnXRoagxb0",
                info: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+jDBvs28R7S6zVog27UebwOSzAntaWVpE2CY8kf91YovCYgEC+aNnZQs"
                    + "Vb+QaB0fWLDAcz4TGJZYZ10aGoMW9A=="),
            issuer: try TestKey(
                pkcs8: "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgF76QFyKOoiHMzVct9DBLgYeVc//y9NLO1ehnt8hwKeyh"
                    + "RANCAARg6x/wUPOLIJOm2H+TdmCMU8PAQhBiujXIVH44GENhIwEZDI9RAH1bofmGTPrPpg8L7mQRv4dj3wRLGmsbzPuz",
                info: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYOsf8FDziyCTpth/k3ZgjFPDwEIQYro1yFR+OBhDYSMBGQyPUQB9W6H5"
                    + "hkz6z6YPC+5kEb+HY98ESxprG8z7sw=="),
            root: try TestKey(
                pkcs8: "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUEuwTHdd32SI8maGNam8SSOJVSQB95Fgz8QWmOvwf6ih"
                    + "RANCAARdjHhW1f8uDCXbHVDuSc7TRjb0Be9EuywU5XJUbZYYvipgLlrvHS5uA+WmuBZmOyXwk1WBMBEEfPmSZrANMVt/",
                info: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXYx4VtX/Lgwl2x1Q7knO00Y29AXvRLssFOVyVG2WGL4qYC5a7x0ubgPl"
                    + "prgWZjsl8JNVgTARBHz5kmawDTFbfw==")
        )
    }

    static func signed(_ toBeSigned: [UInt8], by key: TestKey) -> [UInt8] {
        do { return try TestCertificate.signed(toBeSigned, by: key) } catch { fatalError("\(error)") }
    }

    /// The answer by way of its address, as far as it can be taken apart; its token is made again where it has a payload.
    static func parsed(_ answer: TestAnswer) -> TrustedKeyAnswer? {
        var answer = answer
        if answer.payload != nil { answer.token = nil }
        guard let url = try? answer.url() else { return nil }
        return try? TrustedKeyAnswer(url: Array(url.utf8), to: answer.request)
    }
}

/// Whatever is accepted has the one claim of the holder, under the one root.
private func requireUnchanged(_ parsed: TrustedKeyAnswer?) {
    let answer = Holder.answer
    guard let parsed, let verified = try? Holder.verifier.verify(parsed, to: answer.request, at: answer.now) else { return }
    require(verified.claims.map(\.value) == ["Noor van Dijk"], "no claim was changed")
    require(verified.claims.map(\.source?.root) == [0], "by the root that is pinned")
    require((try? answer.holder.address()) == verified.address.text, "of the key that has signed")
}

/// A claim of anything at all, as long as it is the holder's.
private func requireClaim(_ answer: TestAnswer) {
    guard let parsed = Holder.parsed(answer), let verified = try? Holder.verifier.verify(parsed, to: answer.request, at: answer.now) else {
        return
    }
    require(verified.claims.count == 1 && verified.claims[0].object.identifier == TestAnswer.name, "what was asked for is there")
    require(verified.claims[0].source?.validity.contains(answer.now) == true, "a claim that is accepted is in its time")
    require((try? answer.holder.address()) == verified.address.text, "of the key that has signed")
}

/// A certificate that is the one encoding of what it says: everything that is read of it.
private func requireCertificate(_ der: [UInt8]) {
    guard let certificate = try? Certificate(distinguished: der.span) else { return }
    require((try? Certificate(unread: der.span)) != nil, "what is strict is also lax")
    for part in (try? certificate.subjectParts()) ?? [] {
        let object = TrustedKeyObject(read: part.identifier)
        require(object == TrustedKeyObject(read: object.identifier), "an identifier is read the same twice")
    }
    require((try? certificate.readCriticalExtensions())?.allSatisfy { !$0.isEmpty } ?? true, "an extension has an identifier")
    _ = certificate.hasReadableExtensions && certificate.isAuthority
    _ = certificate.keyUsage
    _ = certificate.pathLength
    if let validity = try? certificate.validity() { require(validity.lowerBound <= validity.upperBound, "a time ends after it begins") }
    if let address = RevokedAddress(serialOf: certificate) { require(RevokedAddress(address.text) == address, "a number has one text") }
    _ = try? certificate.publicKey()
    _ = certificate.isExactlyNamedAsIssuer(of: certificate) && certificate.hasSignedWithECDSAOrRSA(certificate)
}

let trustedKeySeeds: [[UInt8]] = {
    let answer = Holder.answer
    do {
        let parameters = try answer.parameters()
        let members = parameters.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",")
        let payload = answer.members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
        let claim = answer.claim([.init(TestAnswer.name, "Noor van Dijk"), .init("1.3.6.1.4.1.51341.21", "true")]).toBeSigned
        let issuer = TestCertificate.authority("Other", answer.issuerKey, by: "Root").toBeSigned
        return [
            [0] + Array(TestAnswer.query(parameters).utf8), [1] + Array("{\(members)}".utf8), [2] + Array("{\(payload)}".utf8), [3] + claim,
            [4] + issuer, [5] + answer.claims[0], [5] + answer.issuers[0], [6] + Array((answer.token ?? "").utf8),
        ]
    } catch {
        fatalError("\(error)")
    }
}()
