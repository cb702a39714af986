import JSON

/// JSON that can be taken apart and put together wrongly: names may repeat, scalars are whatever octets one likes.
indirect enum Tree: Hashable, Sendable {
    struct Member: Hashable, Sendable {
        /// JSON text, quotes included.
        var name: [UInt8]
        var value: Tree

        init(name: [UInt8], value: Tree) {
            self.name = name
            self.value = value
        }

        init(_ name: String, _ value: Tree) { self.init(name: Tree.quoted(name), value: value) }

        func isNamed(_ wanted: String) -> Bool { name == Tree.quoted(wanted) }
    }

    case object([Member])
    case array([Tree])
    case scalar([UInt8])

    init(_ value: JSONValue) {
        if let members = value.members {
            self = .object(members.map { Member(name: $0.key.source, value: Tree($0.value)) })
        } else if let elements = value.elements {
            self = .array(elements.map { Tree($0) })
        } else {
            self = .scalar(value.source)
        }
    }

    /// Nil for what is no JSON.
    init?(parsing octets: [UInt8]) {
        guard let document = try? JSONDocument(parsing: octets) else { return nil }
        self.init(document.root)
    }

    static func string(_ text: String) -> Tree { .scalar(quoted(text)) }

    /// `text` is JSON, used as it stands.
    static func json(_ text: String) -> Tree { Tree(parsing: Array(text.utf8)) ?? .scalar(Array(text.utf8)) }

    static func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }

    // MARK: Writing

    var octets: [UInt8] {
        var octets: [UInt8] = []
        write(to: &octets)
        return octets
    }

    var text: String { String(decoding: octets, as: UTF8.self) }

    private func write(to octets: inout [UInt8]) {
        switch self {
        case .scalar(let text): octets += text
        case .array(let elements):
            octets.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { octets.append(UInt8(ascii: ",")) }
                element.write(to: &octets)
            }
            octets.append(UInt8(ascii: "]"))
        case .object(let members):
            octets.append(UInt8(ascii: "{"))
            for (place, member) in members.enumerated() {
                if place > 0 { octets.append(UInt8(ascii: ",")) }
                octets += member.name
                octets.append(UInt8(ascii: ":"))
                member.value.write(to: &octets)
            }
            octets.append(UInt8(ascii: "}"))
        }
    }

    // MARK: Looking

    var members: [Member]? { if case .object(let members) = self { members } else { nil } }
    var elements: [Tree]? { if case .array(let elements) = self { elements } else { nil } }
    var isScalar: Bool { if case .scalar = self { true } else { false } }

    /// Elements, or values of members.
    var children: [Tree] {
        switch self {
        case .object(let members): members.map(\.value)
        case .array(let elements): elements
        case .scalar: []
        }
    }

    /// The text of a string, escapes undone.
    var string: String? {
        guard case .scalar(let text) = self, text.first == UInt8(ascii: "\"") else { return nil }
        return (try? JSONDocument(parsing: text))?.root.string
    }

    subscript(name: String) -> Tree? {
        get { members?.first { $0.isNamed(name) }?.value }
        set {
            guard var members else { return }
            let place = members.firstIndex { $0.isNamed(name) }
            switch (place, newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(Member(name, value))
            case (nil, nil): break
            }
            self = .object(members)
        }
    }

    // MARK: Places

    /// Places of everything inside, this value first: indices of members or elements from the top down.
    var paths: [[Int]] {
        var found: [[Int]] = []
        func visit(_ tree: Tree, _ path: [Int]) {
            found.append(path)
            for (place, child) in tree.children.enumerated() { visit(child, path + [place]) }
        }
        visit(self, [])
        return found
    }

    func paths(where isWanted: (Tree) -> Bool) -> [[Int]] { paths.filter { self[path: $0].map(isWanted) ?? false } }

    /// Places of the scalars.
    var leaves: [[Int]] { paths(where: \.isScalar) }

    subscript(path path: [Int]) -> Tree? {
        var tree = self
        for place in path {
            let children = tree.children
            guard children.indices.contains(place) else { return nil }
            tree = children[place]
        }
        return tree
    }

    mutating func edit(_ path: some Collection<Int>, _ change: (inout Tree) -> Void) {
        guard let place = path.first else { return change(&self) }
        switch self {
        case .object(var members) where members.indices.contains(place):
            members[place].value.edit(path.dropFirst(), change)
            self = .object(members)
        case .array(var elements) where elements.indices.contains(place):
            elements[place].edit(path.dropFirst(), change)
            self = .array(elements)
        default: break
        }
    }

    mutating func set(_ path: [Int], _ value: Tree) { edit(path) { $0 = value } }

    mutating func append(_ member: Member) {
        if case .object(let members) = self { self = .object(members + [member]) }
    }

    mutating func remove(_ path: [Int]) {
        guard let last = path.last else { return }
        edit(path.dropLast()) { tree in
            switch tree {
            case .object(var members) where members.indices.contains(last):
                members.remove(at: last)
                tree = .object(members)
            case .array(var elements) where elements.indices.contains(last):
                elements.remove(at: last)
                tree = .array(elements)
            default: break
            }
        }
    }
}
