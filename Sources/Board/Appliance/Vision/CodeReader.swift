import Linux
import VisionProtocol

/// To be replaced at the merge.
public struct CodeLibrary: Hashable, Sendable, CustomStringConvertible {
    public var name: String
    public var version: String
    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }
    public var description: String { "\(name) \(version)" }
}

public struct CodeReading: Sendable {
    public enum Status: UInt8, Sendable { case nothing, read, refused, undecodable, tooLarge, failed }
    public static let mostText = 7089
    public var status: Status
    public var text: [UInt8]?
    public var change: UInt8 = 0
    public init(_ status: Status) { self.status = status }
}

public final class CodeReader {
    static let token: UInt32 = 8
    public enum Event: Sendable { case ready(CodeLibrary), read(CodeReading), failed(WorkerFailure) }
    public init(supervisor: Supervisor) {}
    public private(set) var state = VisionClient.State.dead
    var deadline: UInt64? { nil }
    func join(_ loop: EventLoop, _ now: UInt64) {}
    func show(_ picture: PictureHeader, _ octets: UnsafeRawBufferPointer, _ now: UInt64) -> Bool { false }
    func next(_ now: UInt64) -> Event? { nil }
    func passTime(_ now: UInt64) {}
    public func stop() {}
    func forget(_ now: UInt64) {}
}
