import JSON

/// The members of a term definition as they are written. Most of a context is such definitions, so they are looked through once.
struct WrittenTerm {
    private(set) var container: JSONValue?
    private(set) var context: JSONValue?
    private(set) var direction: JSONValue?
    private(set) var id: JSONValue?
    private(set) var index: JSONValue?
    private(set) var isProtected: JSONValue?
    private(set) var language: JSONValue?
    private(set) var nest: JSONValue?
    private(set) var prefix: JSONValue?
    private(set) var reverse: JSONValue?
    private(set) var type: JSONValue?
    /// Step 26: it has a member of another name.
    private(set) var hasUnknown = false

    /// Empty when `value` is not an object.
    init(_ value: JSONValue) {
        guard let members = value.members else { return }
        for member in members {
            let (name, value) = (member.key, member.value)
            if name.isString("@id") {
                id = value
            } else if name.isString("@type") {
                type = value
            } else if name.isString("@container") {
                container = value
            } else if name.isString("@context") {
                context = value
            } else if name.isString("@protected") {
                isProtected = value
            } else if name.isString("@reverse") {
                reverse = value
            } else if name.isString("@language") {
                language = value
            } else if name.isString("@direction") {
                direction = value
            } else if name.isString("@index") {
                index = value
            } else if name.isString("@nest") {
                nest = value
            } else if name.isString("@prefix") {
                prefix = value
            } else {
                hasUnknown = true
            }
        }
    }
}
