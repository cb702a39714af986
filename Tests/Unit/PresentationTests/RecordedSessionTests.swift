import Bluetooth
import Cryptography
import Foundation
import Presentation
import TestSupport
import Testing

@testable import Tuvali

/// Recorded chunks, put together and opened: the wallet's own text comes out (the vectors live with the Tuvali tests).
@Suite struct RecordedSessionTests {
    struct Recorded: Decodable, Sendable, CustomTestStringConvertible {
        struct Transfer: Decodable, Sendable {
            var max_data: Int
            var chunks: [String]
        }

        var name: String
        var verifier_sk: String
        var identify: String
        var plaintext_utf8: String
        var ciphertext: String
        var transfers: [Transfer]
        var testDescription: String { name }
    }

    struct File: Decodable {
        var sessions: [Recorded]
    }

    static let sessions: [Recorded] = {
        let data = (try? Data(contentsOf: URL(fileURLWithPath: Repository.root + "/Tests/Support/Vectors/tuvali.json"))) ?? Data()
        return (try? JSONDecoder().decode(File.self, from: data))?.sessions ?? []
    }()

    @Test func theRecordedSessionsAreThere() { #expect(Self.sessions.count == 8) }

    @Test(arguments: sessions)
    func everyTransferOpensToTheRecordedText(_ session: Recorded) throws {
        let agreement = try KeyAgreement(privateKey: Hex.bytes(session.verifier_sk).span)
        let identify = Hex.bytes(session.identify)
        let secret = try agreement.agree(with: identify.span.extracting(12..<44))
        var derivation = try KeyDerivation()
        let salt = Array("SHA-256".utf8)
        let info = Array("SKVerifier".utf8)
        let key = try derivation.derive(32, from: secret, salt: salt.span, info: info.span)
        var opener = try MessageOpener()
        for transfer in session.transfers {
            let size = session.ciphertext.utf8.count / 2
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
            defer { buffer.deallocate() }
            var assembler = ChunkAssembler(buffer: buffer)
            let hasBegun = assembler.begin(size: UInt32(size), maxData: transfer.max_data)
            #expect(hasBegun)
            for chunk in transfer.chunks {
                let outcome = assembler.accept(Hex.bytes(chunk).span)
                #expect(outcome == .accepted)
            }
            let count = try opener.open(buffer, key: key, nonce: identify.span.extracting(0..<12))
            #expect(count == session.plaintext_utf8.utf8.count)
            #expect(opener.withPayload { span in span.indices.map { span[$0] } } == Array(session.plaintext_utf8.utf8))
        }
    }
}
