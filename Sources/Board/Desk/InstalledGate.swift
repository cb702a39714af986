import Glibc

/// What says that this system is a gate. A gate stays offline whatever somebody types there, so what goes online asks here first.
///
/// There is no option against it: on a gate nobody needs one, and a script that was copied there would bring it along.
package struct InstalledGate: Hashable, Sendable {
    /// The file that says so.
    package let path: String
    /// For people: what that file means.
    package let meaning: String

    private static let signs: [(path: String, meaning: String)] = [
        // `image/root.sh` writes it into every image.
        ("/etc/gatehouse-version", "this system is a gate's image"),
        // A gate that was installed by hand (docs/install.md).
        ("/etc/gatehouse/board.json", "this system has a gate's board profile"),
        ("/etc/systemd/system/gatehouse.service", "this system runs a gate"),
        ("/usr/local/lib/systemd/system/gatehouse.service", "this system runs a gate"),
        ("/usr/lib/systemd/system/gatehouse.service", "this system runs a gate"),
    ]

    /// The first sign there is; nil on a system that is no gate.
    ///
    /// - Parameter root: the folder that stands for `/`; empty for `/` itself.
    package init?(under root: String = "") {
        guard let sign = Self.signs.first(where: { Self.isThere(root + $0.path) }) else { return nil }
        path = sign.path
        meaning = sign.meaning
    }

    /// What cannot be looked for counts as there: a doubt keeps a gate offline.
    private static func isThere(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) == 0 || ![ENOENT, ENOTDIR].contains(errno)
    }
}
