import Devices
import Faces
import Linux
import Visit

/// The camera of a gate at work and who looks through it: faces for a visit, codes before one.
final class VisionDesk {
    private let camera: CameraDesk?
    private let faces: FaceStage?
    private let codes: CodeStage?
    /// Every visitor has to show a face that matches.
    private let needsFaces: Bool
    /// The answer to a request that nobody can look into.
    private var refused: UInt64?

    init(_ camera: CameraDesk?, faces: FaceStage?, codes: CodeStage?, needsFaces: Bool) {
        self.camera = camera
        self.faces = faces
        self.codes = codes
        self.needsFaces = needsFaces
    }

    func join(_ loop: EventLoop, _ now: UInt64) {
        camera?.join(loop)
        faces?.join(loop, now: now)
        codes?.join(loop, now: now)
    }

    // MARK: what happens

    /// - Returns: whether the token is of the camera or of a worker.
    func serve(_ token: UInt32, _ now: UInt64) -> Bool {
        switch token {
        case CameraDesk.token: camera?.serve(now)
        case VisionClient.token: faces?.serveWorker(now)
        case CodeReader.token: codes?.serveWorker(now)
        case VisionClient.supervisorToken:
            faces?.serveWorker(now)
            codes?.serveWorker(now)
        default: return false
        }
        return true
    }

    func passTime(_ now: UInt64) {
        camera?.passTime(now)
        if let due = faces?.deadline, now >= due { faces?.passTime(now) }
        if let due = codes?.deadline(now), now >= due { codes?.passTime(now) }
    }

    /// When `passTime` wants to be called.
    func deadline(_ now: UInt64) -> UInt64? {
        let next = min(camera?.retryAt ?? .max, faces?.deadline ?? .max, codes?.deadline(now) ?? .max)
        return next == .max ? nil : next
    }

    func close(_ now: UInt64) {
        faces?.close(now)
        codes?.close(now)
        camera?.close()
    }

    // MARK: faces

    var hint: FaceHint? { faces?.hint }
    /// What starts matchers is gone for good. Codes alone are no reason to end: visitors come by radio.
    var isLost: Bool { faces?.isLost ?? false }
    /// Why nobody can enter.
    var trouble: ClosedCause? { needsFaces ? faces?.trouble : nil }

    func turnCamera(on isOn: Bool, _ now: UInt64) { faces?.turnCamera(on: isOn, now) }

    /// Without a camera there is nobody to ask.
    func compare(_ request: FaceRequest, _ now: UInt64) {
        guard let faces else { return refused = request.number }
        faces.begin(request, now: now)
    }

    /// The answer to a request, once.
    func takeAnswer() -> (number: UInt64, outcome: FaceOutcome)? {
        if let number = refused.take() { return (number, FaceOutcome(refused: .cameraFailed)) }
        return faces?.takeAnswer()
    }

    // MARK: codes

    /// nil where none are read.
    func areCodesUp(_ now: UInt64) -> Bool? { codes?.isUp(now) }
    func invitation(_ now: UInt64) -> CodeInvitation { codes?.invitation(now) ?? .none }
    func wantCodes(_ areWanted: Bool, _ now: UInt64) { codes?.want(areWanted, now) }
    func press(_ now: UInt64) { codes?.press(now) }
    /// What was read last, once; empty where a picture was looked at and had no code.
    func takeCode() -> [UInt8]? { codes?.takeCode() }
}
