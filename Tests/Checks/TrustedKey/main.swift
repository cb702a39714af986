// A folder of Trusted Key vectors: `trustedkey-check FOLDER`, with `index.json`, `vectors/NAME.json` and perhaps `nested.json`. Every
// difference of verdict, reason and claims is printed, then how many of how many agree; `nested.json` is no vector and is not counted.
// Exits 0 where all do, 1 where one does not, 2 where the folder has none.

import Foundation

guard CommandLine.arguments.count == 2 else {
    print("trustedkey-check FOLDER")
    exit(2)
}
exit(FolderCheck(CommandLine.arguments[1]).run())
