/// Finds the frames in a stream of JPEG pictures that follow each other, such as `rpicam-vid --codec mjpeg` writes.
///
/// Walks from marker to marker by the lengths the stream itself gives (ITU-T T.81 annex B): the end marker alone says nothing, since a
/// thumbnail inside of a frame has one too. Takes the octets in any pieces, looks at each once, and keeps the newest whole frame.
/// What is no frame is counted and skipped up to the next start marker.
public struct MJPEGSplitter: ~Copyable {
    /// What was not handed out, and why.
    public struct Drops: Hashable, Sendable {
        /// Octets outside of all frames: padding, what a stream puts between its parts, what followed a dropped frame.
        public var strayOctets: UInt64 = 0
        /// Frames longer than the limit.
        public var tooLong: UInt64 = 0
        /// Frames with an octet where a marker must be, a marker that is none, or a length below 2.
        public var brokenMarker: UInt64 = 0
        /// Frames in which another begins.
        public var truncated: UInt64 = 0
        /// Frames that end before a scan begins.
        public var empty: UInt64 = 0
        /// Whole frames that nobody took before the next one was whole.
        public var superseded: UInt64 = 0

        public init() {}
    }

    private enum Place {
        case outside
        /// Behind an FF outside.
        case perhapsStart
        /// Behind FF D8: the next marker must follow at once, or random octets would begin a frame too often.
        case started
        /// Where a marker must begin.
        case boundary
        /// Behind the FF of a marker; any number of FF may fill.
        case marker
        case length(marker: UInt8)
        case secondLength(marker: UInt8, high: UInt8)
        /// In a segment, so many octets before its end.
        case segment(left: Int, isScan: Bool)
        case scan
        /// Behind an FF in entropy-coded data: 00 and RSTn belong to it.
        case scanMarker
    }

    private enum Marker {
        static let start: UInt8 = 0xD8
        static let end: UInt8 = 0xD9
        static let scan: UInt8 = 0xDA
        static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
        /// TEM has no length either; 00 and what lies between is not defined.
        static let withoutMeaning: ClosedRange<UInt8> = 0x00...0xBF
    }

    public private(set) var drops = Drops()
    private let limit: Int
    private var place = Place.outside
    private var sawScan = false
    /// The frame being received, and its octets so far.
    private var current: WipedOctets
    private var count = 0
    /// The newest whole frame; its count is 0 when it was taken.
    private var whole: WipedOctets
    private var wholeCount = 0

    /// - Parameter limit: octets of the longest frame.
    public init(limit: Int = 1 << 20) {
        self.limit = max(4, limit)
        current = WipedOctets(count: self.limit)
        whole = WipedOctets(count: self.limit)
    }

    /// Takes octets up to the end of the next whole frame, or all where none ends in them.
    /// - Returns: how many were taken; 0 only when `octets` is empty. Call again with the rest: a later frame replaces one not taken.
    public mutating func feed(_ octets: UnsafeRawBufferPointer) -> Int {
        var position = 0
        while position < octets.count {
            // Never more than has room, so that a frame that is too long ends at the same octet whatever pieces it came in.
            let room = position..<min(octets.count, position + limit - count)
            switch place {
            case .segment, .scan:
                if room.isEmpty { drop(\.tooLong) }
                position = keep(octets, in: room)
            case .outside where octets[position] != 0xFF:
                let begin = position
                while position < octets.count, octets[position] != 0xFF { position += 1 }
                drops.strayOctets += UInt64(position - begin)
            default:
                let octet = octets[position]
                position += 1
                if step(octet) { return position }
            }
        }
        return position
    }

    public var hasFrame: Bool { wholeCount > 0 }

    /// Lends the newest whole frame, once. False, and `body` is not called, when there is none.
    public mutating func takeFrame(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        guard wholeCount > 0 else { return false }
        whole.withOctets { body(UnsafeRawBufferPointer(rebasing: $0[..<wholeCount])) }
        wholeCount = 0
        return true
    }

    /// Forgets what was received, for a stream that begins anew; the counters stay.
    public mutating func reset() {
        current.wipe()
        whole.wipe()
        (place, count, wholeCount) = (.outside, 0, 0)
    }

