import ArgumentParser

/// Who is told of verdicts as they are told to visitors.
struct FeedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A unix datagram socket of this board, to which each verdict is sent at once, in 64 octets, or not at all: gatehouse-osdp's, for one (docs/osdp.md). Nothing waits for it, and nothing is read from it.",
            valueName: "path"))
    var feed: String?
}
