import CBOR
import Cryptography
import TestSupport
import Testing

@testable import Mdoc

@Suite struct EngagementTests {
    /// A COSE_Key on the curve, as a phone's.
    static func key(_ curve: NISTCurve = .p256) throws -> [UInt8] {
        let pair = try CurveAgreement(curve)
        return SessionKey.encode(curve, point: pair.point)
    }

    static func refusal(qr: String) -> EngagementError? {
        do throws(EngagementError) {
            _ = try DeviceEngagement(qr: qr)
            return nil
        } catch {
            return error
        }
    }

    @Test(.enabled(if: MdocSuite.isThere)) func everyCodeOfTheSuiteIsReadAsExpected() throws {
        let cases = try #require(try MdocSuite.file("engagements")["engagements"]?.elements)
        var all = 0
        for each in cases {
            all += 1
            let name = each["name"]?.string ?? "", qr = each["qr"]?.string ?? "", expected = each["expect"]
            if expected?["usable"]?.bool == true {
                let engagement = try DeviceEngagement(qr: qr)
                #expect(engagement.curve.rawValue == expected?["curve"]?.string, "\(name)")
                #expect(try engagement.ident() == MdocSuite.octets(expected?["ident"]), "\(name)")
                #expect((engagement.central ?? []) == MdocSuite.octets(expected?["central"]), "\(name)")
                #expect((engagement.peripheral ?? []) == MdocSuite.octets(expected?["peripheral"]), "\(name)")
                #expect(engagement.psm.map(Int64.init) == expected?["psm"]?.int64, "\(name)")
                #expect((engagement.address ?? []) == MdocSuite.octets(expected?["address"]), "\(name)")
            } else {
                #expect(Self.refusal(qr: qr)?.rawValue == expected?["reason"]?.string, "\(name)")
            }
        }
        #expect(all == 42)
        print("engagements: \(all) codes")
    }

    @Test func whatWasReadStaysAsItWas() throws {
        let key = try Self.key(.p384)
        let octets = TestEngagement(key: key).octets
        let engagement = try DeviceEngagement(octets: octets)
        #expect(engagement.octets == octets && engagement.deviceKey == key && engagement.curve == .p384)
        #expect(engagement.deviceKeyBytes == CBOREncoding.embedded(key))
        #expect(engagement.central == TestEngagement.uuid && engagement.peripheral == nil && engagement.psm == nil)
    }

    @Test func everyReasonInItsOrder() throws {
        // Everything is wrong; then one thing after the other is put right.
        var engagement = TestEngagement(key: [0xA0])
        engagement.version = CBOREncoding.text("2.0")
        engagement.suite = CBOREncoding.text("1")
        engagement.methods = nil
        #expect(engagement.refusal == .notAnEngagement)
        engagement.suite = CBOREncoding.unsigned(2)
        #expect(engagement.refusal == .unsupportedVersion)
        engagement.version = CBOREncoding.text("1.7")
        #expect(engagement.refusal == .unsupportedCipherSuite)
        engagement.suite = CBOREncoding.unsigned(1)
        #expect(engagement.refusal == .badKey)
        engagement.key = CBOREncoding.map([([0x01], [0x02]), ([0x20], CBOREncoding.unsigned(8))])
        #expect(engagement.refusal == .unsupportedCurve)
        engagement.key = try Self.key()
        #expect(engagement.refusal == .noUsableMethod)
        engagement.methods = []
        #expect(engagement.refusal == .noUsableMethod)
        engagement.methods = [TestEngagement.bluetooth([(0, [0xF5]), (10, CBOREncoding.bytes(TestEngagement.uuid))])]
        #expect(engagement.refusal == nil)
    }

