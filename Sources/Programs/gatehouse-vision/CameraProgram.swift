import Glibc
import Linux
import VisionProtocol

/// Becomes the camera's program: as the user it is to run as, and never longer than the supervisor.
struct CameraProgram {
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
                complain("gatehouse-vision: the camera's program cannot run as \(name): \(error)\n")
                _exit(WorkerExit.notConfined.rawValue)
            }
        }
        // Whoever starts it: a camera's program needs none.
        do throws(ConfinementError) { try Capabilities().keepOnly() } catch { _exit(WorkerExit.notConfined.rawValue) }
        // After the change of user, which takes it back.
        guard let command = options.command, OwnProcess.followParent(with: SIGKILL), getppid() == options.parent else {
            _exit(WorkerExit.usage.rawValue)
        }
        let error = ProgramStart.become(["/bin/sh", "-c", command], environment: Self.environment)
        complain("gatehouse-vision: /bin/sh cannot be run (\(error.cause))\n")
        _exit(127)
    }
}
