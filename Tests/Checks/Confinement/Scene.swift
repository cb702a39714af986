import CTrespass
import Glibc

/// A folder of its own for one attempt: `data`, which may be written, and `outside` and `trust`, which may not, though their modes let
/// everybody.
struct Scene {
    let folder: String
    var data: String { folder + "/data" }
    var outside: String { folder + "/outside" }
    var trust: String { folder + "/place/trust" }

    /// - Parameter trustFile: octets of the one issuer believed.
    init(trustFile: [UInt8]) {
        var template = Array("/tmp/confinement-check.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fail("no folder in /tmp (errno \(errno))") }
        folder = String(cString: made)
        for name in [folder, data, outside, outside + "/empty", folder + "/place", trust] {
            // Folders of the trust folder's are not anybody's to write, as on a board.
            let mode: mode_t = name.hasPrefix(folder + "/place") ? 0o755 : 0o777
            guard mkdir(name, mode) == 0 || name == folder, chmod(name, mode) == 0 else { fail("\(name): errno \(errno)") }
        }
        Self.write(Array("kept".utf8), to: outside + "/kept")
        Self.write(Array("mine".utf8), to: data + "/mine")
        Self.write(trustFile, to: trust + "/demo.json")
        guard symlink("../outside/kept", data + "/way-out") == 0 else { fail("a symbolic link: errno \(errno)") }
    }

    /// Takes it away again, whatever became of it.
    func remove() {
        trespass_remove(folder)
    }

    private static func write(_ octets: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0, Glibc.write(descriptor, octets, octets.count) == octets.count, fchmod(descriptor, 0o666) == 0 else {
            fail("\(path): errno \(errno)")
        }
        close(descriptor)
    }
}

func fail(_ text: String) -> Never {
    print("confinement: \(text)")
    exit(1)
}
