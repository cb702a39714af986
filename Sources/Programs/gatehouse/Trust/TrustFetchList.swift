import Appliance
import ArgumentParser
import Credentials
import Desk
import Envelopes
import Trust

struct TrustFetchList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch-list", abstract: "Fetch a status list over https: the only command that goes online, and never on a gate.",
        discussion: """
            Fetched is by curl, which has to be installed: over https alone, also where the server sends it on, \(ListRequest.mostRedirects) times at \
            most, and 1 MiB at most. With --folder the list is checked by the issuers of that trust folder, put into it, and named in its \
            lists.json with the time; one that would say nothing to a gate is refused, and the folder stays as it was. Then `gatehouse trust \
            build`, with a higher number. With --out alone nobody checks it.
            """)

    @Argument(help: "The list's address: what credentials call it.")
    var url: String

    @Option(help: ArgumentHelp("The trust folder whose issuers check it, and which it is put into.", valueName: "folder"))
    var folder: String?

    @Option(help: ArgumentHelp("Where the list goes instead; then its row for lists.json is printed.", valueName: "file"))
    var out: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("An id of the issuer whose list it has to be, with --folder; may be repeated.", valueName: "issuer"))
    var issuers: [String] = []

    @Option(
        help: ArgumentHelp(
            "The certificates in PEM that the server's has to come from.  (default: those this computer believes)", valueName: "file"))
    var cacert: String?

    @Option(help: ArgumentHelp("How long it may take, 1 to 600.", valueName: "seconds"))
    var timeout = 60

    func run() throws {
        if let gate = InstalledGate() {
            throw TrustCommand.refuse(
                "\(gate.meaning) (\(gate.path)), and a gate never goes online: fetch the list at a desk, and bring it in a bundle")
        }
        let request = try request()
        // Before anybody is asked: what cannot be checked, or put anywhere, is not fetched.
        let contents = try folder.map { try Self.contents($0) }
        var listing = try folder.map { try FolderListing(.lists, in: $0) }
        let asked = TrustSource.now, answer = try Self.fetch(request)
        let list = FetchedList(url: url, fetched: asked, answer: answer, facts: try Self.facts(answer))
        if let contents { try list.check(contents, issuers) }
        let time = Timestamp.text(asked) ?? ""
        func members(_ file: String) -> [(name: String, value: String)] { [("file", file), ("fetched", time)] }
        var rows = list.rows(isChecked: contents != nil)
        if let out {
            try write(answer.octets, to: out)
            rows.append("\(printable(out)); for lists.json, with the file's name in the folder:")
            rows.append(escaped(String(decoding: TrustListing.row(url, members(out)), as: UTF8.self)))
        } else if listing != nil, let folder {
            let known = try listing?.member("file", of: url)
            if let known { try Self.compare(list, folder, known) }
            let file = try known ?? listing?.file(for: url, in: "lists", request.address.fileName) { _ in true } ?? ""
            // The list first: with its old time it is only taken for older than it is.
            try listing?.write(answer.octets, toFile: file)
            try listing?.put(url, members(file))
            rows.append("\(printable(folder))/\(printable(file)), named in lists.json as fetched \(time)")
        }
        for row in rows { say(row, to: 1) }
    }

    /// Refuses a list that its issuer made before the one that is in the folder: whoever was revoked since would be good again. A server,
    /// or what is between, may have kept an old one; the signature of that holds, too.
    private static func compare(_ list: FetchedList, _ folder: String, _ file: String) throws {
        let path = folder + "/" + file
        guard TrustContents.isInside(file), try NamedFile.exists(path), let made = list.facts.signed else { return }
        // What cannot be read there says nothing about time.
        guard let there = try? StatusListFacts(NamedFile.read(path, most: TrustStore.largestFile)), let before = there.signed, made < before
        else { return }
        throw list.refuse(
            "was made \(Timestamp.text(made) ?? "\(made)"), before the one in \(path), made \(Timestamp.text(before) ?? "\(before)"): an old one"
        )
    }

    private func request() throws -> ListRequest {
        guard out != nil || folder != nil else { throw ValidationError("say where the list goes: --folder FOLDER, or --out FILE") }
        guard issuers.isEmpty || folder != nil else { throw ValidationError("--for: only with --folder, where the issuers' keys are") }
        guard 1...600 ~= timeout else { throw ValidationError("--timeout \(timeout): use 1 to 600") }
        if let cacert { _ = try NamedFile.read(cacert, most: 1 << 20, named: "--cacert") }
        do throws(FetchError) {
            return ListRequest(try ListAddress(url), most: TrustStore.largestFile, timeout: timeout, authorities: cacert)
        } catch {
            throw ValidationError("\(printable(url)): \(error)")
        }
    }

    private static func contents(_ folder: String) throws -> TrustContents {
        do throws(TrustError) {
            return try TrustContents(withoutLists: folder)
        } catch {
            throw TrustCommand.refuse(error)
        }
    }

    /// By curl, with the proxy that this computer's owner has set, which is said.
    private static func fetch(_ request: ListRequest) throws -> ListRequest.Answer {
        guard let program = SearchPath.program("curl", in: Environment["PATH"]) else { throw ValidationError("\(FetchError.noCurl)") }
        let variables = Environment.all(ListRequest.proxyVariables)
        if let proxy = ListRequest.proxy(variables) {
            let but = (variables["no_proxy"] ?? variables["NO_PROXY"]).map { ", but for \(printable($0)) (no_proxy)" } ?? ""
            say("gatehouse: through the proxy \(printable(proxy.address)) (\(proxy.variable))\(but)")
        }
        do throws(FetchError) {
            return try request.fetch(by: program, variables)
        } catch {
            throw TrustCommand.refuse("\(request.address.text): nothing fetched: \(error)")
        }
    }

    private static func facts(_ answer: ListRequest.Answer) throws -> StatusListFacts {
        do throws(StatusListFault) {
            return try StatusListFacts(answer.octets)
        } catch {
            let type = answer.type.isEmpty ? "no type said" : answer.type
            let start = String(decoding: answer.octets.prefix(40), as: UTF8.self)
            throw TrustCommand.refuse("\(answer.address): no status list: \(answer.octets.count) octets (\(type)) that begin with \(start)")
        }
    }
}
