import Appliance
import ArgumentParser

/// What is taken on the gate's own network.
struct NetworkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The one address and port of the gate's own network on which wallets may post answers to the codes on the screen, as 192.168.7.1:80 or [fd00::7]:8080: gatehouse-http listens there, in a process of its own.  (default: what the site file says; without, nothing is listened on)",
            valueName: "address:port"))
    var http: String?

    var configuration: ListenerConfiguration { ListenerConfiguration(address: http) }
}
