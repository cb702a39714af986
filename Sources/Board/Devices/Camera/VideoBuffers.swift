import CLinux
import Cryptography
import Glibc

/// The buffers a camera's driver fills, mapped and queued.
final class VideoBuffers {
    /// What is asked for: one being filled, one waiting, one in use, one to spare.
    private static let wanted: UInt32 = 4

    private let camera: Int32
    private var mapped: [UnsafeMutableRawBufferPointer] = []
    var count: Int { mapped.count }

    init(of camera: Int32) throws(CameraError) {
        self.camera = camera
        var count = Self.wanted
        try VideoCamera.check(video_request_buffers(camera, &count), of: .buffers)
        // With one, the driver has none while the picture is looked at. A driver may give more than were asked for.
        guard (2...32).contains(count) else { throw .system(.buffers, errno: ENOMEM) }
        mapped.reserveCapacity(Int(count))
        for index in 0..<count {
            var start: UnsafeMutableRawPointer?
            var octets = 0
            try VideoCamera.check(video_map(camera, index, &start, &octets), of: .buffers)
            guard let start else { throw .system(.buffers, errno: ENOMEM) }
            mapped.append(UnsafeMutableRawBufferPointer(start: start, count: octets))
            try VideoCamera.check(video_queue(camera, index), of: .queue)
        }
    }

    deinit {
        release()
    }

    /// The stream has ended, and the camera is still open.
    func release() {
        guard !mapped.isEmpty else { return }
        for buffer in mapped {
            wipe(buffer)
            _ = video_unmap(buffer.baseAddress, buffer.count)
        }
        mapped = []
        var none: UInt32 = 0
        _ = video_request_buffers(camera, &none)
    }

    /// - Returns: nil where the driver names more octets than the buffer has, or no buffer there is.
    func octets(of frame: video_frame) -> UnsafeRawBufferPointer? {
        guard Int(frame.index) < mapped.count else { return nil }
        let buffer = mapped[Int(frame.index)]
        guard Int(frame.octets) <= buffer.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: buffer[..<Int(frame.octets)])
    }
}
