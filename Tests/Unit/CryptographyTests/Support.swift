import Cryptography
import Foundation
import TestSupport

func hex(_ text: String) -> [UInt8] { Hex.bytes(text) }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func array<let count: Int>(_ inline: InlineArray<count, UInt8>) -> [UInt8] {
    inline.indices.map { inline[$0] }
}

func array(_ secret: borrowing Secret) -> [UInt8] {
    secret.withBytes { span in span.indices.map { span[$0] } }
}

/// The error `body` throws, or nil. Unlike `#expect(throws:)` it takes non-copyable values as they are.
func failure(_ body: () throws(CryptographyError) -> Void) -> CryptographyError? {
    do throws(CryptographyError) {
        try body()
        return nil
    } catch {
        return error
    }
}

enum Suites {
    static var wycheproof: String { Repository.suites + "/wycheproof" }

    /// Whether the folder is there; says so where it is not, so that a skip is never silent.
    static let hasWycheproof: Bool = {
        let present = FileManager.default.fileExists(atPath: wycheproof)
        if !present { print("Wycheproof: no folder \(wycheproof), its tests are skipped") }
        return present
    }()
}

/// One Wycheproof file, as far as the tests read it.
struct Wycheproof {
    struct Group {
        let fields: [String: Any]
        let cases: [Case]
        func text(_ name: String) -> String { fields[name] as? String ?? "" }
        func number(_ name: String) -> Int { fields[name] as? Int ?? -1 }
        func octets(_ name: String) -> [UInt8] { hex(text(name)) }
        func object(_ name: String) -> [String: Any] { fields[name] as? [String: Any] ?? [:] }
    }

    struct Case {
        let fields: [String: Any]
        var id: Int { fields["tcId"] as? Int ?? -1 }
        var result: String { fields["result"] as? String ?? "" }
        var flags: [String] { fields["flags"] as? [String] ?? [] }
        func octets(_ name: String) -> [UInt8] { hex(fields[name] as? String ?? "") }
        func number(_ name: String) -> Int { fields[name] as? Int ?? -1 }
    }

    let name: String
    let groups: [Group]
    let declared: Int

    init(_ name: String) throws {
        self.name = name
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(Suites.wycheproof)/\(name)_test.json"))
        let top = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        declared = top["numberOfTests"] as? Int ?? -1
        groups = (top["testGroups"] as? [[String: Any]] ?? []).map { group in
            Group(fields: group, cases: (group["tests"] as? [[String: Any]] ?? []).map { Case(fields: $0) })
        }
    }
}

func base64url(_ text: String) -> [UInt8] {
    let padded = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    return Array(Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)) ?? Data())
}
