import CBOR
import Cryptography
import Envelopes
import JSON
import Mdoc

/// What a case gives to the gate.
struct CaseInput {
    let name: String
    var now: Seconds
    let qr: String
    let curve: NISTCurve
    /// The gate's ephemeral private key.
    let readerKey: [UInt8]
    var requested: [String]
    var trust: MdocTrust
    let settings: MdocVerifier.Settings
    let sessionData: [[UInt8]]
    /// SessionTranscript, as the reference has it.
    let transcript: [UInt8]
}

/// What became of it.
enum CaseOutcome {
    case silence
    case ended(SessionEnd)
    case response(DeviceResponseResult, SessionStatus?)
    case undecodable(ResponseError)
    /// What a case must not run into.
    case impossible(String)
}

extension CaseInput {
    /// The gate's session of the case; nil where it cannot even begin.
    func session() -> ReaderSession? {
        guard let engagement = try? DeviceEngagement(qr: qr), let pair = try? CurveAgreement(curve, privateKey: readerKey.span) else {
            return nil
        }
        return try? ReaderSession(engagement, pair: pair)
    }

    /// Plays the phone's messages; the last one's result counts.
    func play() -> CaseOutcome {
        guard var session = session() else { return .impossible("no session") }
        guard session.transcript.octets == transcript else { return .impossible("another transcript") }
        var outcome = CaseOutcome.silence
        for message in sessionData {
            do throws(SessionEnd) {
                let opened = try session.open(message.span)
                let octets = opened.plaintext.withOctets { octets in octets.indices.map { octets[$0] } }
                outcome = verify(octets, session, status: opened.status)
            } catch {
                outcome = .ended(error)
            }
        }
        return outcome
    }

    func verify(_ response: [UInt8], _ session: borrowing ReaderSession, status: SessionStatus? = nil) -> CaseOutcome {
        let verifier = MdocVerifier(trust: trust, settings: settings)
        do throws(ResponseError) {
            let result = try verifier.verify(
                response: response.span, transcript: session.transcript.octets, requested: requested, macKeys: session, now: now)
            return .response(result, status)
        } catch {
            return .undecodable(error)
        }
    }
}

/// What of a case file cannot be used.
struct UnusableCase: Error {
    let reason: String
}

extension JSONValue {
    func octets(_ name: String) throws(UnusableCase) -> [UInt8] {
        guard let text = self[name]?.string, let octets = Hexadecimal.decode(Array(text.utf8)[...]) else {
            throw UnusableCase(reason: name)
        }
        return octets
    }

    func texts(_ name: String) throws(UnusableCase) -> [String] {
        guard let elements = self[name]?.elements else { throw UnusableCase(reason: name) }
        return elements.compactMap(\.string)
    }

    func text(_ name: String) throws(UnusableCase) -> String {
        guard let text = self[name]?.string else { throw UnusableCase(reason: name) }
        return text
    }

    func octetStrings(_ name: String) throws(UnusableCase) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for text in try texts(name) {
            guard let octets = Hexadecimal.decode(Array(text.utf8)[...]) else { throw UnusableCase(reason: name) }
            all.append(octets)
        }
        return all
    }

    func seconds(_ name: String) throws(UnusableCase) -> Seconds {
        guard let seconds = Timestamp.seconds(try text(name)) else { throw UnusableCase(reason: name) }
        return seconds
    }
}

extension MdocTrust {
    /// Roots as DER, lists as DER, tokens by address. An anchor that breaks a hard rule is no anchor.
    init(anchors: [[UInt8]], lists: [[UInt8]] = [], tokens: [(uri: String, octets: [UInt8])] = []) {
        self.init(
            roots: anchors.compactMap { try? IssuerRoot($0.span) }, revocationLists: lists.compactMap { try? RevocationList($0.span) },
            statusTokens: tokens.map { MdocTrust.StatusToken(uri: $0.uri, octets: $0.octets) })
    }
}
