/// The items of a file and what is said of each (ISO/IEC 14496-12 section 8.11, ISO/IEC 23008-12 section 9.3): as much of it as a still
/// picture needs that is one item.
struct AVIFItems {
    /// The primary item's number.
    private let identifier: UInt64
    /// The primary item's type, 0 while nothing was said of it.
    private var type: UInt32 = 0
    private var properties: [ImageBoxes.Box] = []
    /// What belongs to the primary item, and whether it has to be understood.
    private var associations: [(property: Int, isEssential: Bool)] = []
    private var places: ImageBoxes.Box?
    private var data: ImageBoxes.Box?

    /// More items, properties and references than any portrait has are somebody's attempt at making work.
    private static let most = 64

    /// - Parameter meta: the content of the file's `meta` box.
    init(_ meta: UnsafeRawBufferPointer) throws(PictureError) {
        var boxes = ImageBoxes(meta)
        _ = try boxes.version()
        var later: [ImageBoxes.Box] = []
        var primary: UInt64?
        while !boxes.isAtEnd {
            let box = try boxes.nextBox()
            guard later.count < Self.most else { throw .uncommon }
            if box.type == Name.pitm {
                guard primary == nil else { throw .damaged }
                var reader = ImageBoxes(box.content)
                let version = try reader.version().version
                primary = try reader.number(version == 0 ? 2 : 4)
            } else {
                later.append(box)
            }
        }
        guard let primary else { throw .damaged }
        identifier = primary
        // The rest is read for the primary item alone.
        for box in later { try read(box) }
    }

    private mutating func read(_ box: ImageBoxes.Box) throws(PictureError) {
        switch box.type {
        case Name.hdlr: try checkHandler(box.content)
        case Name.iinf: try readTypes(box.content)
        case Name.iprp: try readProperties(box.content)
        case Name.iref: try readReferences(box.content)
        case Name.iloc:
            guard places == nil else { throw .damaged }
            places = box
        case Name.idat: data = box
        default: break
        }
    }

    private func checkHandler(_ content: UnsafeRawBufferPointer) throws(PictureError) {
        var reader = ImageBoxes(content)
        _ = try reader.version()
        _ = try reader.number(4)
        guard try reader.number(4) == UInt64(Name.pict) else { throw .damaged }
    }

    private mutating func readTypes(_ content: UnsafeRawBufferPointer) throws(PictureError) {
        var reader = ImageBoxes(content)
        let listVersion = try reader.version().version, count = try reader.number(listVersion == 0 ? 2 : 4)
        guard count <= UInt64(Self.most) else { throw .uncommon }
        for _ in 0..<count {
            let entry = try reader.nextBox()
            guard entry.type == Name.infe else { throw .damaged }
            var item = ImageBoxes(entry.content)
            let version = try item.version().version
            guard version == 2 || version == 3 else { throw .uncommon }
            let number = try item.number(version == 2 ? 2 : 4), protection = try item.number(2)
            guard number == identifier else { continue }
            guard protection == 0, type == 0 else { throw .damaged }
            type = UInt32(truncatingIfNeeded: try item.number(4))
        }
    }

    private mutating func readProperties(_ content: UnsafeRawBufferPointer) throws(PictureError) {
        var boxes = ImageBoxes(content)
        guard properties.isEmpty else { throw .damaged }
        while !boxes.isAtEnd {
            let box = try boxes.nextBox()
            if box.type == Name.ipma {
                try readAssociations(box.content)
            } else if box.type == Name.ipco {
                var inner = ImageBoxes(box.content)
                guard properties.isEmpty else { throw .damaged }
                while !inner.isAtEnd {
                    guard properties.count < Self.most else { throw .uncommon }
                    properties.append(try inner.nextBox())
                }
            }
        }
    }

    private mutating func readAssociations(_ content: UnsafeRawBufferPointer) throws(PictureError) {
        var reader = ImageBoxes(content)
        let (version, flags) = try reader.version()
        let entries = try reader.number(4)
        guard entries <= UInt64(Self.most) else { throw .uncommon }
        for _ in 0..<entries {
            let item = try reader.number(version < 1 ? 2 : 4), count = try reader.number(1)
            for _ in 0..<count {
                let wide = flags & 1 != 0
                let both = try reader.number(wide ? 2 : 1), essential: UInt64 = wide ? 0x8000 : 0x80
                guard item == identifier, both & ~essential != 0 else { continue }
                guard associations.count < Self.most else { throw .uncommon }
                associations.append((Int(both & ~essential) - 1, both & essential != 0))
            }
        }
    }

    /// An item that the primary one is made of, or that is alpha or depth to it (ISO/IEC 23008-12 section 6.6), is more than one picture.
    /// Descriptions (`cdsc`) and thumbnails are not.
    private mutating func readReferences(_ content: UnsafeRawBufferPointer) throws(PictureError) {
        var boxes = ImageBoxes(content)
        let size = try boxes.version().version == 0 ? 2 : 4
        while !boxes.isAtEnd {
            let box = try boxes.nextBox()
            var reader = ImageBoxes(box.content)
            let from = try reader.number(size), count = try reader.number(2)
            guard count <= UInt64(Self.most) else { throw .uncommon }
            for _ in 0..<count {
                let to = try reader.number(size)
                let isPart = box.type == Name.dimg || box.type == Name.base || box.type == Name.prem
                let isOfPrimary = from == identifier && isPart
                if isOfPrimary || (to == identifier && box.type == Name.auxl) { throw .composed }
            }
        }
    }

