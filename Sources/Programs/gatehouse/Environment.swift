import Glibc

/// The variables of this process's environment that a command is to heed.
enum Environment {
    static subscript(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Those of them that are set.
    static func all(_ names: [String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: names.compactMap { name in Environment[name].map { (name, $0) } })
    }
}
