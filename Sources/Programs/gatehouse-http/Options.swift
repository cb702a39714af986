/// What the gate says when it starts the keeper, and the keeper hands on to each listener.
struct Options {
    var address = ""
    var port: UInt16 = 0
    var user: String?
    var isLenient = false
    /// The process that has to be the parent's.
    var parent: Int32?

    /// nil where something is no option, or no value of one.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if name == "--lenient" {
                isLenient = true
                continue
            }
            guard let value = rest.popFirst(), set(name, value) else { return nil }
        }
    }

    private mutating func set(_ name: String, _ value: String) -> Bool {
        switch name {
        case "--address": address = value
        case "--user": user = value
        case "--port":
            guard let number = UInt16(value) else { return false }
            port = number
        case "--parent":
            parent = Int32(value)
            return parent != nil
        default: return false
        }
        return true
    }
}
