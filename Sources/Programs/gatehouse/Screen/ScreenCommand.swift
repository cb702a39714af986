import Appliance
import ArgumentParser
import Devices
import Glibc
import Linux

struct ScreenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen", abstract: "Write what the screen shows in each state, as PNG.",
        discussion: """
            Each state in each language is a file, LANGUAGE-STATE.png, and the last ten verdicts are recent.png. The code in them opens nothing. No gate and no screen is needed.
            Exit code: 0 written, 2 unusable options or a file that cannot be written.
            """)

    @Option(help: ArgumentHelp("Where the files go; made where only it is missing.", valueName: "folder"))
    var render: String

    @Option(help: ArgumentHelp("Width and height in pixels, as the picture is seen.", valueName: "WxH"))
    var size = "800x480"

    @Option(help: ArgumentHelp("Of the words, in per cent.", valueName: "number"))
    var scale = 100

    @OptionGroup var words: WordOptions

    func run() throws {
        let parts = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], (64...4096).contains(width), (64...4096).contains(height)
        else {
            throw ValidationError("--size \(size): use 64x64 to 4096x4096")
        }
        guard ScreenView.scales.contains(scale) else { throw ValidationError("--scale \(scale): use 50 to 200") }
        if mkdir(render, 0o755) != 0, errno != EEXIST {
            throw ValidationError("--render \(render): cannot be made (\(systemCause(errno)))")
        }
        let sheets = try words.sheets(words.languages.isEmpty ? nil : words.languages)
        for sheet in sheets {
            for kind in Sign.Kind.allCases { try write(kind, sheet, width, height) }
        }
        try writeVerdicts(sheets, width, height)
    }

    /// The last ten verdicts, which have no words.
    private func writeVerdicts(_ sheets: [WordSheet], _ width: Int, _ height: Int) throws {
        var picture = ScreenPicture(width: width, height: height, scale: scale, words: sheets)
        do throws(ScreenError) { try picture.show(Self.uri) } catch { throw ValidationError("--size \(size): \(error)") }
        let codes = ["", "issuer-unknown", "", "", "expired", "several-faces", "", "message-not-authentic", "", ""]
        picture.list(
            codes.enumerated().map { number, code in
                VerdictLine(isAccepted: code.isEmpty, code: code.isEmpty ? nil : code, seconds: 8 << (number * 2))
            })
        try gatehouse.write(picture.png(), to: "\(render)/recent.png")
    }

    private func write(_ kind: Sign.Kind, _ sheet: WordSheet, _ width: Int, _ height: Int) throws {
        var picture = ScreenPicture(width: width, height: height, scale: scale, words: [sheet])
        do throws(ScreenError) {
            if kind != .starting, kind != .fault { try picture.show(kind == .unset ? Self.id : Self.uri) }
        } catch {
            throw ValidationError("--size \(size): \(error)")
        }
        picture.tell(Self.sign(kind))
        try gatehouse.write(picture.png(), to: "\(render)/\(sheet.language)-\(kind.rawValue).png")
    }

    /// As long as a gate's own.
    static let uri = "OPENID4VP://connect?name=Gatehouse&key=8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"

    /// As a board's serial number.
    private static let id = "10000000abcdef01"

    private static func sign(_ kind: Sign.Kind) -> Sign {
        switch kind {
        case .receiving: Sign(kind, percent: 45)
        case .rejected: Sign(kind, code: "issuer-unknown")
        case .closed: Sign(kind, code: "trust-expired")
        case .fault: Sign(kind, code: "controller")
        case .unset: Sign(kind, code: id)
        default: Sign(kind)
        }
    }
}
