/// Where in the document something was written. Turned into a JSON pointer only when asked for.
public struct Origin: Hashable, Sendable {
    let index: Int32
    static let root = Origin(index: 0)
}

/// The places expansion has been to, as a tree: a place costs one entry, a pointer is spelled out for the few that need one.
struct OriginTree: Sendable {
    private enum Step {
        case root
        case name(Text)
        case element(Int)
    }

    private struct Entry {
        let parent: Int32
        /// Octets of the pointer, not counting escapes.
        let length: Int32
        let step: Step
    }

    private var entries = [Entry(parent: 0, length: 0, step: .root)]

    mutating func member(_ name: Text, of parent: Origin) -> Origin { append(parent, .name(name), name.utf8.count) }
    mutating func element(_ position: Int, of parent: Origin) -> Origin { append(parent, .element(position), 6) }

    /// Octets of the pointer, about.
    func length(_ origin: Origin) -> Int { Int(entries[Int(origin.index)].length) }

    private mutating func append(_ parent: Origin, _ step: Step, _ octets: Int) -> Origin {
        let length = Int32(clamping: length(parent) + 1 + octets)
        entries.append(Entry(parent: parent.index, length: length, step: step))
        return Origin(index: Int32(truncatingIfNeeded: entries.count - 1))
    }

    /// The member of the outermost object that the place is in; nil for that object itself, and in an array.
    func topMember(_ origin: Origin) -> Text? {
        var index = Int(origin.index)
        while index > 0, index < entries.count {
            let entry = entries[index]
            if entry.parent == 0, case .name(let name) = entry.step { return name }
            index = Int(entry.parent)
        }
        return nil
    }

    /// RFC 6901.
    func pointer(_ origin: Origin) -> String {
        var steps: [String] = []
        var index = Int(origin.index)
        while index > 0, index < entries.count {
            switch entries[index].step {
            case .root: break
            case .name(let name): steps.append(OriginTree.escape(name))
            case .element(let position): steps.append("\(position)")
            }
            index = Int(entries[index].parent)
        }
        return steps.reversed().map { "/" + $0 }.joined()
    }

    private static func escape(_ name: Text) -> String {
        var octets: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "~"): octets.append(contentsOf: "~0".utf8)
            case UInt8(ascii: "/"): octets.append(contentsOf: "~1".utf8)
            default: octets.append(byte)
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
