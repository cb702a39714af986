import Glibc

/// Texts as a started program takes them: a list of C strings with NULL at its end.
enum CStrings {
    static func with<Value>(_ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Value) -> Value {
        let copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
