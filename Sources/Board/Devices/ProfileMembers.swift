import JSON

/// The members of a board profile as they are written: nothing unknown, nothing twice, and each a text that is not empty.
struct ProfileMembers {
    let texts: [String: String]

    init(parsing octets: [UInt8], known: [String]) throws(BoardProfileError) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: octets)
        } catch {
            throw .notJSON(error.reason, offset: error.offset)
        }
        guard let members = document.root.members else { throw .notAnObject }
        var texts: [String: String] = [:]
        for member in members {
            let name = member.name
            guard known.contains(name) else { throw .unknownMember(name) }
            guard let text = member.value.string, !text.isEmpty else { throw .notAString(name) }
            texts[name] = text
        }
        self.texts = texts
    }

    func needed(_ name: String) throws(BoardProfileError) -> String {
        guard let text = texts[name] else { throw .missingMember(name) }
        return text
    }

    /// A text that is as `isGood` wants it, where it is there.
    func text(_ name: String, _ isGood: (String) -> Bool) throws(BoardProfileError) -> String? {
        guard let text = texts[name] else { return nil }
        guard isGood(text) else { throw .badMember(name) }
        return text
    }

    /// An absolute path of a file.
    func path(_ name: String) throws(BoardProfileError) -> String? {
        try text(name) { $0.hasPrefix("/") && !$0.hasSuffix("/") && !$0.utf8.contains(0) }
    }

    /// A device, where there is one.
    func device<Value>(_ name: String, _ read: (String) throws(MonikerError) -> Value) throws(BoardProfileError) -> Value? {
        guard let text = texts[name] else { return nil }
        do throws(MonikerError) {
            return try read(text)
        } catch {
            throw .badMoniker(member: name, error)
        }
    }

    /// A device that no board is without.
    func neededDevice<Value>(_ name: String, _ read: (String) throws(MonikerError) -> Value) throws(BoardProfileError) -> Value {
        guard let value = try device(name, read) else { throw .missingMember(name) }
        return value
    }
}
