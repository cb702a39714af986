import Glibc

/// Where the repository lay when the tests were compiled: what they compare with its pages, and suites beside it.
public enum Repository {
    /// Without a slash at its end.
    public static let root: String = {
        let here = "Tests/Support/TestSupport/Repository.swift"
        return String(#filePath.dropLast(here.utf8.count + 1))
    }()

    /// The suites and samples of others: `$GATEHOUSE_SUITES`, else `../shared/data` beside the package. Read there, never copied.
    public static let suites: String = {
        if let given = getenv("GATEHOUSE_SUITES") { return String(cString: given) }
        return root.prefix(upTo: root.lastIndex(of: "/") ?? root.startIndex) + "/shared/data"
    }()
}
