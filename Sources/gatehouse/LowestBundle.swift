import ArgumentParser
import Glibc

/// The lowest sequence number a trust bundle may have on this system: an image carries it, so that a gate that has lost its mark starts with no bundle
/// that was old when the image was made.
enum LowestBundle {
    static let usualFile = "/usr/share/gatehouse/lowest-bundle"

    /// - Parameter option: a number, or the path of a file that holds one on its first line; nil for the usual file, 0 where there is none.
    static func number(_ option: String?) throws -> Int64 {
        guard let option else { return access(usualFile, F_OK) == 0 ? try number(in: usualFile) : 0 }
        return try Int64(option).map { number in
            guard number >= 0 else { throw ValidationError("--lowest-bundle \(option): is below zero") }
            return number
        } ?? number(in: option)
    }

    private static func number(in path: String) throws -> Int64 {
        let text = String(decoding: try octets(of: path, most: 1 << 20), as: UTF8.self)
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        guard let number = Int64(line), number >= 0 else { throw ValidationError("--lowest-bundle \(path): its first line is not a number") }
        return number
    }
}
