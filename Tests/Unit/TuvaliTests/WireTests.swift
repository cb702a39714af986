import Bluetooth
import Cryptography
import TestSupport
import Testing

@testable import Tuvali

/// Advertisement, URI, checksum, keys and attribute table, octet for octet (tuvali.md sections 1, 2, 3, 5, 12).
@Suite struct WireTests {
    static let key = octets("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")

    static func inline(_ octets: [UInt8]) -> PublicKeyOctets { PublicKeyOctets { $0 < octets.count ? octets[$0] : 0 } }

    static func uri(_ name: VerifierName, _ key: [UInt8] = key) -> String {
        ConnectionURI(name, key: inline(key)).withOctets { String(decoding: array($0), as: UTF8.self) }
    }

    static func advertisement(_ name: VerifierName, _ key: [UInt8] = key, _ version: WireVersion = .v05) -> [[UInt8]] {
        Advertisement(name, key: inline(key), version: version).withOctets { [array($0), array($1)] }
    }

    @Test(arguments: Vectors.all.uri.indices)
    func advertisementAndURIAreTheReferences(_ index: Int) throws {
        let row = Vectors.all.uri[index]
        let name = try VerifierName(Array(row.name.utf8).span)
        let key = octets(row.key)
        #expect(Self.uri(name, key) == row.uri)
        let payloads = Self.advertisement(name, key)
        #expect(payloads[0] == octets(row.adv_ind))
        #expect(payloads[0].count == row.adv_len)
        #expect(payloads[0].count == 17 + row.name.utf8.count)
        #expect(Array(payloads[0].suffix(row.service_data_0001.count / 2)) == octets(row.service_data_0001))
        #expect(payloads[1] == octets(row.scan_rsp))
        #expect(payloads[1].count == 31)
    }

    @Test func everySessionAdvertisesAsRecorded() throws {
        for session in Vectors.all.sessions {
            let text = session.uri.split(separator: "=")[1].prefix { $0 != "&" }
            let name = try VerifierName(Array(text.utf8).span)
            #expect(Self.uri(name, octets(session.verifier_pk)) == session.uri)
            #expect(Self.advertisement(name, octets(session.verifier_pk)) == [octets(session.adv_ind), octets(session.scan_rsp)])
        }
    }

    @Test func theOldVersionAdvertisesUnderItsOwnUUIDs() throws {
        let name = try VerifierName([0x41].span)
        let payloads = Self.advertisement(name, Self.key, .v04)
        #expect(payloads[0] == octets("020106030329ab0a1629ab415f8520f00989"))
        #expect(Array(payloads[1].prefix(4)) == octets("1e162aab"))
    }

    @Test func namesOfOneToFourteenOctetsFitAndOthersAreRefused() throws {
        for count in 0...40 {
            let name = [UInt8](repeating: 0x61, count: count)
            if (1...14).contains(count) {
                #expect(Self.advertisement(try VerifierName(name.span))[0].count == 17 + count)
            } else {
                #expect(throws: TuvaliError.deviceNameLength) { try VerifierName(name.span) }
            }
        }
        // Octets count, not characters.
        #expect(throws: TuvaliError.deviceNameLength) { try VerifierName(Array("éééééééé".utf8).span) }
    }

