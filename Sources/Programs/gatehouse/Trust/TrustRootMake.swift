import Appliance
import ArgumentParser
import Cryptography
import JSON
import Trust

struct TrustRootMake: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "root", abstract: "Make a root file: who signs, and how many of them have to.",
        discussion: """
            It belongs on the part of a gate that nobody writes to, and has no end: it is in force until an image with another one takes its \
            place. With --previous it says what becomes of bundles while some gates have the new one and some the old one, and refuses a new one \
            under which no bundle of the old one's signers can hold. An existing file is not overwritten.
            """)

    @Option(help: ArgumentHelp("A signer's public key, as `gatehouse trust keygen` writes it; may be repeated.", valueName: "file"))
    var signer: [String] = []

    @Option(help: ArgumentHelp("How many of the signers have to sign.", valueName: "number"))
    var threshold: Int

    @Option(help: ArgumentHelp("The root file that gates have now.", valueName: "file"))
    var previous: String?

    @Option(help: ArgumentHelp("A signer of the previous root file who stays; may be repeated.", valueName: "id"))
    var keep: [String] = []

    @Option(help: ArgumentHelp("Where the root file goes.", valueName: "file"))
    var out: String

    func run() throws {
        guard previous != nil || keep.isEmpty else { throw ValidationError("--keep: only with --previous, the root file they stand in") }
        let old = try previous.map { try Previous($0) }
        let signers = try keep.map { try kept($0, old) } + signer.map { try Self.signer($0) }
        guard !signers.isEmpty else { throw ValidationError("name the signers: --signer FILE for each, or --keep ID with --previous") }
        let text = TrustRoot.text(threshold: threshold, signers: signers)
        let root: TrustRoot
        do throws(TrustError) {
            root = try TrustRoot(name: out, bytes: text)
        } catch {
            throw TrustCommand.refuse(error)
        }
        let change = old.map { TrustRootChange(from: $0.root, to: root) }
        if let change, change.forward == .never {
            throw TrustCommand.refuse(
                "no bundle that the signers of \(old?.path ?? "") can sign holds under this root: a gate that gets it lets nobody in until it has another bundle. Let more of them stay; or, where they cannot sign any more, leave --previous out"
            )
        }
        try create(text.span, at: out, mode: 0o644)
        for row in Self.rows(out, root) + (change.map { Self.rows($0) } ?? []) { say(row, to: 1) }
    }

    /// A root file and its octets.
    private struct Previous {
        let path: String
        let bytes: [UInt8]
        let root: TrustRoot

        init(_ path: String) throws {
            self.path = path
            bytes = try NamedFile.read(path, most: TrustStore.largestFile, named: "--previous")
            do throws(TrustError) {
                root = try TrustRoot(name: path, bytes: bytes)
            } catch {
                throw ValidationError("--previous \(error)")
            }
        }
    }

    private func kept(_ id: String, _ old: Previous?) throws -> JSONValue {
        guard let old, let signer = TrustRoot.signer(id, in: old.bytes) else {
            let names = old?.root.signers.map(\.id).joined(separator: ", ") ?? ""
            throw ValidationError("--keep \(id): \(previous ?? "") has no such signer; it has \(names)")
        }
        return signer
    }

    /// What stands in a signer's own file, once it is one that a root takes.
    private static func signer(_ path: String) throws -> JSONValue {
        let bytes = try NamedFile.read(path, most: TrustStore.largestFile, named: "--signer")
        guard !bytes.starts(with: "-----BEGIN".utf8) else {
            throw ValidationError(
                "--signer \(path): a key in PEM, which has no name; name the .pub file that `gatehouse trust keygen` wrote beside it")
        }
        guard let value = try? JSONDocument(parsing: bytes).root, value.members != nil else {
            throw ValidationError("--signer \(path): no JSON object with kid and jwk, as `gatehouse trust keygen` writes it")
        }
        do throws(TrustError) {
            // Alone, so that a fault names the file it is in.
            _ = try TrustRoot(name: path, bytes: TrustRoot.text(threshold: 1, signers: [value]))
        } catch {
            throw TrustCommand.refuse(error)
        }
        return value
    }

    // MARK: What was made

    private static func rows(_ path: String, _ root: TrustRoot) -> [String] {
        let count = root.signers.count
        var rows = ["\(printable(path)): \(root.threshold) of \(count) signers have to sign bundles, orders and site files"]
        for signer in root.signers {
            let info = (try? signer.key.subjectPublicKeyInfo()) ?? []
            rows.append("  \(printable(signer.id)) \(BundleReport.kind(signer.key)) SHA-256 \(fingerprint(info))")
        }
        if root.threshold == count, count > 1 {
            rows.append("! none of the \(count) keys may be lost: without one of them nothing can be signed any more")
        }
        if root.threshold == 1 {
            rows.append("! \(count == 1 ? "this one key" : "each of these keys alone") decides whom gates believe")
        }
        rows.append("Let each signer compare the SHA-256 with what `gatehouse trust keygen` told them, before gates get this file.")
        rows.append("It has no end: gates go by it until they have another one.")
        return rows
    }

    private static func rows(_ change: TrustRootChange) -> [String] {
        func names(_ ids: [String]) -> String { ids.map(printable).joined(separator: ", ") }
        var rows: [String] = []
        if !change.stay.isEmpty { rows.append("  stay: \(names(change.stay))") }
        if !change.come.isEmpty { rows.append("+ come: \(names(change.come))") }
        if !change.go.isEmpty { rows.append("- go: \(names(change.go))") }
        let stay = names(change.stay)
        let forward =
            switch change.forward {
            case .always: "A gate that gets this root file goes on with the bundle it has."
            case .signedBy(let fewest):
                "! A gate that gets this root file goes on with its bundle only if \(fewest) of \(stay) signed it: install such a bundle first."
            case .never: "! A gate that gets this root file lets nobody in until it has another bundle."
            }
        let back =
            switch change.back {
            case .always: "A gate that has the old root file still takes every bundle that is signed under this one."
            case .signedBy(let fewest): "! A gate that has the old root file still takes a bundle only if \(fewest) of \(stay) signed it."
            case .never: "! A gate that has the old root file still takes no bundle of these signers alone: let old ones sign too."
            }
        return rows + [forward, back]
    }
}