    @Test func keysThatAreNone() throws {
        let good = try Self.key(), x = CBOREncoding.bytes([UInt8](repeating: 3, count: 32))
        let keys: [([UInt8], EngagementError)] = [
            ([], .badKey), ([0xA0], .badKey), (good + [0], .badKey), (Array(good.dropLast()), .badKey), ([0x80], .badKey),
            (CBOREncoding.map([([0x01], [0x02]), ([0x21], x)]), .badKey),
            (CBOREncoding.map([([0x01], [0x02]), ([0x20], [0x01])]), .badKey),
            (CBOREncoding.map([([0x01], [0x02]), ([0x20], [0x01]), ([0x21], x)]), .badKey),
            (CBOREncoding.map([([0x01], [0x02]), ([0x20], [0x01]), ([0x21], x), ([0x22], [0x01])]), .badKey),
            (CBOREncoding.map([([0x01], [0x02]), ([0x20], [0x61, 0x41]), ([0x21], x), ([0x22], x)]), .unsupportedCurve),
            (CBOREncoding.map([([0x01], [0x01]), ([0x20], [0x04]), ([0x21], x)]), .unsupportedCurve),
            (CBOREncoding.map([([0x01], [0x02]), ([0x20], [0x04]), ([0x21], x), ([0x22], x)]), .unsupportedCurve),
            // With the private half beside it.
            ([good[0] + 1] + good.dropFirst() + [0x23] + x, .badKey),
        ]
        for (key, expected) in keys { #expect(TestEngagement(key: key).refusal == expected, "\(Hex.text(key))") }
        // What a phone adds to its key is its own affair.
        #expect(TestEngagement(key: [good[0] + 1] + good.dropFirst() + [0x03, 0x26]).refusal == nil)
    }

    @Test func theFirstUsableEntryOfEachModeCounts() throws {
        let one = CBOREncoding.bytes(TestEngagement.uuid), other = CBOREncoding.bytes([UInt8](repeating: 9, count: 16))
        let yes: [UInt8] = [0xF5]
        var engagement = TestEngagement(key: try Self.key())
        engagement.methods = [
            [0x00], [0x80], CBOREncoding.array([[0x02], [0x01]]), CBOREncoding.array([[0x02], [0x01], [0x05]]),
            // True without a UUID, a UUID without true.
            TestEngagement.bluetooth([(0, yes), (1, yes)]), TestEngagement.bluetooth([(10, other), (11, other)]),
            TestEngagement.bluetooth([(0, [0x01]), (10, other), (21, CBOREncoding.unsigned(0x90))]),
            TestEngagement.bluetooth(version: 2, [(0, yes), (10, other)]),
            TestEngagement.bluetooth([
                (0, yes), (10, one), (20, CBOREncoding.bytes([1, 2, 3, 4, 5, 6])), (21, CBOREncoding.unsigned(0xFF)),
            ]),
            TestEngagement.bluetooth([(0, yes), (1, yes), (10, other), (11, other), (21, CBOREncoding.unsigned(0x80))]),
        ]
        let read = try DeviceEngagement(octets: engagement.octets)
        #expect(read.peripheral == TestEngagement.uuid && read.psm == 0xFF && read.address == [1, 2, 3, 4, 5, 6])
        #expect(read.central == [UInt8](repeating: 9, count: 16))
    }

    @Test func optionsThatAreNoneAreLeftOut() throws {
        let one = CBOREncoding.bytes(TestEngagement.uuid)
        let numbers: [(UInt64, UInt16?)] = [(0, nil), (0x27, nil), (0x7F, nil), (0x80, 0x80), (0xFF, 0xFF), (0x100, nil), (.max, nil)]
        for (psm, expected) in numbers {
            var engagement = TestEngagement(key: try Self.key())
            engagement.methods = [
                TestEngagement.bluetooth([
                    (0, [0xF5]), (10, one), (20, CBOREncoding.bytes([1, 2, 3, 4, 5])), (21, CBOREncoding.unsigned(psm)),
                ])
            ]
            let read = try DeviceEngagement(octets: engagement.octets)
            #expect(read.psm == expected && read.address == nil)
        }
    }

    @Test func theTextHasOneForm() throws {
        let octets = TestEngagement(key: try Self.key()).octets
        let digits = String(decoding: Base64Text.url(octets), as: UTF8.self)
        for good in ["mdoc:", "MDOC:", "mDoC:", "mdoc://"] {
            #expect(try DeviceEngagement(qr: good + digits).octets == octets)
            #expect(try DeviceEngagement(qr: good + digits + "==").octets == octets)
        }
        let none = [
            "", "mdoc", "mdoc:", "mdoc://", "mdoc:/", "mdoc:=", "mdoc:///\(digits)", "mdoc:/\(digits)", "mdoc: \(digits)",
            "mdoc:\(digits) ",
            " mdoc:\(digits)", "mdoc:\(digits)\n", "mdoc;\(digits)", "mdoc\u{0}\(digits)", "mdoc:\(digits)*", "mdoc:=\(digits)",
        ]
        for bad in none {
            #expect(Self.refusal(qr: bad) == .notAnEngagement, "\(bad)")
        }
        #expect(Self.refusal(qr: "mdoc:" + String(repeating: "A", count: 3000)) == .notAnEngagement)
    }

    // MARK: strangers

    /// Every prefix, and every octet changed in eight ways: always an error of its type, and never an engagement that lost an octet.
    @Test func cutAndChangedEngagements() throws {
        let octets = TestEngagement(key: try Self.key()).octets
        for length in octets.indices {
            #expect(throws: EngagementError.notAnEngagement) { try DeviceEngagement(octets: Array(octets[..<length])) }
        }
        var read = 0
        for position in octets.indices {
            for bit in 0..<8 {
                var mutant = octets
                mutant[position] ^= 1 << bit
                guard let engagement = try? DeviceEngagement(octets: mutant) else { continue }
                read += 1
                #expect(engagement.octets == mutant && (engagement.central ?? engagement.peripheral) != nil)
            }
        }
        // The UUID, the minor version and the flag that is false.
        #expect(read > 100)
    }

    @Test func noiseIsNoEngagement() {
        var random = SeededRandom(seed: 18013)
        for _ in 0..<5000 {
            let octets = random.bytes(Int.random(in: 0..<400, using: &random))
            _ = try? DeviceEngagement(octets: octets)
            _ = try? DeviceEngagement(qr: Array("mdoc:".utf8) + octets)
            _ = try? DeviceEngagement(qr: "mdoc:" + String(decoding: Base64Text.url(octets), as: UTF8.self))
        }
    }

    @Test func depthAndCountsAreBounded() {
        let deep = [UInt8](repeating: 0x81, count: 2000) + [0]
        #expect(throws: EngagementError.notAnEngagement) { try DeviceEngagement(octets: deep) }
        // An array that says it has 2^32 - 1 elements.
        #expect(throws: EngagementError.notAnEngagement) { try DeviceEngagement(octets: [0xBA, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00]) }
        let wide = CBOREncoding.array([[UInt8]](repeating: [0], count: 2500))
        #expect(throws: EngagementError.notAnEngagement) { try DeviceEngagement(octets: wide) }
    }
}
