/// How large a picture may be before anything of it is decoded.
public struct PictureLimits: Hashable, Sendable {
    /// Octets of an encoded picture.
    public var octets: Int
    /// Pixels of each side.
    public var side: Int
    public var pixels: Int
    /// Octets of the decoded picture before it is scaled down, where that is needed whole, and of what the decoder keeps beside it.
    public var memory: Int
    /// Whether a JPEG may come in several scans, as progressive ones do: it then costs a pass over the picture for each.
    public var severalScans: Bool
    public var scans: Int

    public init(octets: Int, side: Int = 8192, pixels: Int = 40_000_000, memory: Int = 64 << 20, severalScans: Bool, scans: Int = 100) {
        self.octets = octets
        self.side = side
        self.pixels = pixels
        self.memory = memory
        self.severalScans = severalScans
        self.scans = scans
    }

    /// A camera's frame. No camera sends several scans.
    public static let frame = PictureLimits(octets: 1 << 20, severalScans: false)
    /// The photo in a credential.
    public static let portrait = PictureLimits(octets: 2 << 20, severalScans: true)
    /// What is looked at for codes: a camera's frame, or a file that somebody tries, which may be in several scans.
    public static let codes = PictureLimits(octets: 4 << 20, severalScans: true)
}