    // MARK: One octet

    /// True when it ends a whole frame.
    private mutating func step(_ octet: UInt8) -> Bool {
        switch place {
        case .outside, .perhapsStart:
            look(for: octet)
        case .started:
            // Whatever was begun without a marker behind its start was no frame.
            if octet == 0xFF {
                if keep(octet) { place = .marker }
            } else {
                drops.strayOctets += 3
                place = .outside
            }
        case .boundary:
            if octet == 0xFF {
                if keep(octet) { place = .marker }
            } else {
                drop(\.brokenMarker)
            }
        case .marker:
            return take(marker: octet, inScan: false)
        case .scanMarker:
            return take(marker: octet, inScan: true)
        case .length(let marker):
            if keep(octet) { place = .secondLength(marker: marker, high: octet) }
        case .secondLength(let marker, let high):
            take(length: Int(high) << 8 | Int(octet), of: marker, octet)
        case .segment, .scan:
            break
        }
        return false
    }

    private mutating func look(for octet: UInt8) {
        if case .perhapsStart = place, octet == Marker.start {
            // The FF before it was counted as stray.
            drops.strayOctets -= 1
            begin()
        } else {
            drops.strayOctets += 1
            place = octet == 0xFF ? .perhapsStart : .outside
        }
    }

    private mutating func take(marker: UInt8, inScan: Bool) -> Bool {
        switch marker {
        case 0xFF:
            _ = keep(marker)
        case 0x00 where inScan, Marker.restarts where inScan:
            if keep(marker) { place = .scan }
        case Marker.withoutMeaning, Marker.restarts:
            drop(\.brokenMarker)
        case Marker.start:
            drop(\.truncated)
            begin()
        case Marker.end:
            guard sawScan else {
                drop(\.empty)
                return false
            }
            guard keep(marker) else { return false }
            finish()
            return true
        default:
            if keep(marker) { place = .length(marker: marker) }
        }
        return false
    }

    private mutating func take(length: Int, of marker: UInt8, _ octet: UInt8) {
        guard length >= 2 else { return drop(\.brokenMarker) }
        guard keep(octet) else { return }
        let isScan = marker == Marker.scan
        if isScan { sawScan = true }
        place = length > 2 ? .segment(left: length - 2, isScan: isScan) : isScan ? .scan : .boundary
    }

    // MARK: The frame

    private mutating func begin() {
        sawScan = false
        current.withMutableOctets { ($0[0], $0[1]) = (0xFF, Marker.start) }
        count = 2
        place = .started
    }

    private mutating func finish() {
        if wholeCount > 0 { drops.superseded += 1 }
        swap(&current, &whole)
        (wholeCount, count, place) = (count, 0, .outside)
    }

    private mutating func drop(_ reason: WritableKeyPath<Drops, UInt64>) {
        drops[keyPath: reason] += 1
        (count, place) = (0, .outside)
    }

    private mutating func keep(_ octet: UInt8) -> Bool {
        guard count < limit else {
            drop(\.tooLong)
            return false
        }
        current.withMutableOctets { $0[count] = octet }
        count += 1
        return true
    }

    /// Keeps what of `range` belongs to the segment or to the data of the scan. Returns where that ends.
    private mutating func keep(_ octets: UnsafeRawBufferPointer, in range: Range<Int>) -> Int {
        var end = range.lowerBound
        switch place {
        case .segment(let left, let isScan):
            end += min(left, range.count)
            place =
                end - range.lowerBound < left ? .segment(left: left - (end - range.lowerBound), isScan: isScan) : isScan ? .scan : .boundary
        case .scan:
            while end < range.upperBound, octets[end] != 0xFF { end += 1 }
            if end < range.upperBound {
                end += 1
                place = .scanMarker
            }
        default:
            return end
        }
        let begin = count
        current.withMutableOctets {
            UnsafeMutableRawBufferPointer(rebasing: $0[begin...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: octets[range.lowerBound..<end]))
        }
        count += end - range.lowerBound
        return end
    }
}
