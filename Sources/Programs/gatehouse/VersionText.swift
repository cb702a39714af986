import Cryptography
import Devices
import Linux
import Presentation

/// What `--version` says: the first line is for programs, the rest for whoever reports a fault.
enum VersionText {
    static var text: String {
        let program = ProgramVersion()
        var rows = ["gatehouse \(program.version)", "commit \(ProgramVersion.commit ?? "unknown")", "Swift \(compiler)"]
        if let slot = program.slot { rows.append("slot \(slot)") }
        for (name, version) in libraries { rows.append("\(name) \(version)") }
        return rows.joined(separator: "\n")
    }

    /// As they are at this moment, not as they were compiled for.
    private static var libraries: [(name: String, version: String)] {
        [
            ("libcrypto", Arena.libraryVersion), ("zlib", MessageOpener.inflaterVersion), ("libgpiod", GPIOLights.interfaceVersion),
            ("libqrencode", QRCode.libraryVersion), ("libseccomp", SystemCallFilter.libraryVersion),
        ]
    }

    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
