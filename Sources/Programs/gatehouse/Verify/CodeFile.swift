import Appliance
import ArgumentParser
import Credentials
import Glibc
import Linux
import VisionProtocol

/// A file with a code in it: a picture, or the text that stands in one.
struct CodeFile {
    let path: String
    /// As it stands in the code.
    let text: [UInt8]

    /// Octets that a picture may have: what a worker takes.
    private static let mostPicture = MessageHeader.mostPayload - PictureHeader.size
    /// Nanoseconds for a worker to start and to look at one picture.
    private static let patience: UInt64 = 20_000_000_000

    /// Pictures go to a worker of their own, which is confined: none is decoded here.
    init(_ path: String) throws {
        let octets = try NamedFile.read(path, most: 4 << 20, named: "--code")
        guard !octets.isEmpty else { throw ValidationError("--code \(path): empty") }
        self.path = path
        text = try Self.format(of: octets).map { try Self.read(octets, $0, path) } ?? Self.line(octets)
        guard text.count <= CodeReading.mostText else {
            throw ValidationError("--code \(path): neither a PNG nor a JPEG, and longer than any code (\(CodeReading.mostText) octets)")
        }
    }

    /// What it says, as far as a gate would look at it, with what its issuers write before PixelPass.
    func content(prefix: [UInt8]) throws -> CodeContent {
        let content = CodeContent(reading: text.span, prefix: prefix)
        guard case .ignored(let why) = content else { return content }
        throw ValidationError("--code \(path): a gate ignores this code: \(Self.sentence(why))")
    }

    private static func sentence(_ why: IgnoredCode) -> String {
        switch why {
        case .foreign: "it is for somebody else (a web page, a presentation request, another kind of pass)"
        case .nothing: "there is no credential in it"
        case .damaged: "it looks like PixelPass, and does not decode"
        }
    }

    /// By the first octets (ISO/IEC 15948 and 10918-1): no code's text begins so.
    private static func format(of octets: [UInt8]) -> PictureFormat? {
        if octets.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        return octets.starts(with: [0xFF, 0xD8, 0xFF]) ? .jpeg : nil
    }

    /// Without the end of the line that an editor puts there. A space may belong to the code.
    private static func line(_ octets: [UInt8]) -> [UInt8] {
        var octets = octets
        if octets.last == 0x0A { octets.removeLast() }
        if octets.last == 0x0D { octets.removeLast() }
        return octets
    }

    private static func read(_ octets: [UInt8], _ format: PictureFormat, _ path: String) throws -> [UInt8] {
        guard octets.count <= mostPicture else { throw ValidationError("--code \(path): longer than a worker takes") }
        let reading: CodeReading
        do {
            let reader = CodeReader(supervisor: try Supervisor(SupervisorSettings()))
            defer { reader.stop() }
            reading = try octets.withUnsafeBytes { bytes in
                try reader.read(PictureHeader(format: format), bytes, until: Clock.monotonic() + patience)
            }
        } catch {
            throw ValidationError("--code \(path): codes cannot be read in pictures here: \(error)")
        }
        guard let text = reading.text else { throw ValidationError("--code \(path): \(sentence(reading.status))") }
        return text
    }

    private static func sentence(_ status: CodeReading.Status) -> String {
        switch status {
        case .nothing, .read: "no code is found in the picture"
        case .refused: "the code is of a kind that is not taken: a part of several, another alphabet, or empty"
        case .undecodable: "the picture cannot be decoded"
        case .tooLarge: "the picture is larger than is taken"
        case .failed: "the library gave the picture up"
        }
    }
}
