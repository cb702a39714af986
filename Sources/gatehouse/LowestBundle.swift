import ArgumentParser
import Credentials

/// The lowest sequence number a trust bundle may have on this system: an image carries it, so that a gate that has lost its mark starts with no bundle
/// that was old when the image was made.
enum LowestBundle {
    static let usualFile = "/usr/share/gatehouse/lowest-bundle"

    /// - Parameter option: a number, or the path of a file that holds one on its first line; nil for the usual file, 0 where there is none.
    static func number(_ option: String?) throws -> Int64 {
        guard let option, let number = Int64(option) else {
            let path = file(option)
            return try option == nil && !TrustOptions.exists(path) ? 0 : self.number(in: path)
        }
        guard number >= 0 else { throw ValidationError("--lowest-bundle \(option): is below zero") }
        return number
    }

    /// Where the number is read from: the usual file where the option is a number, which is read from nowhere.
    static func file(_ option: String?) -> String { option.flatMap { Int64($0) == nil ? $0 : nil } ?? usualFile }

    /// The bundle that the image carries, beside the file that holds its number; nil where there is none, or the option is a number.
    static func bundle(_ option: String?) throws -> [UInt8]? {
        if let option, Int64(option) != nil { return nil }
        let file = file(option), path = (file.lastIndex(of: "/").map { String(file[...$0]) } ?? "") + "bundle.cose"
        return try TrustOptions.exists(path) ? octets(of: path, most: TrustBundle.largest) : nil
    }

    private static func number(in path: String) throws -> Int64 {
        let text = String(decoding: try octets(of: path, most: 1 << 20), as: UTF8.self)
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        guard let number = Int64(line), number >= 0 else { throw ValidationError("--lowest-bundle \(path): its first line is not a number") }
        return number
    }
}
