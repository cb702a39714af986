// The process beside the gate that listens on its network. The gate starts it, not a person: see `usage`.

import Glibc

private let usage = """
    gatehouse-http: takes what wallets post on the gate's own network, in a process the gate can do without.

    The gate starts it; there is nothing here for a person to start. Its roles:
      keeper      takes the one address before the gate gives up its powers, and starts and kills listeners when the gate says so
      listener    gives up everything but that socket, reads requests, and hands what they bring to the gate

    Options, all given by the gate:
      --address ADDRESS       IPv4 or IPv6
      --port NUMBER           TCP
      --user NAME             whom the keeper becomes where root started the gate
      --lenient               a listener does without the parts of its sandbox this system does not have

    """

/// How it ends itself where something is not as the gate makes it.
enum Exit: Int32 {
    case usage = 64
    case notConfined = 66
    case badWord = 68
    case channelClosed = 69
    case system = 71
}

private func refuse() -> Never {
    var text = "gatehouse-http: not started as the gate starts it; --help says more\n"
    text.withUTF8 { octets in _ = write(2, octets.baseAddress, octets.count) }
    _exit(Exit.usage.rawValue)
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
case "keeper": KeeperProcess(options).run()
case "listener": ListenerProcess.run(options)
default: refuse()
}
