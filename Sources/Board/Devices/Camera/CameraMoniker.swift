import Glibc

/// Where the pictures of the visitor come from.
public enum CameraMoniker: Hashable, Sendable {
    /// `v4l2:/dev/video0[,WxH[,RATE]]`: a camera of the kernel's, in the size nearest to the one named, or to 640x480. A camera that may be
    /// plugged in elsewhere is better named by `/dev/v4l/by-id/...`.
    case video(path: String, VideoMode)
    /// `cmd:COMMAND`: a program that writes one JPEG after the other, such as `rpicam-vid -t 0 --codec mjpeg --nopreview -o -`.
    case command(String)
    /// `dir:FOLDER[,RATE]`: the pictures of a folder, in the order of their names, again and again.
    case folder(path: String, rate: UInt32)
    /// `file:PATH[,RATE]`: one JPEG, or one after the other, again and again.
    case file(path: String, rate: UInt32)
    /// `stdin:`: one JPEG after the other from a pipe, until it ends.
    case standardInput

    static let schemes = ["v4l2", "cmd", "dir", "file", "stdin"]
    /// Pictures a second of `dir:` and `file:`.
    static let usualRate: UInt32 = 10
    private static let highestRate: UInt32 = 120

    public init(_ moniker: Moniker) throws(MonikerError) {
        switch moniker.scheme {
        case "v4l2":
            let parts = moniker.rest.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
            guard let path = parts.first, !path.isEmpty else { throw .missing("path") }
            self = .video(
                path: String(path),
                VideoMode(
                    size: parts.count > 1 ? try Self.size(parts[1]) : VideoMode.usualSize,
                    rate: parts.count > 2 ? try Self.rate(parts[2]) : nil))
        case "cmd":
            guard !moniker.rest.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) else { throw .missing("command") }
            self = .command(moniker.rest)
        case "dir":
            let (path, rate) = try Self.played(moniker.rest)
            self = .folder(path: path, rate: rate)
        case "file":
            let (path, rate) = try Self.played(moniker.rest)
            self = .file(path: path, rate: rate)
        case "stdin":
            try moniker.nothing()
            self = .standardInput
        default: throw .unknownScheme(moniker.scheme, known: Self.schemes)
        }
    }

    public init(_ text: String) throws(MonikerError) {
        try self.init(try Moniker(text))
    }

    /// The source this moniker names, off.
    ///
    /// - Parameter supervisor: starts the program of `cmd:`; without, that camera cannot be switched on.
    public func makeSource(supervisor: (any CommandStarter)?) -> any FrameSource {
        switch self {
        case .video(let path, let mode): VideoCamera(path, mode: mode)
        case .command: StreamCamera(.command(supervisor))
        case .folder(let path, let rate): FolderCamera(path, rate: rate)
        case .file(let path, let rate): FileCamera(path, rate: rate)
        case .standardInput: StreamCamera(.pipe(STDIN_FILENO))
        }
    }

    /// `PATH[,RATE]`.
    private static func played(_ text: String) throws(MonikerError) -> (path: String, rate: UInt32) {
        let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, !path.isEmpty else { throw .missing("path") }
        return (String(path), parts.count > 1 ? try rate(parts[1]) : usualRate)
    }

    private static func rate(_ text: some StringProtocol) throws(MonikerError) -> UInt32 {
        let rate = try Moniker.number(text, upTo: highestRate)
        guard rate > 0 else { throw .badNumber(String(text)) }
        return rate
    }

    /// `WxH`.
    private static func size(_ text: Substring) throws(MonikerError) -> VideoMode.Size {
        let parts = text.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .unexpected(String(text)) }
        let size = VideoMode.Size(
            width: try Moniker.number(parts[0], upTo: FrameLimits.side), height: try Moniker.number(parts[1], upTo: FrameLimits.side))
        guard size.width > 0, size.height > 0 else { throw .badNumber(String(text)) }
        return size
    }
}

/// What a camera of the kernel's is asked for.
public struct VideoMode: Hashable, Sendable {
    /// Pixels.
    public struct Size: Hashable, Sendable {
        public let width: UInt32
        public let height: UInt32

        public init(width: UInt32, height: UInt32) {
            self.width = width
            self.height = height
        }
    }

    /// Enough for a face at arm's length, and decoded in a millisecond.
    public static let usualSize = Size(width: 640, height: 480)

    public let size: Size
    /// Pictures a second; nil leaves it to the camera.
    public let rate: UInt32?

    public init(size: Size = usualSize, rate: UInt32? = nil) {
        self.size = size
        self.rate = rate
    }
}
