import Glibc
import JSON
import Linux
import Relay
import Webhook

/// What a webhook's outlet keeps in its folder beside the cursor: for how long a record is refused, so that restarts do not make the three
/// days longer, and which records were left out.
struct WebhookDiary {
    /// One line of JSON for each record that was left out.
    static let skipped = "skipped.jsonl"
    private static let refused = "refused"
    /// Octets of the file with those that were left out; beyond it the oldest half goes. A record takes three days.
    private static let most = 65_536

    private let folder: String

    init(_ folder: String) { self.folder = folder }

    func remembered() -> (identifier: String, WebhookPatience)? {
        guard let octets = try? DurableFolder(folder, exclusively: false).read(Self.refused, most: 1024),
            let root = (try? JSONDocument(parsing: octets))?.root, let identifier = root["id"]?.string,
            let refusals = root["refusals"]?.int64, let seconds = root["seconds"]?.int64.flatMap({ UInt64(exactly: $0) })
        else { return nil }
        return (identifier, WebhookPatience(refusals: Int(clamping: refusals), refusedFor: seconds))
    }

    /// Where it cannot be kept, the three days begin anew with the next start: nothing is lost by that.
    func remember(_ identifier: String, _ patience: WebhookPatience) {
        guard patience.refusals > 0 else { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", identifier)
        writer.member("refusals", patience.refusals)
        writer.member("seconds", patience.refusedFor)
        writer.endObject()
        try? DurableFolder(folder, exclusively: false).replace(Self.refused, with: writer.bytes + [0x0A])
    }

    func forget() { unlink(folder + "/" + Self.refused) }

    /// Says that a record was left out. Where that cannot be said, it is not left out.
    func skip(_ identifier: String, status: Int, at now: UInt64) throws(OutletTrouble) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", identifier)
        writer.member("status", status)
        writer.member("at", now)
        writer.endObject()
        do throws(SystemError) {
            let folder = try DurableFolder(folder, exclusively: false)
            var octets = try folder.read(Self.skipped, most: 2 * Self.most) ?? []
            if octets.count > Self.most {
                octets.removeFirst(octets.count / 2)
                octets = Array(octets.drop { $0 != 0x0A }.dropFirst())
            }
            try folder.replace(Self.skipped, with: octets + writer.bytes + [0x0A])
        } catch {
            throw OutletTrouble(.system, "what is left out cannot be kept: \(error.cause)", pause: .minute)
        }
    }
}
