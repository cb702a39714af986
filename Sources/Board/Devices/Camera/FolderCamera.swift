import Cryptography
import Glibc
import Linux
import VisionProtocol

/// `dir:`: the pictures of a folder, in the order of their names, again and again; one a tick.
///
/// The names are read at `start`. A file that cannot be read, is none or is no picture is passed over; when no file of the folder will do,
/// that is an error, the last one's.
public final class FolderCamera: FrameSource {
    public var descriptor: Int32 { on?.clock.descriptor ?? -1 }
    public private(set) var dropped = DroppedFrames()

    /// More names than that are refused.
    static let mostPictures = 4096
    /// Files looked at in one tick.
    private static let patience = 16

    private let path: String
    private let rate: UInt32
    private var on: Playing?

    /// What there is between `start` and `stop`.
    private final class Playing {
        let clock: FrameClock
        let listing: OpaquePointer
        let names: [[CChar]]
        /// With room to see that a file is too large.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameLimits.encoded + 1, alignment: 16)
        var next = 0
        var sequence: UInt32 = 0
        var faults = 0

        /// - Parameter listing: closed with the value.
        init(_ listing: OpaquePointer, names: [[CChar]], _ clock: consuming FrameClock) {
            self.listing = listing
            self.names = names
            self.clock = clock
        }

        deinit {
            wipe(buffer)
            buffer.deallocate()
            closedir(listing)
        }
    }

    /// - Parameter rate: pictures a second.
    public init(_ path: String, rate: UInt32) {
        self.path = path
        self.rate = rate
    }

    deinit {
        stop()
    }

    public func start() throws(CameraError) {
        stop()
        guard let listing = opendir(path) else { throw .opening(errno) }
        do {
            let names = try Self.pictures(in: listing)
            on = Playing(listing, names: names, try FrameClock(rate: rate))
        } catch {
            closedir(listing)
            throw error
        }
    }

    public func stop() {
        on = nil
    }

    /// The names of a folder's pictures, in the order of their octets.
    private static func pictures(in listing: OpaquePointer) throws(CameraError) -> [[CChar]] {
        var names: [[CChar]] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } }
            guard isPicture(name) else { continue }
            guard names.count < mostPictures else { throw .tooManyPictures }
            names.append(name + [0])
        }
        guard !names.isEmpty else { throw .noPictures }
        return names.sorted { $0.lexicographicallyPrecedes($1) { UInt8(bitPattern: $0) < UInt8(bitPattern: $1) } }
    }

    private static let endings = [".jpg", ".jpeg", ".png"].map { $0.utf8.map { CChar($0) } }

    private static func isPicture(_ name: [CChar]) -> Bool {
        let lowered = name.suffix(5).map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        return endings.contains { lowered.suffix($0.count).elementsEqual($0) }
    }

    public func takeFrame(_ body: (FrameHeader, UnsafeRawBufferPointer) -> Void) throws(CameraError) -> Bool {
        guard let on else { throw .off }
        guard on.clock.hasTicked() else { return false }
        for _ in 0..<Self.patience {
            let name = on.names[on.next]
            on.next = (on.next + 1) % on.names.count
            do throws(CameraError) {
                let (octets, format) = try read(name, on)
                let header = FrameHeader(format: format, width: 0, height: 0, stride: 0, captured: Clock.monotonic(), sequence: on.sequence)
                body(header, octets)
                on.faults = 0
                on.sequence &+= 1
                return true
            } catch {
                on.faults += 1
                guard on.faults < on.names.count else {
                    stop()
                    throw error
                }
            }
        }
        return false
    }

    private func read(_ name: [CChar], _ on: Playing) throws(CameraError) -> (UnsafeRawBufferPointer, PictureFormat) {
        let count: Int
        do throws(CameraError) {
            let file = try PictureFile.open(name, in: dirfd(on.listing)).descriptor
            defer { close(file) }
            count = try PictureFile.fill(on.buffer, from: file)
        } catch {
            dropped.unreadable += 1
            throw error
        }
        let octets = UnsafeRawBufferPointer(rebasing: on.buffer[..<count])
        if count == 0 {
            dropped.empty += 1
        } else if count > FrameLimits.encoded {
            dropped.tooLarge += 1
        } else if let format = Self.format(of: octets) {
            return (octets, format)
        } else {
            dropped.malformed += 1
        }
        throw .noPictures
    }

    /// By the first octets, whatever the file is called.
    private static func format(of octets: UnsafeRawBufferPointer) -> PictureFormat? {
        guard octets.count >= 4 else { return nil }
        return switch (octets[0], octets[1], octets[2], octets[3]) {
        case (0xFF, 0xD8, 0xFF, _): .jpeg
        case (0x89, 0x50, 0x4E, 0x47): .png
        default: nil
        }
    }
}
