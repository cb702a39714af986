import JSON
import Linux

/// What a relay says of itself, in a file that `gatehouse doctor` reads. Nothing depends on it.
public struct OutletStatus: Hashable, Sendable {
    /// The file's name in the outlet's state folder.
    public static let file = "status"
    /// Octets of the longest one.
    private static let most = 4096

    public enum State: String, Hashable, Sendable {
        /// The other side is there and takes records.
        case connected
        /// It is being reached.
        case connecting
        /// It could not be reached, or takes nothing: `trouble` says why, and it is tried again.
        case waiting
        /// It will not be tried again before somebody does something.
        case stopped
    }

    public var state = State.connecting
    /// Why it is not connected, or what was refused last, or that its own state cannot be kept: a code of `docs/relay.md`.
    public var trouble: String?
    /// Since when, in seconds since 1970, by the board's clock.
    public var since: UInt64 = 0
    /// When this was written.
    public var at: UInt64 = 0
    /// Of this process: records that were handed out, those of them that had been before, and those that are delivered.
    public var sent: UInt64 = 0
    public var again: UInt64 = 0
    public var delivered: UInt64 = 0
    /// Records that were not in the log any more when it was their turn.
    public var missing: UInt64 = 0
    /// Lines that are no record, or not in their order.
    public var damaged: UInt64 = 0
    /// How often the log was another one.
    public var exchanged: UInt64 = 0

    public init() {}

    /// Of a folder; nil where there is none, or it cannot be read.
    public init?(folder: String) {
        guard let found = try? DurableFolder(folder, exclusively: false).read(Self.file, most: Self.most),
            let root = (try? JSONDocument(parsing: found))?.root, let state = root["state"]?.string.flatMap(State.init)
        else { return nil }
        func count(_ name: String) -> UInt64 { UInt64(max(0, root[name]?.int64 ?? 0)) }
        self.state = state
        trouble = root["trouble"]?.string
        (since, at, sent, again) = (count("since"), count("at"), count("sent"), count("again"))
        (delivered, missing, damaged, exchanged) = (count("delivered"), count("missing"), count("damaged"), count("exchanged"))
    }

    public var octets: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("state", state.rawValue)
        if let trouble { writer.member("trouble", trouble) }
        for (name, count) in counts { writer.member(name, count) }
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private var counts: [(String, UInt64)] {
        [
            ("since", since), ("at", at), ("sent", sent), ("again", again), ("delivered", delivered), ("missing", missing),
            ("damaged", damaged), ("exchanged", exchanged),
        ]
    }
}
