import Glibc

/// Where a program of this computer is, as a shell looks for it.
package enum SearchPath {
    /// The path of a program in the folders of `PATH`; nil where there is none. Folders that are not absolute are left out: what lies in
    /// the folder one happens to be in is nobody's curl.
    ///
    /// - Parameter path: the variable's value; nil where it is not set.
    package static func program(_ name: String, in path: String?) -> String? {
        let folders = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
