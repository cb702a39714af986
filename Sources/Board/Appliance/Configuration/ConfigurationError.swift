import Linux

/// What somebody asked for cannot be: options, or files they name. In a sentence for whoever asked.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

/// Runs `body`; its error becomes a sentence that names the thing that failed.
package func opened<Value: ~Copyable, Failure: Error>(
    _ what: String, _ body: () throws(Failure) -> Value
) throws(ConfigurationError) -> Value {
    do throws(Failure) { return try body() } catch { throw ConfigurationError("\(what): \(error)") }
}

/// Words for whoever reads the gate's standard error.
func say(_ text: String) { Words.errors.write("gatehouse: " + text + "\n") }
