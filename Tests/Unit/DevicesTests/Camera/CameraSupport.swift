import BoardTestSupport
import Foundation

@testable import Devices

/// The smallest octets that are framed like a JPEG: an application segment that says which one it is, and a scan of `scan` octets.
func jpeg(_ number: UInt8, scan: Int = 8) -> [UInt8] {
    // The segment holds an end marker, as a thumbnail does.
    let segment: [UInt8] = [0xFF, 0xE0, 0, 8, number, 0xFF, 0xD8, 0xFF, 0xD9, number]
    return [0xFF, 0xD8] + segment + [0xFF, 0xDA, 0, 2] + [UInt8](repeating: number & 0x7F, count: scan) + [0xFF, 0xD9]
}

/// A PNG as far as anybody here looks.
let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

/// What a source gave: the octets, and what it said of them.
struct TakenFrame: Equatable {
    var header: FrameHeader
    var octets: [UInt8]
}

/// What there is now.
func take(_ source: any FrameSource) throws(CameraError) -> TakenFrame? {
    var taken: TakenFrame?
    let isTaken = try source.takeFrame { taken = TakenFrame(header: $0, octets: Array($1)) }
    return isTaken ? taken : nil
}

/// Waits for so many pictures, or for the error.
func take(_ count: Int, of source: any FrameSource) throws -> [TakenFrame] {
    var all: [TakenFrame] = []
    for _ in 0..<1000 where all.count < count {
        if source.descriptor >= 0 { _ = awaitReadable(source.descriptor) }
        if let frame = try take(source) { all.append(frame) }
    }
    return all
}

/// The error that comes sooner or later.
func error(of source: any FrameSource) -> CameraError? {
    do {
        _ = try take(1000, of: source)
        return nil
    } catch {
        return error as? CameraError
    }
}
