import Glibc
import Linux

/// Why there are no pictures.
public enum CameraError: Error, Hashable, Sendable {
    // Switching on.

    /// There is no such device, folder or file (yet).
    case notFound
    /// The process may not read it; a camera's device file wants its group.
    case notPermitted
    /// Another program takes pictures with this camera.
    case busy
    /// The path is no device that pictures can be taken with.
    case notCamera
    /// The camera has neither MJPEG nor YUYV, or only in impossible sizes.
    case noUsableFormat
    /// The camera is there and does not do what its driver asks.
    case notResponding
    /// The bus has no room for another stream.
    case noBandwidth
    /// The path of `dir:` is no folder, or that of `file:` no file.
    case wrongKind
    /// Symbolic links lead nowhere.
    case linkLoop
    /// There is no picture in the folder or file that could be taken.
    case noPictures
    /// There are more pictures in the folder than are looked at.
    case tooManyPictures
    /// Standard input is no pipe, and cannot be waited for.
    case notPipe
    /// The program could not be started.
    case noCommand

    // While on.

    /// The camera was unplugged, or its driver gave up.
    case unplugged
    /// The stream ended.
    case ended
    /// The camera is off.
    case off
    /// Any other refusal of the system.
    case system(SystemCall, errno: Int32)

    public enum SystemCall: Hashable, Sendable {
        case open, read, timer
        /// A request of V4L2: what the camera can, its format, its buffers, a buffer filled or given back, its stream.
        case identify, format, buffers, dequeue, queue, stream
    }
}

extension CameraError {
    /// A sentence for the operator.
    public var sentence: String {
        switch self {
        case .notFound: "there is no such camera, folder or file"
        case .notPermitted: "not permitted: the user has to be in the group of the camera (video), or may not read the pictures"
        case .busy: "another program uses the camera (fuser names it)"
        case .notCamera: "it is no camera (v4l2-ctl --list-devices names them; a camera may have a second device that gives no pictures)"
        case .noUsableFormat:
            "the camera has neither MJPEG nor YUYV in a usable size (one on a ribbon cable is used by its program: cmd:rpicam-vid ...)"
        case .notResponding: "the camera does not answer: unplug it and plug it in again"
        case .noBandwidth: "the USB bus has no room for the camera's stream: give it a port of its own, or a smaller picture"
        case .wrongKind: "dir: wants a folder of pictures, file: a file"
        case .linkLoop: "the symbolic links lead nowhere"
        case .noPictures: "there is no picture of at most 1 MiB that can be read"
        case .tooManyPictures: "there are more pictures in the folder than are looked at"
        case .notPipe: "standard input is no pipe: name a file with file:"
        case .noCommand: "the camera's program cannot be started"
        case .unplugged: "the camera was unplugged"
        case .ended: "the pictures ended"
        case .off: "the camera is off"
        case .system(let call, let code): "the system refused: \(call) (\(systemCause(code)))"
        }
    }

    /// For a path that could not be opened.
    static func opening(_ code: Int32) -> CameraError {
        switch code {
        case ENOENT, ENXIO, ENODEV: .notFound
        case EACCES, EPERM: .notPermitted
        case EBUSY: .busy
        case ELOOP: .linkLoop
        case ENOTDIR, EISDIR: .wrongKind
        case let code: .system(.open, errno: code)
        }
    }
}