    /// What a decoder needs to know of the primary item.
    struct Item {
        var width = 0
        var height = 0
        var colours: (matrix: UInt16, isFullRange: Bool)?
    }

    var primary: Item {
        get throws(PictureError) {
            // `grid`, `iovl`, `iden`, `tmap`: pictures made of others.
            guard type == Name.av01 else { throw type == 0 ? .damaged : .composed }
            var item = Item()
            var hasSize = false, hasConfiguration = false
            for association in associations {
                guard association.property < properties.count else { throw .damaged }
                let property = properties[association.property]
                var reader = ImageBoxes(property.content)
                switch property.type {
                case Name.ispe:
                    _ = try reader.version()
                    (item.width, item.height) = (Int(try reader.number(4)), Int(try reader.number(4)))
                    hasSize = true
                case Name.av1C: hasConfiguration = true
                case Name.colr:
                    guard try reader.number(4) == UInt64(Name.nclx) else { continue }
                    _ = try reader.number(4)
                    item.colours = (UInt16(try reader.number(2)), try reader.number(1) & 0x80 != 0)
                case Name.irot, Name.imir, Name.clap, Name.a1op, Name.lsel: throw .composed
                case Name.pixi, Name.pasp, Name.auxC: continue
                default: if association.isEssential { throw .uncommon }
                }
            }
            guard hasSize, hasConfiguration else { throw .damaged }
            guard item.width > 0, item.height > 0 else { throw .empty }
            return item
        }
    }

    /// The one piece that the primary item lies in (ISO/IEC 14496-12 section 8.11.3).
    func octets(in file: UnsafeRawBufferPointer) throws(PictureError) -> UnsafeRawBufferPointer {
        guard let places else { throw .damaged }
        var reader = ImageBoxes(places.content)
        let version = try reader.version().version
        guard version <= 2 else { throw .uncommon }
        let sizes = try reader.number(2)
        let (offsetSize, lengthSize, baseSize) = (Int(sizes >> 12 & 15), Int(sizes >> 8 & 15), Int(sizes >> 4 & 15))
        let indexSize = version == 0 ? 0 : Int(sizes & 15)
        let count = try reader.number(version < 2 ? 2 : 4)
        guard count <= UInt64(Self.most) else { throw .uncommon }
        for _ in 0..<count {
            let number = try reader.number(version < 2 ? 2 : 4)
            let method = version == 0 ? 0 : try reader.number(2) & 15
            let reference = try reader.number(2), base = try reader.number(baseSize), extents = try reader.number(2)
            guard extents <= UInt64(Self.most) else { throw .uncommon }
            for _ in 0..<extents {
                _ = try reader.number(indexSize)
                let offset = try reader.number(offsetSize), length = try reader.number(lengthSize)
                guard number == identifier else { continue }
                // In another file, of another item, or in pieces.
                guard reference == 0, method <= 1, extents == 1 else { throw .uncommon }
                guard let whole = method == 0 ? file : data?.content else { throw .damaged }
                let (begin, overflows) = base.addingReportingOverflow(offset)
                guard !overflows, begin <= UInt64(whole.count), length <= UInt64(whole.count) - begin else { throw .truncated }
                let end = length == 0 ? UInt64(whole.count) : begin + length
                return UnsafeRawBufferPointer(rebasing: whole[Int(begin)..<Int(end)])
            }
        }
        throw .damaged
    }

    private enum Name {
        static let pitm = ImageBoxes.name("pitm"), hdlr = ImageBoxes.name("hdlr"), pict = ImageBoxes.name("pict")
        static let iinf = ImageBoxes.name("iinf"), infe = ImageBoxes.name("infe"), av01 = ImageBoxes.name("av01")
        static let iprp = ImageBoxes.name("iprp"), ipco = ImageBoxes.name("ipco"), ipma = ImageBoxes.name("ipma")
        static let iref = ImageBoxes.name("iref"), iloc = ImageBoxes.name("iloc"), idat = ImageBoxes.name("idat")
        static let dimg = ImageBoxes.name("dimg"), base = ImageBoxes.name("base"), prem = ImageBoxes.name("prem")
        static let auxl = ImageBoxes.name("auxl"), auxC = ImageBoxes.name("auxC")
        static let ispe = ImageBoxes.name("ispe"), pixi = ImageBoxes.name("pixi"), pasp = ImageBoxes.name("pasp")
        static let av1C = ImageBoxes.name("av1C"), colr = ImageBoxes.name("colr"), nclx = ImageBoxes.name("nclx")
        static let irot = ImageBoxes.name("irot"), imir = ImageBoxes.name("imir"), clap = ImageBoxes.name("clap")
        static let a1op = ImageBoxes.name("a1op"), lsel = ImageBoxes.name("lsel")
    }
}
