import Glibc
import Linux

/// Whole visits of a gate that is started for it, over a software air: a credential that somebody changed, then a good one.
///
/// The gate is a program that takes the options of `gatehouse run`. Its issuer, its trust folder and its data folder are made for the
/// occasion.
public struct Rehearsal {
    public let program: String
    /// What comes before the options of this rehearsal: `run`, and more.
    public let arguments: [String]
    /// For everything together.
    public let patience: Duration
    /// Puts the trust file of an issuer into a folder in the way the gate wants it; the options that make it believed.
    public let trust: (_ issuer: [UInt8], _ folder: String) throws -> [String]
    /// Hears every line that the gate writes.
    public let listener: (String) -> Void

    public init(
        program: String, arguments: [String] = ["run"], patience: Duration, trust: @escaping ([UInt8], String) throws -> [String],
        listener: @escaping (String) -> Void = { _ in }
    ) {
        self.program = program
        self.arguments = arguments
        self.patience = patience
        self.trust = trust
        self.listener = listener
    }

    /// - Parameter time: of now by the board's clock, in seconds since 1970.
    public func perform(at time: Int64) throws(RehearsalFailure) {
        let place = try Place(at: time)
        // The gate needs the folder to the end, and nobody here does.
        defer { withExtendedLifetime(place) {} }
        var options = [
            "--hci", "unix:\(place.socket.path)", "--lights", "log:", "--screen", "terminal:", "--face", "off", "--data", place.data,
        ]
        do { options += try trust(place.credential.trust, place.trust) } catch { throw .noIssuer }
        let gate: Child
        do throws(SystemError) { gate = try Child(program, arguments + options) } catch { throw .notStarted(errno: error.errno) }
        let stage = RehearsalStage(place.socket, gate, until: ContinuousClock.now + patience, listener: listener)
        try stage.waitForGate()
        // The bad one first: a gate that lets everybody in is the worst there is.
        try stage.visit(place.credential.tampered, isGood: false)
        try stage.visit(place.credential.text, isGood: true)
        try stage.end()
    }
}

/// What a gate needs: an air, whom to believe, a place for its records. Gone with this value.
struct Place {
    let folder: TemporaryFolder
    let socket: ControllerSocket
    let credential: DemoCredential
    var trust: String { folder.path + "/trust" }
    var data: String { folder.path + "/data" }

    init(at time: Int64, in parent: String = "/tmp") throws(RehearsalFailure) {
        folder = try TemporaryFolder(in: parent)
        socket = try ControllerSocket(folder: folder.path)
        do { credential = try DemoCredential(portrait: 2000, at: time) } catch { throw .noIssuer }
        guard mkdir(trust, 0o700) == 0, mkdir(data, 0o700) == 0 else { throw .noPlace(errno: errno) }
    }
}
