import Foundation
import JSON
import ProofVectors

/// The vectors of one folder.
struct FolderCheck {
    private let folder: String

    init(_ folder: String) { self.folder = folder }

    /// Prints every difference, and how many of how many agree. Returns the program's exit code.
    func run() -> Int32 {
        let names = self.names()
        guard !names.isEmpty else {
            print("\(folder): no vectors")
            return 2
        }
        var agreed = 0
        for name in names {
            let differences = differences(name)
            if differences.isEmpty { agreed += 1 }
            for difference in differences { print("\(name): \(difference)") }
        }
        let ofCall = callDifferences()
        for difference in ofCall { print("nested: \(difference)") }
        print("\(agreed) of \(names.count)")
        return agreed == names.count && ofCall.isEmpty ? 0 : 1
    }

    /// Those of the index in its order, then what else lies in the folder: neither may hide a vector.
    private func names() -> [String] {
        let listed = document("index.json")?.elements?.compactMap { $0["name"]?.string } ?? []
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/vectors")) ?? []
        let present = files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
        var seen: Set<String> = []
        return (listed + present).filter { seen.insert($0).inserted }
    }

    private func document(_ path: String) -> JSONValue? {
        guard let text = FileManager.default.contents(atPath: folder + "/" + path) else { return nil }
        return try? JSONDocument(parsing: [UInt8](text)).root
    }

    private func differences(_ name: String) -> [String] {
        guard let value = document("vectors/\(name).json") else { return ["no JSON file of that name"] }
        do throws(UnusableVector) {
            return try Outcome.expected(value).differences(from: Outcome(TrustedKeyVector(value)))
        } catch {
            return ["unusable: \(error.what)"]
        }
    }

    private func callDifferences() -> [String] {
        guard FileManager.default.fileExists(atPath: folder + "/nested.json") else { return [] }
        guard let value = document("nested.json"), let vector = CallVector(value) else { return ["unusable"] }
        return vector.differences()
    }
}
