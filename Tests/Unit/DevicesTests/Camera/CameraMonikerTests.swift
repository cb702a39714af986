import Testing

@testable import Devices

@Test func cameraMonikers() throws {
    #expect(try CameraMoniker("v4l2:/dev/video0") == .video(path: "/dev/video0", VideoMode()))
    #expect(try CameraMoniker("v4l2:/dev/video2,1280x720") == .video(path: "/dev/video2", VideoMode(size: .init(width: 1280, height: 720))))
    #expect(
        try CameraMoniker("v4l2:/dev/video2,320x240,5")
            == .video(path: "/dev/video2", VideoMode(size: .init(width: 320, height: 240), rate: 5)))
    #expect(try CameraMoniker("cmd:rpicam-vid -t 0 --roi 0,0,1,1 -o -") == .command("rpicam-vid -t 0 --roi 0,0,1,1 -o -"))
    #expect(try CameraMoniker("dir:/srv/faces") == .folder(path: "/srv/faces", rate: 10))
    #expect(try CameraMoniker("dir:/srv/faces,30") == .folder(path: "/srv/faces", rate: 30))
    #expect(try CameraMoniker("file:/srv/one.jpg") == .file(path: "/srv/one.jpg", rate: 10))
    #expect(try CameraMoniker("file:/srv/film.mjpeg,25") == .file(path: "/srv/film.mjpeg", rate: 25))
    #expect(try CameraMoniker("stdin:") == .standardInput)
}

@Test(arguments: [
    ("v4l2:", MonikerError.missing("path")), ("v4l2:,640x480", .missing("path")), ("v4l2:/dev/video0,", .unexpected("")),
    ("v4l2:/dev/video0,640", .unexpected("640")), ("v4l2:/dev/video0,x480", .badNumber("")), ("v4l2:/dev/video0,640x", .badNumber("")),
    ("v4l2:/dev/video0,0x480", .badNumber("0x480")), ("v4l2:/dev/video0,640x8193", .badNumber("8193")),
    ("v4l2:/dev/video0,640x-1", .badNumber("-1")), ("v4l2:/dev/video0,640x480x3", .badNumber("480x3")),
    ("v4l2:/dev/video0,640x480,", .badNumber("")), ("v4l2:/dev/video0,640x480,0", .badNumber("0")),
    ("v4l2:/dev/video0,640x480,121", .badNumber("121")), ("v4l2:/dev/video0,640x480,15,1", .badNumber("15,1")),
    ("v4l2:/dev/video0,99999999999999999999x1", .badNumber("99999999999999999999")),
    ("cmd:", .missing("command")), ("cmd:  ", .missing("command")), ("dir:", .missing("path")), ("dir:,5", .missing("path")),
    ("dir:/srv,0", .badNumber("0")), ("dir:/srv,fast", .badNumber("fast")), ("dir:/srv,", .badNumber("")), ("file:", .missing("path")),
    ("file:/srv/x,", .badNumber("")), ("stdin:x", .unexpected("x")), ("hci:0", .unknownScheme("hci", known: CameraMoniker.schemes)),
    ("video0", .noScheme("video0")),
    ("cmd:a\nb", .unexpected("cmd:a\nb")),
])
func badCameraMonikers(text: String, error: MonikerError) {
    #expect(throws: error) { try CameraMoniker(text) }
}

@Test("every camera error says something to the operator")
func cameraSentences() {
    let errors: [CameraError] = [
        .notFound, .notPermitted, .busy, .notCamera, .noUsableFormat, .notResponding, .noBandwidth,
        .wrongKind, .linkLoop, .noPictures, .tooManyPictures, .notPipe,
        .noCommand, .unplugged, .ended, .off, .system(.read, errno: 5),
    ]
    #expect(Set(errors.map(\.sentence)).count == errors.count)
}
