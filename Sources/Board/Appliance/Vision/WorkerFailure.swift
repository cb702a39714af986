import Faces
import VisionProtocol

/// What became of a worker that answers no more.
public enum WorkerFailure: Error, Hashable, Sendable {
    /// A signal ended it: its own mistake, or the system's for what it may not do (SIGSYS) or take (SIGXCPU, SIGKILL).
    case crashed(signal: Int32)
    /// It ended itself; the codes from 64 on are `WorkerExit`.
    case exited(code: Int32)
    case timedOut
    case lied(MessageError)
    /// The plug-in's code, or an `OpenFailure`.
    case cannotOpen(status: Int32)
    /// It says now that it is another plug-in, or has other models, or another library, than the first time.
    case changed
    case notStarted(SupervisorError)
    /// Its channel closed, and nobody knows why.
    case vanished

    /// What it is to a visitor.
    public var reason: FaceReason {
        switch self {
        case .timedOut: .workerTimedOut
        case .lied, .changed: .workerLied
        case .crashed, .exited, .cannotOpen, .notStarted, .vanished: .workerFailed
        }
    }
}

extension OpenFailure {
    package var sentence: String {
        switch self {
        case .notLoadable:
            "there is no such file, or it is no library for this processor, or one that it needs is missing (`ldd FILE` shows them)"
        case .noEntry: "it does not export fmp_plugin_v1"
        case .wrongVersion: "it does not serve version 1 of the interface"
        case .badTable: "its table of calls is too short, or a call is missing"
        case .badIdentity: "what it says about itself cannot be: its names, the SHA-256 of its models, its capabilities"
        case .badOpen: "it says that it is open, and gave nothing to work with"
        case .badConfiguration: "its configuration file cannot be read, or is longer than 64 KiB"
        case .notConfined: "the sandbox cannot be had from this kernel"
        }
    }
}

extension WorkerFailure: CustomStringConvertible {
    /// The plug-in's own codes (`face_plugin.h`).
    private static func words(ofPlugin status: Int32) -> String {
        switch status {
        case 2: "it does not understand its configuration (FMP_E_CONFIG)"
        case 13: "it has not enough memory (FMP_E_MEMORY)"
        default: "its own code \(status); its models may be missing or damaged"
        }
    }

    public var description: String {
        switch self {
        case .crashed(let signal): "the worker was ended by signal \(signal)"
        case .exited(let code): "the worker ended by itself (\(WorkerExit(rawValue: code).map { "\($0)" } ?? "code \(code)"))"
        case .timedOut: "the worker did not answer in time"
        case .lied(let error): "the worker gave an answer that is none (\(error))"
        case .cannotOpen(let status):
            "the worker cannot begin: \(OpenFailure(rawValue: status)?.sentence ?? Self.words(ofPlugin: status))"
        case .changed: "the worker or its models are others than before"
        case .notStarted(let error): "the worker was not started: \(error)"
        case .vanished: "the worker is gone"
        }
    }
}
