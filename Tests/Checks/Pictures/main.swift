import Glibc
import Pictures
import VisionProtocol

/// Decodes the picture on standard input as the worker does, for `Tests/Peers/oracles/test_pictures.py`:
/// `picture-check jpeg|png|webp|jp2|avif frame|portrait [wanted side]`. Writes a PPM, or the error's name and ends with 1.
let arguments = CommandLine.arguments
let formats: [String: PictureFormat] = ["jpeg": .jpeg, "png": .png, "webp": .webp, "jp2": .jp2, "avif": .avif]
guard arguments.count >= 3, let format = formats[arguments[1]],
    let limits = ["frame": PictureLimits.frame, "portrait": .portrait][arguments[2]]
else {
    print("usage: picture-check jpeg|png|webp|jp2|avif frame|portrait [wanted side]")
    exit(2)
}
var octets: [UInt8] = []
var piece = [UInt8](repeating: 0, count: 1 << 16)
while case let count = read(STDIN_FILENO, &piece, piece.count), count > 0 { octets += piece[..<count] }

let decoder = PictureDecoder(limits: limits, wantedSide: arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0)
let picture = Picture()
let failure: PictureError? = octets.withUnsafeBytes {
    do throws(PictureError) {
        try decoder.decode($0, as: format, into: picture)
        return nil
    } catch {
        return error
    }
}
if let failure {
    print(failure)
    exit(1)
}
write(Array("P6\n\(picture.width) \(picture.height)\n255\n".utf8))
picture.withPixels { write(Array($0)) }

func write(_ octets: [UInt8]) {
    var rest = octets[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        guard count > 0 else { exit(1) }
        rest = rest.dropFirst(count)
    }
}
