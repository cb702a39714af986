import Glibc
import VisionProtocol

/// What a supervisor is told when it is started; nothing of it can be changed later, by anybody.
public struct SupervisorSettings: Hashable, Sendable {
    /// `gatehouse-vision`; nil for the one beside the running program.
    public var program: String?
    /// The plug-in, and the folder of its models; empty where faces are not compared.
    public var plugin = ""
    public var models = ""
    /// A file for the plug-in, at most 64 KiB.
    public var configuration: String?
    /// What a face has to be for its template to be of use; nil where each is, as in a calibration.
    public var gates: FrameGates?
    /// Whom a worker becomes where root starts it; nil to stay root, without any of its powers.
    public var user: String?
    /// A matcher's address space in mebibytes, at least 512.
    public var memory = 1024
    /// Does without the parts of the sandbox this system does not have.
    public var isLenient = false
    /// The camera's program, for `/bin/sh -c`, and whom it becomes where root starts it.
    public var command: String?
    public var commandUser: String?
    public var timeouts = WorkerTimeouts()

    public init() {}

    var arguments: [String] {
        var texts = [
            "gatehouse-vision", "supervisor", "--plugin", Self.absolute(plugin), "--models", Self.absolute(models), "--memory", "\(memory)",
        ]
        // The plug-in is told a time before which it can still answer.
        texts += ["--reference-time", "\(timeouts.reference / 4_000_000 * 3)", "--probe-time", "\(timeouts.probe / 4_000_000 * 3)"]
        let named = [
            ("--configuration", configuration.map(Self.absolute)), ("--gates", gates?.option), ("--user", user),
            ("--command", command),
            ("--command-user", commandUser),
        ]
        for case (let name, let value?) in named { texts += [name, value] }
        return isLenient ? texts + ["--lenient"] : texts
    }

    /// As the file system names it, or as it is where there is nothing of that name.
    private static func absolute(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    var foundProgram: String { program ?? SiblingProgram.path("gatehouse-vision") }
}

/// How long a worker may take, in nanoseconds. It is killed then.
public struct WorkerTimeouts: Hashable, Sendable {
    /// From its start until it is ready, its models loaded.
    public var hello: UInt64 = 20_000_000_000
    public var reference: UInt64 = 5_000_000_000
    public var probe: UInt64 = 2_000_000_000
    /// For a picture that is looked at for codes: a hundred times what one takes a small board.
    public var codes: UInt64 = 2_000_000_000

    /// The gate's own: a visitor waits.
    public init() {}

    /// For a tool that whoever called it ends: however slow or busy the machine is, what it finds is the same. A plug-in that cannot be
    /// loaded is found out within a minute.
    ///
    /// - Parameter seconds: for each picture.
    public init(each seconds: Int) {
        let time = UInt64(clamping: seconds) * 1_000_000_000
        (hello, reference, probe, codes) = (60_000_000_000, time, time, time)
    }

    func time(for request: WorkerRequest) -> UInt64 {
        switch request {
        case .picture(.reference, _), .forget: reference
        case .picture(.probe, _): probe
        case .codes: codes
        }
    }
}
