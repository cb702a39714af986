import Glibc

/// Why the system refused something, in words: `no such file or directory`.
///
/// - Parameter code: an `errno`.
public func systemCause(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    let words = String(cString: text)
    // The system's own sentences begin with a capital; `I/O error` keeps it.
    guard let first = words.unicodeScalars.first, words.unicodeScalars.dropFirst().first?.properties.isLowercase == true else {
        return words
    }
    return String(first).lowercased() + words.dropFirst()
}
