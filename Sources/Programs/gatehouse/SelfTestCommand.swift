import Appliance
import ArgumentParser
import Doctor
import Glibc
import JSON
import Linux
import SelfTest

struct SelfTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "self-test",
        abstract: "Try this gate's own parts: whom it believes, its face matcher, and whole visits over a software air.",
        discussion: """
            Opens no device, so the gate may be running. For the visits it starts the program as a second gate, with an issuer made on the spot, on a \
            controller by script, and is its wallet: a credential that somebody changed must be rejected, a good one accepted, and the lamps must \
            say the same. A line for each part, with `well`, `none` (there is nothing to try) or `bad` first. \
            Exit code: 0 when nothing is bad, 1 when something is, 2 for unusable options.
            """)

    @OptionGroup var boardOptions: BoardOptions
    @OptionGroup var trustOptions: TrustOptions
    @OptionGroup var faceOptions: FaceOptions

    @Option(help: ArgumentHelp("How long the visits may take, all together; 1 to 600.", valueName: "seconds"))
    var deadline = 30

    @Option(help: ArgumentHelp("The gate to try.  (default: this program)", valueName: "program"))
    var program: String?

    @Flag(help: "One JSON object instead of text: well, parts.")
    var json = false

    /// What became of one part.
    struct Part {
        enum State: String { case well, none, bad }
        let name: String
        let state: State
        let sentence: String
    }

    func run() throws {
        guard (1...600).contains(deadline) else { throw ValidationError("--deadline \(deadline): use 1 to 600") }
        let devices = try boardOptions.links(trustOptions.source.site())
        let parts = [tryTrust(), tryFaces(devices)] + tryData() + [tryVisits()]
        if json {
            say(Self.json(parts), to: 1)
        } else {
            for part in parts { say(printable("\(part.state.rawValue) \(part.name): \(part.sentence)"), to: 1) }
        }
        if parts.contains(where: { $0.state == .bad }) { throw ExitCode(1) }
    }

    private func tryTrust() -> Part {
        do {
            if try trustOptions.source.isUntouched() { return Part(name: "trust", state: .none, sentence: "no bundle was ever installed") }
            let loaded = try trustOptions.source.load(at: TrustSource.now)
            let closed = ClosedCauses(trust: loaded.store, at: TrustSource.now, uptime: Clock.uptime())
            if let cause = closed.list.first { return Self.bad("trust", cause) }
            return Part(name: "trust", state: .well, sentence: Sentence.count(loaded.store.issuers.count, "issuer"))
        } catch {
            return Part(name: "trust", state: .bad, sentence: Self.sentence(error))
        }
    }

    private func tryFaces(_ devices: DeviceLinks) -> Part {
        do {
            let vision = VisionConfiguration(faces: faceOptions.configuration), policy = try vision.faces.policy(devices)
            if policy == .required, devices.camera == nil { return Self.bad("faces", .noCamera) }
            guard let supervisor = try vision.makeSupervisor(devices, .init(faces: policy != .off, codes: .off)) else {
                return Part(name: "faces", state: .none, sentence: "not compared here")
            }
            let section = FaceSection.examine(VisionClient(supervisor: supervisor), try vision.faces.thresholds(devices))
            // A threshold that nobody measured is for `doctor` to say: it is no fault of the program.
            if let trouble = section.rows.first(where: { $0.code == "matcher-failed" }) {
                return Part(name: "faces", state: .bad, sentence: trouble.value)
            }
            return Part(name: "faces", state: .well, sentence: section.summary ?? "")
        } catch {
            return Part(name: "faces", state: .bad, sentence: Self.sentence(error))
        }
    }

    /// Only where the image says that nothing lasts.
    private func tryData() -> [Part] { DataPartition.isLost ? [Self.bad("data", .dataNotLasting)] : [] }

    /// Nobody can enter.
    private static func bad(_ name: String, _ cause: ClosedCause) -> Part {
        Part(name: name, state: .bad, sentence: "\(cause.code): \(cause.sentence)")
    }

    private func tryVisits() -> Part {
        let now = TrustSource.now, began = ContinuousClock.now
        var lastWords = ""
        let rehearsal = Rehearsal(
            program: program ?? "/proc/self/exe", patience: .seconds(deadline), trust: { try DemoTrust.install($0, in: $1, at: now) },
            listener: { if $0.hasPrefix("Error: ") || $0.hasPrefix("gatehouse: ") { lastWords = $0 } })
        do throws(RehearsalFailure) {
            try rehearsal.perform(at: now)
            let milliseconds = (ContinuousClock.now - began) / .milliseconds(1)
            return Part(name: "visit", state: .well, sentence: "one accepted, one rejected, in \(Int(milliseconds)) ms")
        } catch {
            let number = error.number.map { " (\($0))" } ?? ""
            return Part(
                name: "visit", state: .bad,
                sentence: error.code + number + (lastWords.isEmpty ? "" : "; the gate's last words: " + lastWords))
        }
    }

    private static func sentence(_ error: any Error) -> String { "\(error)" }

    private static func json(_ parts: [Part]) -> String {
        var writer = JSONWriter(reserving: 1024)
        writer.object { writer in
            writer.member("well", !parts.contains { $0.state == .bad })
            writer.name("parts")
            writer.array { writer in
                for part in parts {
                    writer.object {
                        $0.member("name", part.name)
                        $0.member("state", part.state.rawValue)
                        $0.member("sentence", part.sentence)
                    }
                }
            }
        }
        return escaped(writer.text)
    }
}
