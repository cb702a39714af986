import VisionProtocol

/// What the worker has to know about a picture's octets.
public struct FrameHeader: Hashable, Sendable {
    public let format: PictureFormat
    /// Pixels, as the camera announces them; 0 where only the picture itself says so.
    public let width: UInt32
    public let height: UInt32
    /// Octets of a line; 0 for an encoded picture.
    public let stride: UInt32
    /// When the picture was taken, or came in: nanoseconds of `Clock.monotonic`.
    public let captured: UInt64
    /// Counts what the camera took since `start`; numbers are left out where pictures were.
    public let sequence: UInt32

    package init(format: PictureFormat, width: UInt32, height: UInt32, stride: UInt32, captured: UInt64, sequence: UInt32) {
        self.format = format
        self.width = width
        self.height = height
        self.stride = stride
        self.captured = captured
        self.sequence = sequence
    }
}

/// Pictures nobody got, since the source was made.
public struct DroppedFrames: Hashable, Sendable {
    /// The first ones after `start`, while the camera sets itself to the light.
    public var warmUp: UInt64 = 0
    /// Good ones that came before the one that was taken, or that waited too long.
    public var outdated: UInt64 = 0
    /// Said to be damaged by the driver.
    public var damaged: UInt64 = 0
    /// Without an octet.
    public var empty: UInt64 = 0
    /// Larger than `FrameLimits` has it.
    public var tooLarge: UInt64 = 0
    /// Cut short, or no picture at all.
    public var malformed: UInt64 = 0
    /// Files that could not be read.
    public var unreadable: UInt64 = 0

    public init() {}
}

/// Sizes that nothing from a camera may pass.
public enum FrameLimits {
    /// Octets of an encoded picture.
    public static let encoded = 1 << 20
    /// Octets of a raw one: with what goes before it, no more than the worker's pipe carries.
    public static let raw = 4 << 20 - 64
    /// Pixels of a side.
    public static let side: UInt32 = 8192
    /// Nanoseconds after which a picture shows what was. A raw one of a slow bus is half of that under way.
    static let age: UInt64 = 2_000_000_000
    /// Pictures after `start` that a live camera is not believed in yet.
    static let warmUp = 4
}

/// A camera, or what stands for one.
///
/// A source is used from one thread, and never waits for a picture. Once it is on, nothing is allocated for each. After an error it is off,
/// and nothing of any picture is left; `start` tries again.
public protocol FrameSource: AnyObject {
    /// What to watch with `epoll`, level-triggered, for reading; -1 while off. Another one after each `start`, perhaps of the same number;
    /// it leaves
    /// `epoll` by itself when the camera is off.
    var descriptor: Int32 { get }

    /// Switches the camera on; one that is on is switched off first. The first pictures of a live camera are not given to anybody.
    ///
    /// Waits as long as the camera's driver takes to be set: for a camera that does not answer, five seconds a request in Linux 6.12.
    func start() throws(CameraError)

    /// Switches the camera off: everything is unmapped, buffers are wiped. Twice is allowed.
    func stop()

    /// Gives `body` the newest whole picture that is there.
    ///
    /// - Parameter body: the octets are valid during the call. It leaves the source alone.
    /// - Returns: whether there was one. The descriptor may be readable without: for a part of a picture, or a damaged one.
    func takeFrame(_ body: (FrameHeader, UnsafeRawBufferPointer) -> Void) throws(CameraError) -> Bool

    /// Counted since the source was made.
    var dropped: DroppedFrames { get }
}
