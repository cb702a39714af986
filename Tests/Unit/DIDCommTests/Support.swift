import Cryptography
import DIDComm
import Foundation
import JSON
import TestSupport

/// The suites' vectors of DIDComm v1 and Aries, read where they lie.
enum AriesSuite {
    static let folder = Repository.suites + "/aries"

    /// Whether the folder is there; says so where it is not, so that a skip is never silent.
    static let isThere: Bool = {
        let present = FileManager.default.fileExists(atPath: folder)
        if !present { print("aries: no folder \(folder), its tests are skipped") }
        return present
    }()

    static func file(_ name: String) throws -> JSONValue {
        let text = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name).json"))
        return try JSONDocument(parsing: [UInt8](text)).root
    }
}

/// Seeds of keys that are secret to nobody.
enum TestKeys {
    static let gate = [UInt8](repeating: 1, count: 32)
    static let wallet = [UInt8](repeating: 2, count: 32)
    static let other = [UInt8](repeating: 3, count: 32)

    static func key(_ seed: [UInt8]) throws -> EnvelopeKey {
        let seed = try Secret(copying: seed.span)
        return try EnvelopeKey(seed: seed)
    }

    static func recipient(_ seed: [UInt8]) throws -> EnvelopeRecipient { try key(seed).recipient }
}

/// What became of an envelope, for comparing: values that cannot be copied cannot be compared either.
enum Opened: Equatable {
    case message([UInt8], sender: String?)
    case fault(EnvelopeFault)

    init(_ text: [UInt8], by seed: [UInt8] = TestKeys.gate) throws {
        let key = try TestKeys.key(seed)
        do throws(EnvelopeFault) {
            let opened = try Envelope(parsing: text.span).open(by: key)
            self = .message(opened.message.array(), sender: opened.sender?.kid)
        } catch {
            self = .fault(error)
        }
    }

    var isMessage: Bool { if case .message = self { true } else { false } }
}

extension MessageOctets {
    borrowing func array() -> [UInt8] { withOctets { octets in octets.indices.map { octets[$0] } } }
}

/// What became of a message of a wallet.
enum Answered: Equatable {
    case presentation(ProofVersion, id: String, octets: [UInt8], key: String?, returnsRoute: Bool)
    case declined
    case fault(WalletMessageFault)

    init(_ text: String, _ thread: MessageThread = Answered.thread) {
        let octets = Array(text.utf8)
        do throws(WalletMessageFault) {
            switch try WalletMessage.read(octets.span, answering: thread) {
            case .declined: self = .declined
            case .presentation(let message):
                self = .presentation(
                    message.version, id: message.identifier, octets: message.attachment.array(), key: message.answerKey?.kid,
                    returnsRoute: message.returnsRoute)
            }
        } catch {
            self = .fault(error)
        }
    }

    static let thread = MessageThread(request: "asked", invitation: "invited")
}
