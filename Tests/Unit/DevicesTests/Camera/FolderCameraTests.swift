import BoardTestSupport
import Foundation
import Testing

@testable import Devices

/// Fast, so that nobody waits.
private func folder(_ stage: Stage) -> FolderCamera { FolderCamera(stage.folder, rate: 120) }

@Test("the pictures of a folder come in the order of their names, again and again, and nothing else does")
func picturesInOrder() throws {
    let stage = Stage()
    stage.write(jpeg(2), to: "b.JPG")
    stage.write(jpeg(1), to: "a.jpeg")
    stage.write(png, to: "c.png")
    for name in ["note.txt", "jpg", ".jpg.part", "d.jpg.bak"] { stage.write(jpeg(9), to: name) }
    let camera = folder(stage)
    #expect(camera.descriptor == -1)
    try camera.start()
    defer { camera.stop() }
    let frames = try take(7, of: camera)
    #expect(frames.map(\.octets) == [jpeg(1), jpeg(2), png, jpeg(1), jpeg(2), png, jpeg(1)])
    #expect(frames.map(\.header.format) == [.jpeg, .jpeg, .png, .jpeg, .jpeg, .png, .jpeg])
    #expect(frames.map(\.header.sequence) == [0, 1, 2, 3, 4, 5, 6])
    #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.header.captured < $1.header.captured })
    #expect(camera.dropped == DroppedFrames())
}

@Test("one picture a tick, and none before")
func onePictureATick() throws {
    let stage = Stage()
    stage.write(jpeg(1), to: "a.jpg")
    let camera = FolderCamera(stage.folder, rate: 1)
    try camera.start()
    #expect(awaitReadable(camera.descriptor))
    #expect(try take(camera) != nil)
    #expect(try take(camera) == nil)
    #expect(try take(camera) == nil)
}

@Test("a folder that is none is refused by its own name")
func noFolder() throws {
    let stage = Stage()
    #expect(throws: CameraError.noPictures) { try folder(stage).start() }
    stage.write(jpeg(1), to: "a.jpg")
    #expect(throws: CameraError.wrongKind) { try FolderCamera(stage.path("a.jpg"), rate: 9).start() }
    #expect(throws: CameraError.notFound) { try FolderCamera(stage.path("missing"), rate: 9).start() }
    #expect(symlink(stage.path("loop"), stage.path("loop")) == 0)
    #expect(throws: CameraError.linkLoop) { try FolderCamera(stage.path("loop"), rate: 9).start() }
    #expect(mkfifo(stage.path("fifo"), 0o600) == 0)
    #expect(throws: CameraError.wrongKind) { try FolderCamera(stage.path("fifo"), rate: 9).start() }
    let camera = folder(stage)
    #expect(throws: CameraError.off) { try take(camera) }
}

@Test("a folder that may not be read says so", .enabled(if: geteuid() != 0, "root may read everything"))
func folderNotPermitted() throws {
    let stage = Stage()
    stage.write(jpeg(1), to: "a.jpg")
    chmod(stage.folder, 0)
    defer { chmod(stage.folder, 0o700) }
    #expect(throws: CameraError.notPermitted) { try folder(stage).start() }
}

@Test("more names than are looked at are refused")
func tooManyNames() throws {
    let stage = Stage()
    for number in 0...FolderCamera.mostPictures { stage.write([], to: "\(number).jpg") }
    #expect(throws: CameraError.tooManyPictures) { try folder(stage).start() }
}

@Test("files that change while the folder plays are passed over, and nothing waits for them")
func changingFiles() throws {
    let stage = Stage()
    for number: UInt8 in 1...8 { stage.write(jpeg(number), to: "\(number).jpg") }
    let camera = folder(stage)
    try camera.start()
    defer { camera.stop() }
    #expect(try take(1, of: camera).map(\.octets) == [jpeg(1)])
    unlink(stage.path("2.jpg"))
    stage.write([], to: "3.jpg")
    stage.write([UInt8](repeating: 0x20, count: 100), to: "4.jpg")
    stage.write(jpeg(5, scan: 1 << 20), to: "5.jpg")
    unlink(stage.path("6.jpg"))
    #expect(mkfifo(stage.path("6.jpg"), 0o600) == 0)
    unlink(stage.path("7.jpg"))
    #expect(symlink("7.jpg", stage.path("7.jpg")) == 0)
    stage.write(jpeg(99, scan: 500), to: "8.jpg")
    #expect(try take(3, of: camera).map(\.octets) == [jpeg(99, scan: 500), jpeg(1), jpeg(99, scan: 500)])
    let dropped = camera.dropped
    #expect(dropped.empty == 2 && dropped.malformed == 2 && dropped.tooLarge == 2 && dropped.unreadable == 6)
}

