import CProcess
import Faces
import Glibc
import Sandbox

/// Becomes the camera's program: as the user it is to run as, and never longer than the nursery.
struct CommandProcess {
    static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/"]

    private let options: Options

    init(_ options: Options) {
        self.options = options
    }

    func run() -> Never {
        if let name = options.commandUser {
            do throws(ConfinementError) {
                // Its groups with it: a camera's device belongs to one.
                try User(named: name).become(keeping: [])
            } catch {
                complain("gatehouse-face: the camera's program cannot run as \(name): \(error)\n")
                _exit(WorkerExit.notConfined.rawValue)
            }
        }
        // Whoever starts it: a camera's program needs none.
        do throws(ConfinementError) { try Capabilities().keepOnly() } catch { _exit(WorkerExit.notConfined.rawValue) }
        // After the change of user, which takes it back.
        guard let command = options.command, process_follow_parent(SIGKILL) == 0, getppid() == options.parent else {
            _exit(WorkerExit.usage.rawValue)
        }
        let code = CStrings.with(["/bin/sh", "-c", command]) { arguments in
            CStrings.with(Self.environment) { environment in program_become(arguments, environment) }
        }
        complain("gatehouse-face: /bin/sh cannot be run (\(systemCause(code)))\n")
        _exit(127)
    }
}
