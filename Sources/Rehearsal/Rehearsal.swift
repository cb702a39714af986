import Cryptography
import Glibc

/// Whole visits of a gate that is started for it, over a software air: a credential that somebody changed, then a good one.
///
/// The gate is a program that takes the options of `gatehouse run`. Its issuer, its trust folder and its data folder are made for the occasion.
public struct Rehearsal {
    public let program: String
    /// What comes before the options of this rehearsal: `run`, and more.
    public let arguments: [String]
    /// For everything together.
    public let patience: Duration

    public init(program: String, arguments: [String] = ["run"], patience: Duration) {
        self.program = program
        self.arguments = arguments
        self.patience = patience
    }

    /// - Parameter time: of now by the board's clock, in seconds since 1970.
    public func perform(at time: Int64) throws(RehearsalFailure) {
        let place = try Place(at: time)
        let options = [
            "--hci", "unix:\(place.socket.path)", "--lights", "log:", "--screen", "terminal:", "--face", "off", "--trust", place.trust, "--data", place.data,
            // This folder is unsigned, wherever the gate's own bundle has to be signed.
            "--root", "none",
        ]
        let stage = RehearsalStage(place.socket, try Child(program, arguments + options), until: ContinuousClock.now + patience)
        try stage.waitForGate()
        // The bad one first: a gate that lets everybody in is the worst there is.
        try stage.visit(place.credential.tampered, isGood: false)
        try stage.visit(place.credential.text, isGood: true)
        try stage.end()
    }
}

/// A folder with what a gate needs: an air, whom to believe, a place for its records. Gone with this value.
private final class Place {
    let folder: String
    let socket: ControllerSocket
    let credential: DemoCredential
    var trust: String { folder + "/trust" }
    var data: String { folder + "/data" }

    init(at time: Int64) throws(RehearsalFailure) {
        guard let folder = temporaryFolder() else { throw .noPlace(errno: errno) }
        self.folder = folder
        guard let socket = ControllerSocket(folder: folder) else {
            rmdir(folder)
            throw .noPlace(errno: errno)
        }
        self.socket = socket
        do { credential = try DemoCredential(portrait: 2000, at: time) } catch { throw .noIssuer }
        guard mkdir(trust, 0o700) == 0, mkdir(data, 0o700) == 0, Self.write(credential.trust, to: trust + "/issuer.json") else { throw .noPlace(errno: errno) }
    }

    deinit {
        for name in ["/trust/issuer.json", "/data/audit.jsonl", "/controller.sock"] { unlink(folder + name) }
        for name in ["/trust", "/data", ""] { rmdir(folder + name) }
    }

    private static func write(_ octets: [UInt8], to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return octets.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == octets.count
    }
}