    @Test func deviceNamesOfUpToElevenOctetsGoBehindOVP() throws {
        #expect(Self.uri(try VerifierName(deviceName: Array("MOSIP".utf8).span)) == Vectors.all.uri[0].uri)
        #expect(Self.uri(try VerifierName(deviceName: Array("STADONENTRY".utf8).span)) == Vectors.all.uri[2].uri)
        for count in [0, 12, 14, 15, 200] {
            let error = #expect(throws: TuvaliError.self) {
                try VerifierName(deviceName: [UInt8](repeating: 0x61, count: count).span)
            }
            #expect(error.map { "\($0.code)" } == "OVP_002")
        }
    }

    /// Of the forms a wallet may meet, the one from 0.5.2 on is emitted: upper case, no colon, `%20` for a space.
    @Test func theFormEmittedIsTheOneEveryWalletTakes() throws {
        let rows = Vectors.all.uri_parse
        #expect(rows.map(\.accepted_by_ios_wallet) == [true, true, false, true])
        let name = try VerifierName(Array(rows[0].name.utf8).span)
        #expect(Self.uri(name) == rows[0].uri)
        #expect(Self.uri(name) != rows[1].uri)
        #expect(Self.uri(name) != rows[2].uri)
        #expect(rows[0].accepted_by_ios_wallet)
        let spaced = Self.uri(try VerifierName(Array(rows[3].name.utf8).span))
        #expect(spaced.contains("name=a%2Bb%20c&"))
    }

    @Test func everyOctetOfANameIsBareOrEncodedAndTheKeyIs64HexDigits() throws {
        let bare = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-!.~'()*".utf8)
        for octet in UInt8.min...UInt8.max {
            let encoded = bare.contains(octet) ? String(UnicodeScalar(octet)) : "%" + hex(octet, uppercase: true)
            let uri = Self.uri(try VerifierName([octet].span))
            #expect(uri.hasPrefix("OPENID4VP://connect?name=\(encoded)&key="))
            let key = Self.uri(try VerifierName([0x41].span), [UInt8](repeating: octet, count: 32)).suffix(64)
            #expect(key == String(repeating: hex(octet, uppercase: false), count: 32))
        }
        // The longest there is.
        #expect(Self.uri(try VerifierName([UInt8](repeating: 0xFF, count: 14).span)).count == 25 + 42 + 5 + 64)
    }

    private func hex(_ octet: UInt8, uppercase: Bool) -> String {
        let text = String(octet, radix: 16, uppercase: uppercase)
        return text.count == 1 ? "0" + text : text
    }

    // MARK: checksum and keys

    @Test func checksumsAreTheReferences() {
        var crc = CRC16()
        for row in Vectors.all.crc16_kermit {
            let expected = octets(row.crc)
            let data = octets(row.data)
            let sum = crc.checksum(data.span)
            #expect(sum == UInt16(expected[0]) << 8 | UInt16(expected[1]))
        }
    }

    @Test func checksumsAgreeWithTheBitwiseOnesAtEveryLengthAndAlignment() {
        var crc = CRC16()
        var numbers = SeededRandom(seed: 16)
        for count in 0...80 {
            let octets = numbers.bytes(count + 8)
            for offset in 0..<8 {
                let part = octets.span.extracting(offset..<offset + count)
                let sum = crc.checksum(part)
                #expect(sum == WalletSide.checksum(octets[offset..<offset + count]))
            }
        }
    }

    @Test func channelKeysAreTheReferences() throws {
        let row = Vectors.all.hkdf
        var derivation = try KeyDerivation()
        for (info, expected) in [("SKVerifier", row.SKVerifier), ("SKWallet", row.SKWallet)] {
            let secret = try Secret(copying: octets(row.shared).span)
            let key = try derivation.derive(
                32, from: secret, salt: Array(row.salt_ascii.utf8).span, info: Array(info.utf8).span)
            #expect(key.withBytes { array($0) } == octets(expected))
        }
    }

    @Test func everySessionAgreesOnItsSecret() throws {
        for session in Vectors.all.sessions {
            let agreement = try KeyAgreement(privateKey: octets(session.verifier_sk).span)
            #expect(array(agreement.publicKey.span) == octets(session.verifier_pk))
            let secret = try agreement.agree(with: octets(session.wallet_pk).span)
            #expect(secret.withBytes { array($0) } == octets(session.shared_secret))
            #expect(session.verifier_key_SKVerifier == Vectors.all.hkdf.SKVerifier)
            #expect(session.wallet_key_SKWallet == Vectors.all.hkdf.SKWallet)
        }
    }
}
