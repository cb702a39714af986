import JSON
import TestSupport

/// A file that does not say what it should.
package struct UnusableVector: Error {
    package let what: String

    package init(what: String) { self.what = what }
}

extension JSONValue {
    package func text(_ name: String) throws(UnusableVector) -> String {
        guard let text = self[name]?.string else { throw UnusableVector(what: name) }
        return text
    }

    package func octets(_ name: String) throws(UnusableVector) -> [UInt8] {
        guard let octets = self[name]?.stringBytes.flatMap({ Hex.decode($0) }) else { throw UnusableVector(what: name) }
        return octets
    }

    package func member(_ name: String) throws(UnusableVector) -> JSONValue {
        guard let value = self[name] else { throw UnusableVector(what: name) }
        return value
    }

    /// The value without white space between its parts, as it is written on the wire.
    package var compact: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        if let members {
            writer.beginObject()
            for member in members {
                writer.name(copying: member.key)
                member.value.write(to: &writer)
            }
            writer.endObject()
        } else if let elements {
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        } else {
            writer.copy(self)
        }
    }
}
