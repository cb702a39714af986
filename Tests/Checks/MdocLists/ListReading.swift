import Cryptography
import Envelopes
import JSON
import Mdoc

/// Lists one after the other, by lines.
///
/// {"list": hexadecimal, "pinned": [hexadecimal], "now": seconds, "inForce": number or nothing} has "version", "provider", "date",
/// "nextUpdate", "issue", "signer", "warnings", "roots" [{"fingerprint", "docTypes", "warnings"}] and "skipped" [{"entry", "reason",
/// "fingerprint"}]; or "error". {"revocations": hexadecimal, "root": hexadecimal, "signer": hexadecimal} has "isIssued" (the list is the
/// root's), "isListed" (the signer is on it) and "next".
enum ListReading {
    private enum Fault: Error {
        case unknownLine
    }

    /// The answer to one line.
    static func answer(_ line: String) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            do {
                let request = try JSONDocument(parsing: Array(line.utf8)).root
                if request["revocations"] != nil {
                    try revocations(request, into: &writer)
                } else {
                    write(try list(request), into: &writer)
                }
            } catch let error as VICALError {
                writer.member("error", error.rawValue)
            } catch {
                writer.member("error", "\(error)")
            }
        }
        return writer.text
    }

    private static func octets(_ value: JSONValue?) throws -> [UInt8] {
        guard let text = value?.stringBytes, let octets = Hexadecimal.decode(text[...]) else { throw Fault.unknownLine }
        return octets
    }

    private static func certificate(_ value: JSONValue?) throws -> Certificate {
        let der = try octets(value)
        return try Certificate(der.span)
    }

    private static func list(_ request: JSONValue) throws -> VICAL {
        guard let pinned = request["pinned"]?.elements, let now = request["now"]?.int64 else { throw Fault.unknownLine }
        let octets = try octets(request["list"]), inForce = request["inForce"]?.int64.flatMap { UInt64(exactly: $0) }
        return try VICAL(octets.span, pinned: try pinned.map(certificate), inForce: inForce, at: now)
    }

    private static func write(_ list: VICAL, into writer: inout JSONWriter) {
        writer.member("version", list.version)
        writer.member("provider", list.provider)
        writer.member("date", Timestamp.text(list.date) ?? "")
        writer.member("nextUpdate", list.nextUpdate.flatMap { Timestamp.text($0) } ?? "")
        if let issue = list.issue { writer.member("issue", issue) }
        writer.member("signer", Hexadecimal.text(list.signer))
        texts("warnings", list.warnings.map { "\($0)" }, into: &writer)
        writer.name("roots")
        writer.array { writer in
            for root in list.roots {
                writer.object { writer in
                    writer.member("fingerprint", Hexadecimal.text(root.fingerprint))
                    texts("docTypes", root.docTypes ?? [], into: &writer)
                    texts("warnings", root.warnings.map(\.rawValue), into: &writer)
                }
            }
        }
        writer.name("skipped")
        writer.array { writer in
            for skipped in list.skipped {
                writer.object { writer in
                    writer.member("entry", skipped.entry)
                    writer.member("reason", skipped.fault.name)
                    writer.member("fingerprint", skipped.fingerprint.map { Hexadecimal.text($0) } ?? "")
                }
            }
        }
    }

    private static func texts(_ name: String, _ texts: [String], into writer: inout JSONWriter) {
        writer.name(name)
        writer.array { writer in
            for text in texts { writer.string(text) }
        }
    }

    private static func revocations(_ request: JSONValue, into writer: inout JSONWriter) throws {
        let octets = try octets(request["revocations"]), list = try RevocationList(octets.span)
        writer.member("isIssued", list.isIssued(by: try certificate(request["root"])))
        writer.member("isListed", list.lists(try certificate(request["signer"])))
        writer.member("next", list.next.flatMap { Timestamp.text($0) } ?? "")
    }
}
