import CLinux
import Glibc

/// A program as it is to be started: in a process group of its own, with every descriptor closed that is not named here.
package struct ProgramStart {
    package var path: String
    /// The first is the program's own name.
    package var arguments: [String]
    package var environment: [String]
    /// Becomes descriptor 3; -1 for none.
    package var channel: Int32 = -1
    /// Becomes descriptor 4, beside a channel; -1 for none. It is above 3.
    package var listener: Int32 = -1
    /// Becomes descriptor 1; -1 for /dev/null. Descriptor 0 is /dev/null.
    package var output: Int32 = -1
    /// Becomes descriptor 2; -1 for /dev/null.
    package var errors: Int32 = -1
    /// What ends a program politely (SIGTERM, SIGINT, SIGHUP) is blocked: who started it ends it.
    package var holdsOn = false

    package init(
        _ path: String, _ arguments: [String], environment: [String], channel: Int32 = -1, listener: Int32 = -1, output: Int32 = -1,
        errors: Int32 = -1, holdsOn: Bool = false
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.channel = channel
        self.listener = listener
        self.output = output
        self.errors = errors
        self.holdsOn = holdsOn
    }

    package func start() throws(SystemError) -> pid_t {
        var process: pid_t = -1
        let code = CStrings.with(arguments) { arguments in
            CStrings.with(environment) { environment in
                path.withCString { path in
                    var described = CLinux.program(
                        path: path, arguments: arguments, environment: environment, channel: channel, listener: listener,
                        output: output, errors: errors, holds_on: holdsOn ? 1 : 0)
                    return program_start(&described, &process)
                }
            }
        }
        guard code == 0 else { throw SystemError(errno: code) }
        return process
    }

    /// Becomes the program that `arguments` begins with. Only returns when that fails: why.
    package static func become(_ arguments: [String], environment: [String]) -> SystemError {
        CStrings.with(arguments) { arguments in
            CStrings.with(environment) { environment in SystemError(errno: program_become(arguments, environment)) }
        }
    }
}
