/// What a still AVIF says of itself (AV1 Image File Format 1.1, over MIAF and HEIF, ISO/IEC 23000-22 and 23008-12): one item that is the
/// whole picture. A picture of tiles, layers or overlays, one with alpha, and one to be turned or cut are refused by name: no portrait
/// needs them, and a decoder that passes over them shows something else than was meant.
struct AVIFFile {
    let width: Int
    let height: Int
    /// The item's OBUs. They live no longer than the file's octets.
    let octets: UnsafeRawBufferPointer
    /// Matrix and range as the container says them; those of AV1 do not count then (AVIF section 2.2.1, MIAF section 7.3.6.4).
    let colours: (matrix: UInt16, isFullRange: Bool)?

    init(_ file: UnsafeRawBufferPointer) throws(PictureError) {
        var boxes = ImageBoxes(file)
        var meta: ImageBoxes.Box?
        let first = try Self.firstBox(&boxes)
        try Self.checkBrands(first.content)
        while !boxes.isAtEnd, meta == nil || !boxes.isPadded {
            let box = try boxes.nextBox()
            switch box.type {
            case Name.meta:
                guard meta == nil else { throw .damaged }
                meta = box
            case Name.moov, Name.moof: throw .animated
            default: continue
            }
        }
        guard let meta else { throw .truncated }
        let items = try AVIFItems(meta.content)
        let item = try items.primary
        width = item.width
        height = item.height
        colours = item.colours
        octets = try items.octets(in: file)
    }

    private static func firstBox(_ boxes: inout ImageBoxes) throws(PictureError) -> ImageBoxes.Box {
        do throws(PictureError) {
            let box = try boxes.nextBox()
            if box.type == Name.ftyp { return box }
        } catch {}
        throw .noStart
    }

    /// A still picture is of the brand `avif`; one that is a sequence as well may be both (AVIF section 6).
    private static func checkBrands(_ content: UnsafeRawBufferPointer) throws(PictureError) {
        var brands = ImageBoxes(content)
        guard content.count >= 8, content.count % 4 == 0 else { throw .noStart }
        let major = UInt32(truncatingIfNeeded: try brands.number(4))
        _ = try brands.number(4)
        var isStill = major == Name.avif
        while !isStill, !brands.isAtEnd { isStill = try brands.number(4) == UInt64(Name.avif) }
        if major == Name.avis { throw .animated }
        guard isStill else { throw .noStart }
    }

    enum Name {
        static let ftyp = ImageBoxes.name("ftyp"), meta = ImageBoxes.name("meta")
        static let moov = ImageBoxes.name("moov"), moof = ImageBoxes.name("moof")
        static let avif = ImageBoxes.name("avif"), avis = ImageBoxes.name("avis")
    }
}
