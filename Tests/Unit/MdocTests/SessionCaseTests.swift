import CBOR
import Cryptography
import JSON
import TestSupport
import Testing

@testable import Mdoc

/// Every session of `cases.json`, with the gate's key given, as far as the plaintext: what is in a response is another matter.
@Suite(.enabled(if: MdocSuite.isThere)) struct SessionCaseTests {
    @Test func everySessionHasItsKeysAndItsOutcome() throws {
        let cases = try #require(try MdocSuite.file("cases")["cases"]?.elements)
        var all = 0, outcomes: [String: Int] = [:], plaintexts = 0
        for each in cases {
            all += 1
            let name = each["name"]?.string ?? ""
            var session = try session(each)
            checkKeys(session, each, name)
            try checkEstablishment(&session, each, name)
            let (outcome, status, plaintext) = play(&session, each)
            outcomes[outcome, default: 0] += 1
            let expected = each["expect"]
            // That a response is undecodable is found by who decodes it.
            let wanted = expected?["session"]?.string == "response-undecodable" ? "ok" : expected?["session"]?.string
            #expect(outcome == wanted, "\(name)")
            if wanted == "ok" { #expect(status.map { Int64($0.rawValue) } == expected?["session_status"]?.int64, "\(name)") }
            if let response = each["derived"]?["device_response"] {
                plaintexts += 1
                #expect(plaintext == MdocSuite.octets(response), "\(name)")
            }
        }
        #expect(all == 118 && plaintexts == 109)
        print("sessions: \(all), outcomes \(outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }), plaintexts \(plaintexts)")
    }

    private func session(_ each: JSONValue) throws -> ReaderSession {
        let curve = try #require(NISTCurve(rawValue: each["reader_key"]?["curve"]?.string ?? ""))
        let d = MdocSuite.octets(each["reader_key"]?["d"])
        // Leading zeros may have gone from the text of a number.
        let scalar = [UInt8](repeating: 0, count: max(0, curve.coordinateLength - d.count)) + d
        let engagement = try DeviceEngagement(qr: each["qr"]?.string ?? "")
        return try ReaderSession(engagement, pair: try CurveAgreement(curve, privateKey: scalar.span))
    }

    private func checkKeys(_ session: borrowing ReaderSession, _ each: JSONValue, _ name: String) {
        let derived = each["derived"]
        let engagement = try? DeviceEngagement(qr: each["qr"]?.string ?? "")
        #expect(engagement?.octets == MdocSuite.octets(derived?["device_engagement"]), "\(name)")
        #expect(engagement?.deviceKeyBytes == MdocSuite.octets(derived?["e_device_key_bytes"]), "\(name)")
        #expect((try? engagement?.ident()) == MdocSuite.octets(derived?["ident"]), "\(name)")
        #expect(session.transcript.octets == MdocSuite.octets(derived?["session_transcript"]), "\(name)")
        let reader = MdocSuite.octets(derived?["SKReader"]), device = MdocSuite.octets(derived?["SKDevice"])
        let areExpected = session.keys.reader.matches(reader.span) && session.keys.device.matches(device.span)
        #expect(areExpected, "\(name)")
        // An entry for each mode, or one for both.
        let entries = derived?["ble"]?.elements.map { Array($0) } ?? []
        let central = entries.first { $0["central"]?.bool == true }, peripheral = entries.first { $0["peripheral"]?.bool == true }
        #expect((engagement?.central ?? []) == MdocSuite.octets(central?["cuuid"]), "\(name)")
        #expect((engagement?.peripheral ?? []) == MdocSuite.octets(peripheral?["puuid"]), "\(name)")
        #expect(engagement?.psm.map(Int64.init) == peripheral?["psm"]?.int64, "\(name)")
    }

    /// The recorded SessionEstablishment opens with the same key and number, asks what the case says, and sealed again is the same.
    private func checkEstablishment(_ session: inout ReaderSession, _ each: JSONValue, _ name: String) throws {
        let recorded = MdocSuite.octets(each["session_establishment"])
        let root = try CBORDocument(parsing: recorded).root
        #expect(root["eReaderKey"]?.source == session.readerKeyBytes, "\(name)")
        let key = MdocSuite.octets(each["derived"]?["SKReader"])
        var data = root["data"]?.bytes ?? []
        var cipher = try AuthenticatedCipher()
        let nonce = [UInt8](repeating: 0, count: 11) + [1]
        let count = try data.withUnsafeMutableBytes { try cipher.open($0, key: key.span, nonce: nonce.span) }
        let request = Array(data.prefix(count))
        let asked = try CBORDocument(parsing: request).root["docRequests"]?.elements?.map {
            try $0["itemsRequest"]?.content(of: 24)?.embedded().root["docType"]?.text
        }
        #expect(asked == each["requested"]?.elements?.map(\.string), "\(name)")
        #expect(try session.establishment(request: request.span) == recorded, "\(name)")
    }

    /// The last message counts.
    private func play(_ session: inout ReaderSession, _ each: JSONValue) -> (outcome: String, status: SessionStatus?, plaintext: [UInt8]) {
        guard let messages = each["session_data"]?.elements else { return ("none", nil, []) }
        var result = ("silence", SessionStatus?.none, [UInt8]())
        for message in messages {
            switch Opened(&session, MdocSuite.octets(message)) {
            case .message(let plaintext, let status, _): result = ("ok", status, plaintext)
            case .end(.decryptionError): result = ("decryption-error", nil, [])
            case .end(.undecodable): result = ("session-data-undecodable", nil, [])
            case .end(.ended(let status)): result = ("ended-\(status.rawValue)", nil, [])
            case .end(let other): result = ("\(other)", nil, [])
            }
        }
        return result
    }
}
