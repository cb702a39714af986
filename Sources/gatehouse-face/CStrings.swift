import Glibc

/// Texts as a started program takes them: a list of C strings with NULL at its end.
enum CStrings {
    static func with<Value>(_ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value) -> Value {
        let copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { list in
            // It has at least its NULL.
            guard let start = list.baseAddress else { _exit(ENOMEM) }
            return body(start)
        }
    }
}
