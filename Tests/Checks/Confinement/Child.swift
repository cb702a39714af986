import CTrespass
import Glibc

/// How a child process ended.
enum Ending: Equatable, CustomStringConvertible {
    /// The code it ended itself with: 0, an errno, or one of `Child`'s.
    case code(Int32)
    case signal(Int32)

    var description: String {
        switch self {
        case .code(0): "it worked"
        case .code(Child.notConfined): "it could not be confined"
        case .code(let code): Self.names[code] ?? "code \(code)"
        case .signal(SIGSYS): "killed by SIGSYS"
        case .signal(let number): "killed by signal \(number)"
        }
    }

    private static let names = [EPERM: "EPERM", EACCES: "EACCES", EXDEV: "EXDEV", EINVAL: "EINVAL", EFAULT: "EFAULT", ENOSYS: "ENOSYS"]
}

/// A process of its own for one attempt, because a confinement is for good.
enum Child {
    /// Beyond every errno.
    static let notConfined: Int32 = 200

    private final class Body {
        let run: () -> Int32
        init(_ run: @escaping () -> Int32) { self.run = run }
    }

    static func run(_ body: @escaping () -> Int32) -> Ending {
        fflush(nil)
        let box = Unmanaged.passRetained(Body(body))
        defer { box.release() }
        let status = trespass_in_child(
            { context in
                guard let context else { return Child.notConfined }
                return Unmanaged<Body>.fromOpaque(context).takeUnretainedValue().run()
            }, box.toOpaque())
        return status & 0x7F == 0 ? .code(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }
}
