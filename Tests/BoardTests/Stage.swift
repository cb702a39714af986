import Foundation

/// A folder of its own for one test, removed with the value.
final class Stage {
    let folder: String

    init() {
        var template = Array("/tmp/gatehouse.XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }.map { String(cString: $0) } ?? "/tmp"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }
}

/// Waits, at most two seconds, until `descriptor` can be read.
func awaitReadable(_ descriptor: Int32, milliseconds: Int32 = 2000) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
}

/// Everything that can be read now.
func drain(_ descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while awaitReadable(descriptor, milliseconds: 50) {
        let count = read(descriptor, &chunk, chunk.count)
        if count <= 0 { break }
        all += chunk[..<count]
    }
    return all
}
