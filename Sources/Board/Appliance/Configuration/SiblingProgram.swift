import Glibc

/// Programs of the gate's that lie in its own folder.
enum SiblingProgram {
    /// The path of the program of that name in the folder of the running one.
    static func path(_ name: String) -> String {
        var octets = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &octets, octets.count)
        let path = octets.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
        let folder = path.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? []
        return String(decoding: folder, as: UTF8.self) + "/" + name
    }
}