@Test("a picture of 1 MiB is let through, one of an octet more is not")
func largestPicture() throws {
    let stage = Stage()
    let spare = FrameLimits.encoded - jpeg(1, scan: 0).count
    stage.write(jpeg(1, scan: spare), to: "1.jpg")
    stage.write(jpeg(2, scan: spare + 1), to: "2.jpg")
    let camera = folder(stage)
    try camera.start()
    #expect(try take(2, of: camera).map(\.octets.count) == [FrameLimits.encoded, FrameLimits.encoded])
    #expect(camera.dropped.tooLarge == 1)
}

@Test("short octets are not completed by what another picture left")
func shortPicture() throws {
    let stage = Stage()
    stage.write(jpeg(1), to: "1.jpg")
    stage.write([0xFF, 0xD8, 0xFF], to: "2.jpg")
    let camera = folder(stage)
    try camera.start()
    #expect(try take(3, of: camera).map(\.octets) == [jpeg(1), jpeg(1), jpeg(1)])
    #expect(camera.dropped.malformed == 2)
}

@Test("when no file will do any more, the source is off with the reason, and can be switched on again")
func nothingLeft() throws {
    let stage = Stage()
    for number: UInt8 in 1...40 { stage.write(jpeg(number), to: "\(number).jpg") }
    let camera = folder(stage)
    try camera.start()
    #expect(try take(1, of: camera).count == 1)
    for number in 1...40 { unlink(stage.path("\(number).jpg")) }
    #expect(error(of: camera) == .notFound)
    #expect(camera.descriptor == -1)
    #expect(throws: CameraError.off) { try take(camera) }
    #expect(throws: CameraError.noPictures) { try camera.start() }
    for number in 1...3 { stage.write([], to: "\(number).jpg") }
    try camera.start()
    #expect(error(of: camera) == .noPictures)
    stage.write(jpeg(7), to: "1.jpg")
    try camera.start()
    #expect(try take(1, of: camera).map(\.octets) == [jpeg(7)])
    camera.stop()
    camera.stop()
    #expect(camera.descriptor == -1)
}

// MARK: file:

@Test("the JPEGs of a file come one a tick, and begin again at its end; one alone is repeated")
func filesPlay() throws {
    let stage = Stage()
    stage.write(jpeg(1) + jpeg(2, scan: 100_000) + [0, 0, 0] + jpeg(3), to: "film.mjpeg")
    let film = FileCamera(stage.path("film.mjpeg"), rate: 120)
    try film.start()
    let frames = try take(7, of: film)
    #expect(frames.map { $0.octets[6] } == [1, 2, 3, 1, 2, 3, 1])
    #expect(frames[1].octets == jpeg(2, scan: 100_000))
    #expect(frames.map(\.header.sequence) == [0, 1, 2, 3, 4, 5, 6])
    stage.write(jpeg(4), to: "one.jpg")
    let one = FileCamera(stage.path("one.jpg"), rate: 120)
    try one.start()
    #expect(try take(3, of: one).map(\.octets) == [jpeg(4), jpeg(4), jpeg(4)])
}

@Test("what is cut short at the end of a file is not made whole by its beginning")
func cutFile() throws {
    let stage = Stage()
    // In the scan, and in a segment, which has a length that goes on.
    for length in [jpeg(2).count - 2, 10] {
        stage.write(jpeg(1) + jpeg(2).prefix(length), to: "film.mjpeg")
        let film = FileCamera(stage.path("film.mjpeg"), rate: 120)
        try film.start()
        #expect(try take(3, of: film).map(\.octets) == [jpeg(1), jpeg(1), jpeg(1)])
    }
}

@Test("a file without a picture, and what is no file, are refused by name")
func noFile() throws {
    let stage = Stage()
    stage.write([], to: "empty")
    stage.write([UInt8](repeating: 0xFF, count: 3_000_000), to: "garbage")
    stage.write(Array(jpeg(1).dropLast()), to: "cut")
    #expect(throws: CameraError.notFound) { try FileCamera(stage.path("missing"), rate: 120).start() }
    #expect(throws: CameraError.wrongKind) { try FileCamera(stage.folder, rate: 120).start() }
    #expect(throws: CameraError.wrongKind) { try FileCamera("/dev/zero", rate: 120).start() }
    #expect(mkfifo(stage.path("fifo"), 0o600) == 0)
    #expect(throws: CameraError.wrongKind) { try FileCamera(stage.path("fifo"), rate: 120).start() }
    #expect(throws: CameraError.noPictures) { try FileCamera(stage.path("empty"), rate: 120).start() }
    for name in ["garbage", "cut"] {
        let camera = FileCamera(stage.path(name), rate: 120)
        try camera.start()
        #expect(error(of: camera) == .noPictures)
        #expect(camera.descriptor == -1)
        #expect(throws: CameraError.off) { try take(camera) }
    }
}

@Test("a file that becomes empty while it plays is an error, not a loop")
func vanishingFile() throws {
    let stage = Stage()
    stage.write(jpeg(1), to: "film")
    let camera = FileCamera(stage.path("film"), rate: 120)
    try camera.start()
    #expect(try take(2, of: camera).count == 2)
    truncate(stage.path("film"), 0)
    #expect(error(of: camera) == .noPictures)
}
