import Faces
import Glibc
import Linux
import VisionProtocol

/// Why a folder of labelled pictures is none.
public enum LabelledFolderError: Error, Hashable, Sendable {
    case unreadable(String, errno: Int32)
    /// No folders in it: there has to be one for each person.
    case empty
    /// Folders without pictures, by name.
    case noPictures(String)
    case onePersonOnly(String)
    /// Nobody has two pictures: nothing says how alike pictures of one person are.
    case noSecondPicture
    case tooManyPictures
}

extension LabelledFolderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let code): "\(path) cannot be read (\(systemCause(code)))"
        case .empty: "there is nobody in it: it has to have one folder of pictures for each person"
        case .noPictures(let name): "the folder \(name) has no files in it"
        case .onePersonOnly(let name): "\(name) is the only person in it: pictures of one person say nothing about strangers"
        case .noSecondPicture: "nobody in it has two pictures: single ones say nothing about how alike pictures of one person are"
        case .tooManyPictures: "it has more than \(LabelledFolder.mostPictures) pictures"
        }
    }
}

/// Pictures by the person they show: a folder with one folder for each person, whose files are that person's pictures.
///
/// Names that begin with a dot are passed over, and files beside the folders.
public struct LabelledFolder: Sendable {
    public struct Picture: Hashable, Sendable {
        /// Index in `people`.
        public let person: Int
        /// `person/file`
        public let name: String
    }

    /// Each is compared with all others: more would take weeks.
    public static let mostPictures = 20_000

    public let path: String
    public let people: [String]
    public let pictures: [Picture]

    /// - Throws: what keeps anything from being said about its pictures; they are not looked at yet.
    public init(_ path: String) throws(LabelledFolderError) {
        self.path = path
        var people: [String] = [], pictures: [Picture] = [], mostOfOne = 0
        for name in try Self.names(path) where Self.kind(path + "/" + name) == S_IFDIR {
            let files = try Self.names(path + "/" + name).filter { Self.kind(path + "/" + name + "/" + $0) == S_IFREG }
            guard !files.isEmpty else { throw .noPictures(name) }
            guard pictures.count + files.count <= Self.mostPictures else { throw .tooManyPictures }
            pictures += files.map { Picture(person: people.count, name: name + "/" + $0) }
            people.append(name)
            mostOfOne = max(mostOfOne, files.count)
        }
        guard let first = people.first else { throw .empty }
        guard people.count > 1 else { throw .onePersonOnly(first) }
        guard mostOfOne > 1 else { throw .noSecondPicture }
        self.people = people
        self.pictures = pictures
    }

    /// The octets of a picture and what they are; nil where it cannot be read, is too long, or is neither JPEG nor PNG.
    public func octets(of picture: Picture) -> (PictureFormat, [UInt8])? {
        guard let octets = try? File.read(path + "/" + picture.name, most: Portrait.longest) else { return nil }
        if octets.starts(with: [0xFF, 0xD8, 0xFF]) { return (.jpeg, octets) }
        if octets.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return (.png, octets) }
        return nil
    }

    /// Sorted by their octets, so that two runs do the same.
    private static func names(_ folder: String) throws(LabelledFolderError) -> [String] {
        guard let handle = opendir(folder) else { throw .unreadable(folder, errno: errno) }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func kind(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }
}
