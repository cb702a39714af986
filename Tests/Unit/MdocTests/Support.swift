import Cryptography
import Foundation
import JSON
import TestSupport

@testable import Mdoc

func hex(_ text: String) -> [UInt8] { Hex.bytes(text) }

/// The suites' mdoc vectors, read where they lie.
enum MdocSuite {
    static let folder = Repository.suites + "/mdoc"

    /// Whether the folder is there; says so where it is not, so that a skip is never silent.
    static let isThere: Bool = {
        let present = FileManager.default.fileExists(atPath: folder)
        if !present { print("mdoc: no folder \(folder), its tests are skipped") }
        return present
    }()

    static func file(_ name: String) throws -> JSONValue {
        let text = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name).json"))
        return try JSONDocument(parsing: [UInt8](text)).root
    }

    /// Octets of a hexadecimal member; none where it is not there, which no comparison takes for a match.
    static func octets(_ value: JSONValue?) -> [UInt8] { value?.string.map { hex($0) } ?? [] }
}

/// Annex D of ISO/IEC 18013-5, from which the session's numbers come.
struct AnnexD {
    private let given: JSONValue
    private let derived: JSONValue

    init() throws {
        guard let given = try MdocSuite.file("annex_d")["vectors"], let derived = try MdocSuite.file("annex_d_derived")["values"] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        (self.given, self.derived) = (given, derived)
    }

    func given(_ name: String) -> [UInt8] { MdocSuite.octets(given["ISO_18013_5_ANNEX_D_" + name]) }
    func derived(_ name: String) -> [UInt8] { MdocSuite.octets(derived[name]) }
    var qr: String { derived["qr_uri"]?.string ?? "" }
}

extension SessionPlaintext {
    borrowing func array() -> [UInt8] { withOctets { octets in octets.indices.map { octets[$0] } } }
}

/// What became of a message, for comparing: values that cannot be copied cannot be compared either.
enum Opened: Hashable {
    case message([UInt8], SessionStatus?, isAwaited: Bool)
    case end(SessionEnd)

    init(_ session: inout ReaderSession, _ message: [UInt8]) {
        do throws(SessionEnd) {
            let opened = try session.open(message.span)
            self = .message(opened.plaintext.array(), opened.status, isAwaited: opened.isAwaited)
        } catch {
            self = .end(error)
        }
    }
}

/// base64url without padding, by Foundation: another one than the product's.
enum Base64Text {
    static func url(_ octets: [UInt8]) -> [UInt8] {
        Data(octets).base64EncodedData().filter { $0 != UInt8(ascii: "=") }.map {
            $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
    }
}
