import CFacePlugin
import Glibc
import VisionProtocol

/// What a plug-in may ask of the worker: the time, whether to stop, and a word for the log.
final class PluginHost {
    /// When the plug-in should give up, in nanoseconds of the monotonic clock; nil while it loads.
    var deadline: UInt64?
    /// Whether a template of what was found in a probe is of use; asked by the plug-in while it makes one.
    var isWanted: ((fmp_frame_info) -> Bool)?
    private let channel: WorkerChannel
    private let eyeDistance: Float
    /// A plug-in that talks without end is not listened to without end.
    private var notesLeft = mostNotes
    private static let mostNotes = 16

    /// - Parameter eyeDistance: pixels between the eyes of the smallest face of a probe that has to be found; 0 where nobody says.
    init(_ channel: WorkerChannel, eyeDistance: Float) {
        self.channel = channel
        self.eyeDistance = eyeDistance
    }

    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    func beginRequest(lasting milliseconds: UInt64) -> UInt64 {
        let end = Self.now() &+ milliseconds &* 1_000_000
        deadline = end
        notesLeft = Self.mostNotes
        return end
    }

    /// Valid as long as the host.
    var interface: fmp_host {
        fmp_host(
            struct_size: UInt32(MemoryLayout<fmp_host>.size), host: Unmanaged.passUnretained(self).toOpaque(),
            log: { host, level, code in PluginHost.from(host)?.note(level, code) },
            cancelled: { host in PluginHost.from(host)?.deadline.map { PluginHost.now() >= $0 ? 1 : 0 } ?? 0 },
            now_ns: { _ in PluginHost.now() }, eye_distance: eyeDistance,
            wanted: { host, found in PluginHost.from(host).map { $0.wants(found) } == false ? 0 : 1 })
    }

    private func wants(_ found: UnsafePointer<fmp_frame_info>?) -> Bool {
        guard let isWanted, let found, found.pointee.struct_size >= MemoryLayout<fmp_frame_info>.size else { return true }
        return isWanted(found.pointee)
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> PluginHost? {
        pointer.map { Unmanaged<PluginHost>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Dropped where it is no code.
    private func note(_ level: Int32, _ code: UnsafePointer<CChar>?) {
        guard notesLeft > 0, let code = code.flatMap({ PluginText.read($0, most: 48) }), WorkerReply.isCode(code) else { return }
        notesLeft -= 1
        do throws(MessageError) { try channel.send(.note(level: level, code: code)) } catch {}
    }
}

/// A text of a plug-in's, read no further than it may be long.
enum PluginText {
    /// nil where it is longer.
    static func read(_ text: UnsafePointer<CChar>, most: Int) -> String? {
        let count = strnlen(text, most + 1)
        guard count <= most else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
    }
}
