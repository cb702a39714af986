import Faces

/// What became of a worker that answers no more.
public enum WorkerFailure: Error, Hashable, Sendable {
    /// A signal ended it: its own mistake, or the system's for what it may not do (SIGSYS) or take (SIGXCPU, SIGKILL).
    case crashed(signal: Int32)
    /// It ended itself; the codes from 64 on are `WorkerExit`.
    case exited(code: Int32)
    case timedOut
    case lied(WorkerMessageError)
    /// The plug-in's code, or an `OpenFailure`.
    case cannotOpen(status: Int32)
    /// It says now that it is another plug-in, or has other models, than the first time.
    case changed
    case notStarted(NurseryError)
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

extension WorkerFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .crashed(let signal): "the matcher was ended by signal \(signal)"
        case .exited(let code): "the matcher ended by itself (\(WorkerExit(rawValue: code).map { "\($0)" } ?? "code \(code)"))"
        case .timedOut: "the matcher did not answer in time"
        case .lied(let error): "the matcher gave an answer that is none (\(error))"
        case .cannotOpen(let status): "the matcher cannot be opened (\(OpenFailure(rawValue: status).map { "\($0)" } ?? "its code \(status)"))"
        case .changed: "the matcher or its models are others than before"
        case .notStarted(let error): "the matcher was not started: \(error)"
        case .vanished: "the matcher is gone"
        }
    }
}
