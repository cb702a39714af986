import Cryptography
import Envelopes
import JSON
import Mdoc

/// `engagements.json`: the texts of codes, and what is to be read from each.
enum EngagementCheck {
    /// The member by which the file is told from others.
    static let member = "engagements"

    /// Prints every difference, and how many of how many agree. Returns the program's exit code: 0 none, 1 some, 2 an unusable file.
    static func run(_ file: JSONValue) -> Int32 {
        guard let cases = file[member]?.elements else { return 2 }
        var agreed = 0, all = 0
        for each in cases {
            guard let name = each["name"]?.string, let qr = each["qr"]?.string, let expected = each["expect"]?.members else { return 2 }
            all += 1
            let wanted = expected.map { "\($0.name) \(text($0.value))" }
            let found = members(qr)
            if Set(wanted) == Set(found) {
                agreed += 1
            } else {
                print("\(name): expected \(wanted.sorted()), found \(found.sorted())")
            }
        }
        print("\(agreed) of \(all)")
        return all == 0 ? 2 : agreed == all ? 0 : 1
    }

    /// What the gate reads from a code, in the words of the file.
    private static func members(_ qr: String) -> [String] {
        do throws(EngagementError) {
            let engagement = try DeviceEngagement(qr: qr)
            return [
                "usable true", "curve \(engagement.curve.rawValue)", "ident \(hex(try? engagement.ident()))",
                "central \(hex(engagement.central))", "peripheral \(hex(engagement.peripheral))",
                "psm \(engagement.psm.map(String.init) ?? "null")", "address \(hex(engagement.address))",
            ]
        } catch {
            return ["usable false", "reason \(error.rawValue)"]
        }
    }

    private static func hex(_ octets: [UInt8]?) -> String { octets.map { Hexadecimal.text($0) } ?? "null" }

    private static func text(_ value: JSONValue) -> String { value.string ?? String(decoding: value.source, as: UTF8.self) }
}
