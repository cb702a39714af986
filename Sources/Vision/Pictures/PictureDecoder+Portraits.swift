import CDav1d
import COpenJPEG
import CWebP

/// What only credentials bring, and no camera: WebP, JPEG 2000 and AVIF.
extension PictureDecoder {
    func decodeWebP(_ octets: UnsafeRawBufferPointer, into picture: Picture) throws(PictureError) {
        let start = octets.assumingMemoryBound(to: UInt8.self).baseAddress
        var limits = webp_limits(
            octets: limits.octets, side: UInt32(clamping: limits.side), pixels: UInt64(clamping: limits.pixels), memory: limits.memory)
        var header = webp_header()
        try check(webp: webp_picture_header(start, octets.count, &limits, &header))
        let (width, height) = (Int(header.width), Int(header.height))
        try checkMemory(width, height, picture)
        try picture.fill(width: width, height: height) { (memory) throws(PictureError) in
            let pixels = memory.assumingMemoryBound(to: UInt8.self).baseAddress
            try check(webp: webp_picture_decode(start, octets.count, &limits, pixels, memory.count))
        }
        picture.shrink(by: reduction(width, height))
    }

    /// Each resolution of a JPEG 2000 is half of the next: a large one is decoded at the one that is wanted.
    func decodeJPEG2000(_ octets: UnsafeRawBufferPointer, into picture: Picture) throws(PictureError) {
        let start = octets.assumingMemoryBound(to: UInt8.self).baseAddress
        var limits = jp2_limits(
            octets: limits.octets, side: UInt32(clamping: limits.side), pixels: UInt64(clamping: limits.pixels), memory: limits.memory)
        var header = jp2_header()
        try check(jp2: jp2_picture_header(start, octets.count, &limits, &header))
        let reduction = reduction(Int(header.width), Int(header.height))
        let halvings = min(reduction.trailingZeroBitCount, Int(header.levels))
        let width = (Int(header.width) + 1 << halvings - 1) >> halvings
        let height = (Int(header.height) + 1 << halvings - 1) >> halvings
        try checkMemory(width, height, picture)
        try picture.fill(width: width, height: height) { (memory) throws(PictureError) in
            let pixels = memory.assumingMemoryBound(to: UInt8.self).baseAddress
            try check(jp2: jp2_picture_decode(start, octets.count, &limits, UInt32(halvings), pixels, memory.count))
        }
        picture.shrink(by: reduction >> halvings)
    }

    func decodeAVIF(_ octets: UnsafeRawBufferPointer, into picture: Picture) throws(PictureError) {
        guard octets.count <= limits.octets else { throw .tooManyOctets }
        let file = try AVIFFile(octets)
        let (width, height) = (file.width, file.height)
        guard width <= limits.side, height <= limits.side, width * height <= limits.pixels else { throw .tooManyPixels }
        try checkMemory(width, height, picture)
        let start = file.octets.assumingMemoryBound(to: UInt8.self).baseAddress
        var limits = av1_limits(side: UInt32(clamping: limits.side), pixels: UInt64(clamping: limits.pixels), memory: limits.memory)
        var colours = av1_colours(
            is_given: file.colours != nil, matrix: file.colours?.matrix ?? 0, is_full_range: file.colours?.isFullRange ?? false)
        try check(av1: av1_picture_header(start, file.octets.count, &limits, UInt32(width), UInt32(height)))
        try picture.fill(width: width, height: height) { (memory) throws(PictureError) in
            let pixels = memory.assumingMemoryBound(to: UInt8.self).baseAddress
            let (wide, high) = (UInt32(width), UInt32(height))
            try check(av1: av1_picture_decode(start, file.octets.count, &limits, wide, high, &colours, pixels, memory.count))
        }
        picture.shrink(by: reduction(width, height))
    }

    private func check(webp result: Int32) throws(PictureError) {
        switch webp_result(UInt32(result)) {
        case WEBP_OK: return
        case WEBP_TOO_MANY_OCTETS: throw .tooManyOctets
        case WEBP_TOO_MANY_PIXELS: throw .tooManyPixels
        case WEBP_NO_START: throw .noStart
        case WEBP_DATA_BEHIND_END: throw .dataBehindEnd
        case WEBP_TRUNCATED: throw .truncated
        case WEBP_ANIMATED: throw .animated
        case WEBP_TOO_MUCH_MEMORY, WEBP_BUFFER_TOO_SMALL: throw .tooMuchMemory
        default: throw .damaged
        }
    }

    private func check(jp2 result: Int32) throws(PictureError) {
        switch jp2_result(UInt32(result)) {
        case JP2_OK: return
        case JP2_TOO_MANY_OCTETS: throw .tooManyOctets
        case JP2_TOO_MANY_PIXELS: throw .tooManyPixels
        case JP2_NO_PIXELS: throw .empty
        case JP2_NO_START: throw .noStart
        case JP2_NO_END: throw .noEnd
        case JP2_DATA_BEHIND_END: throw .dataBehindEnd
        case JP2_TRUNCATED: throw .truncated
        case JP2_PRECISION: throw .precision
        case JP2_COLOURS: throw .colours
        case JP2_UNCOMMON: throw .uncommon
        case JP2_TOO_MUCH_MEMORY, JP2_BUFFER_TOO_SMALL: throw .tooMuchMemory
        default: throw .damaged
        }
    }

    private func check(av1 result: Int32) throws(PictureError) {
        switch av1_result(UInt32(result)) {
        case AV1_OK: return
        case AV1_TOO_MANY_PIXELS: throw .tooManyPixels
        case AV1_NO_START: throw .damaged
        case AV1_TRUNCATED: throw .truncated
        case AV1_SEVERAL_FRAMES: throw .animated
        case AV1_PRECISION: throw .precision
        case AV1_COLOURS: throw .colours
        case AV1_TOO_MUCH_MEMORY, AV1_BUFFER_TOO_SMALL: throw .tooMuchMemory
        default: throw .damaged
        }
    }
}
