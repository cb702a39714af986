import Appliance
import ArgumentParser
import Linux
import Trust

/// `contexts.json` or `lists.json` of a trust folder, with the files that its rows name.
struct FolderListing {
    let folder: String
    private var listing: TrustListing

    init(_ kind: TrustListing.Kind, in folder: String) throws {
        self.folder = folder
        let path = folder + "/" + kind.file
        do {
            listing =
                try NamedFile.exists(path)
                ? TrustListing(kind, bytes: NamedFile.read(path, most: TrustStore.largestFile)) : TrustListing(kind)
        } catch let error as TrustError {
            throw TrustCommand.refuse(error)
        }
    }

    /// `contexts.json` or `lists.json`.
    var name: String { listing.kind.file }

    func member(_ name: String, of url: String) throws -> String? {
        do throws(TrustError) {
            return try listing.member(name, of: url)
        } catch {
            throw TrustCommand.refuse(error)
        }
    }

    /// The name of a file for the octets of a URL: the one its row has, or a new one in the sub-folder. No row for another URL has it.
    ///
    /// - Parameters:
    ///   - wanted: the new name, made different where it is taken.
    ///   - isFree: whether a file of that name may be written.
    func file(for url: String, in sub: String, _ wanted: String, isFree: (String) throws -> Bool) throws -> String {
        let taken: Set<String>
        do throws(TrustError) {
            taken = Set(try listing.files(without: url))
        } catch {
            throw TrustCommand.refuse(error)
        }
        let (stem, ending) = Self.parts(wanted.isEmpty ? "unnamed" : wanted)
        for number in 1...TrustStore.mostFiles {
            let name = "\(sub)/\(stem)\(number == 1 ? "" : "-\(number)")\(ending)"
            if !taken.contains(name), try isFree(folder + "/" + name) { return name }
        }
        throw ValidationError("\(folder)/\(sub)/\(wanted): \(TrustStore.mostFiles) files of this name are there already")
    }

    private static func parts(_ name: String) -> (stem: Substring, ending: Substring) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name[...], "") }
        return (name[..<dot], name[dot...])
    }

    /// Writes a file of the folder, and its sub-folder where that is missing.
    func write(_ octets: [UInt8], toFile name: String) throws {
        try Self.write(octets, toFile: name, in: folder, namedBy: self.name)
    }

    /// The same for a row of another file.
    static func write(_ octets: [UInt8], toFile name: String, in folder: String, namedBy listing: String) throws {
        // A row that came from somebody else may name any file of this computer.
        guard TrustContents.isInside(name) else {
            throw TrustCommand.refuse("\(folder)/\(listing): \(name) is no path of a file in the folder, without . and ..")
        }
        if let slash = name.lastIndex(of: "/") {
            let sub = String(name[..<slash])
            do throws(SystemError) {
                try File.makeFolder(sub, in: folder)
            } catch {
                throw ValidationError("\(folder)/\(sub): cannot be made (\(error.cause))")
            }
        }
        // A gate may take its trust from this folder, and is another user.
        try gatehouse.write(octets, to: folder + "/" + name, isShared: true)
    }

    /// Puts a row in or changes the one there is, and leaves everything else in the file as it was. The file is replaced whole.
    mutating func put(_ url: String, _ members: [(name: String, value: String)]) throws {
        do throws(TrustError) {
            try listing.put(url, members)
        } catch {
            throw TrustCommand.refuse(error)
        }
        try gatehouse.write(listing.bytes, to: folder + "/" + name, isShared: true)
    }
}
