import Appliance
import ArgumentParser
import Cryptography
import Envelopes
import Trust

struct OrderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order", abstract: "Make, sign and inspect orders: what a gate is told to do once, by a stick.",
        discussion: """
            An order is one small file, signed by as many of the trust root's signers as a trust bundle. It has a kind (time: set the clock; \
            site: take these settings; export: copy the audit log; reset: erase all of it), a number, the gates it is for, and an end. A gate takes no order of a kind with a \
            number that is not higher than the highest it has taken. `build` makes it, each signer looks at it (`inspect`) and adds a signature (`sign`).

            Exit code: 0 done, 1 the order is refused, 2 unusable options or files.
            """,
        subcommands: [OrderBuild.self, OrderSign.self, OrderInspect.self])
}

struct OrderBuild: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build", abstract: "Make an unsigned order.",
        discussion: "The same options with the same --created give the same octets.")

    @Option(help: ArgumentHelp("What is to be done: time, site, export or reset.", valueName: "kind"))
    var kind: String

    @Option(help: ArgumentHelp("Higher than that of every earlier order of this kind.", valueName: "number"))
    var number: Int64

    @Option(help: ArgumentHelp("The id of a gate it is for (`gatehouse doctor` shows it); may be repeated.", valueName: "id"))
    var gate: [String] = []

    @Flag(help: "It is for every gate with this root.")
    var allGates = false

    @Option(
        help: ArgumentHelp("A JSON object: what the kind needs to know (docs/time.md, docs/site.md).  (default: {})", valueName: "file"))
    var content: String?

    @Option(help: ArgumentHelp("When it was made, RFC 3339.  (default: now)", valueName: "time"))
    var created: String?

    @Option(help: ArgumentHelp("From when on no gate takes it any more, RFC 3339.", valueName: "time"))
    var notAfter: String

    @Flag(help: ArgumentHelp("Make it with a number above \(Order.largestStep): a gate takes it only if its last one was not far below."))
    var largeNumber = false

    @Option(help: ArgumentHelp("Where the unsigned order goes.", valueName: "file"))
    var out: String

    func run() throws {
        guard number <= Order.largestStep || largeNumber else {
            throw ValidationError(
                "--number \(number): above \(Order.largestStep), which leaves few numbers for those after it: count from 1, or add --large-number"
            )
        }
        guard let kind = Order.Kind(rawValue: kind) else { throw ValidationError("--kind \(kind): use time, site, export or reset") }
        guard allGates != !gate.isEmpty else { throw ValidationError("say whom it is for: --gate ID, or --all-gates") }
        let content = try content.map { try NamedFile.read($0, most: 1 << 20) } ?? Array("{}".utf8)
        let created = try TrustCommand.time("--created", created), notAfter = try TrustCommand.time("--not-after", notAfter)
        let order: Order
        do throws(OrderError) {
            order = try Order(
                kind: kind, number: number, gates: allGates ? .all : .these(gate), created: created, notAfter: notAfter, content: content)
        } catch {
            throw TrustCommand.refuse(error)
        }
        try OrderFile.check(order)
        try write(order.encoded, to: out)
        say("order \(kind.rawValue) \(number): \(order.encoded.count) octets; not signed yet", to: 1)
    }
}

struct OrderSign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Add one signature to an order.",
        discussion:
            "The key is an Ed25519 key in PEM, the one that signs trust bundles. Look at the order first (`gatehouse order inspect`).")

    @Argument(help: "The order: as `build` wrote it, or already signed by others.")
    var file: String

    @OptionGroup var signer: SignerOptions

    @Option(help: ArgumentHelp("Where the signed order goes; it may be the same file.", valueName: "file"))
    var out: String

    func run() throws {
        let order = try OrderFile(file)
        let latest = SignerOptions.latest, content = order.content
        guard content.created <= latest else {
            throw TrustCommand.refuse(
                "the order was made at \(Timestamp.text(content.created) ?? "?"): a time in the future by this computer's clock")
        }
        try OrderFile.check(content)
        let key = try signer.signingKey()
        let signed: SignedOrder
        do throws(OrderError) {
            switch order {
            case .payload(let payload): signed = try SignedOrder(signing: payload, as: signer.kid, with: key)
            case .signed(let before, _): signed = try before.signed(as: signer.kid, with: key)
            }
        } catch {
            throw TrustCommand.refuse(error)
        }
        try write(signed.octets, to: out)
        if let time = try? TimeOrder(content) {
            say(
                "made at \(Timestamp.text(content.created) ?? "?"), sets the clock to \(Timestamp.text(time.time) ?? "?")\(time.mayTurnBack ? ", also back" : "")",
                to: 1)
        }
        say("order \(content.kind.rawValue) \(content.number): signed by \(signed.signerIDs.map(printable).joined(separator: " "))", to: 1)
    }
}

struct OrderInspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Show what an order says, and who signed it.",
        discussion: "Exit code 1 where --root is given and too few of its signers signed.")

    @Argument(help: "The order, signed or not.")
    var file: String

    @Option(help: ArgumentHelp("The root file to check the signatures with.", valueName: "file"))
    var root: String?

    func run() throws {
        let root = try root.map { try TrustSource.signers($0) }
        let file = try OrderFile(file)
        // The payload is JSON in one line: it is what was signed, and needs no other words.
        say(escaped(String(decoding: file.content.encoded, as: UTF8.self)), to: 1)
        guard case .signed(let signed, _) = file else { return say("not signed", to: 1) }
        guard let root else {
            for id in signed.signerIDs { say("unchecked signature by \(printable(id))", to: 1) }
            return say("signatures not checked: name a root file with --root", to: 1)
        }
        do throws(OrderError) {
            for signature in try signed.signatures(root) {
                say("\(signature.standing.rawValue) signature by \(printable(signature.id))", to: 1)
            }
        } catch {
            throw TrustCommand.refuse(error)
        }
        let isMet = (try? signed.verify(root)) != nil
        say("\(root.threshold) of the root's signers have to sign: the threshold is \(isMet ? "met" : "NOT met")", to: 1)
        if !isMet { throw ExitCode(1) }
    }
}

/// An order's file of either kind.
enum OrderFile {
    /// What `build` writes, or a person: nobody has signed it.
    case payload(Order)
    case signed(SignedOrder, UnverifiedOrder)

    init(_ path: String) throws {
        let bytes = try NamedFile.read(path, most: 1 << 20)
        do throws(OrderError) {
            if Order.isText(bytes) {
                self = .payload(try Order(text: bytes))
            } else {
                let signed = try SignedOrder(bytes)
                self = .signed(signed, try signed.unverified())
            }
        } catch {
            throw TrustCommand.refuse("\(path): \(error)")
        }
    }

    /// What it says, whoever signed it. For people.
    var content: Order {
        switch self {
        case .payload(let order): order
        case .signed(_, let unverified): unverified.content
        }
    }

    /// What the gates it is for would say to its content: better before it is signed than when the stick is in the gate.
    static func check(_ order: Order) throws {
        guard order.kind == .site else { return }
        do throws(SiteSettingsError) {
            _ = try SiteSettings(order, for: nil)
        } catch {
            throw TrustCommand.refuse(error)
        }
    }
}
