import Appliance
import ArgumentParser
import Devices

/// Where the screen's words come from.
struct WordOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder of the screen's words, a sheet for each language.", valueName: "folder"))
    var words = "/usr/share/gatehouse/words"

    @Option(
        name: .customLong("language"), parsing: .singleValue,
        help: ArgumentHelp(
            "A language of the screen, such as fr; up to four take turns. Of screen: one that is wanted; without it all are.  (default: en)",
            valueName: "tag"))
    var languages: [String] = []

    /// - Parameter languages: nil for all that there are.
    func sheets(_ languages: [String]?) throws -> [WordSheet] {
        do throws(WordFolderError) {
            return try WordFolder(words).sheets(languages)
        } catch {
            throw ValidationError("--words \(words): \(error)")
        }
    }
}
