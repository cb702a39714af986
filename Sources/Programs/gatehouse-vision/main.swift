// The process beside the gate that works with pictures. The gate starts it, not a person: see `usage`.

import Glibc
import VisionProtocol

private let usage = """
    gatehouse-vision: looks at pictures for the gate, in processes the gate can do without.

    The gate starts it; there is nothing here for a person to start. Its roles:
      supervisor       starts and kills workers, and the camera's program, when the gate says so
      matcher          loads one plug-in and its models, gives up everything else, and answers the gate
      code             gives up everything, and looks for codes in the pictures the gate shows it
      camera-program   becomes the camera's program

    Options, all given by the gate:
      --plugin FILE           the plug-in, a shared object
      --models FOLDER         its models
      --configuration FILE    its configuration
      --user NAME             whom a worker becomes where root started the gate
      --memory MEBIBYTES      a matcher's address space, at least 512 (1024)
      --reference-time MS     how long a plug-in may take for a reference (4000)
      --probe-time MS         and for a probe (1500)
      --lenient               a worker does without the parts of its sandbox this system does not have
      --command TEXT          the camera's program, for /bin/sh
      --command-user NAME     whom it becomes where root started the gate

    """

/// A line for whoever reads the gate's standard error.
func complain(_ text: String) {
    var text = text
    text.withUTF8 { octets in _ = write(2, octets.baseAddress, octets.count) }
}

private func refuse() -> Never {
    complain("gatehouse-vision: not started as the gate starts it; --help says more\n")
    _exit(WorkerExit.usage.rawValue)
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--help") || arguments.contains("-h") {
    print(usage, terminator: "")
    exit(0)
}
guard let role = arguments.first, let options = Options(Array(arguments.dropFirst())) else {
    refuse()
}
switch role {
case "supervisor": SupervisorProcess(options).run()
case "matcher": MatcherProcess(options).run()
case "code": CodeProcess(options).run()
case "camera-program": CameraProgram(options).run()
default: refuse()
}
