import BoardTestSupport
import CLinux
import Foundation
import Testing

@testable import Devices

// A camera of the kernel's is met in the test machine: Tests/Machine/guest/test_camera.py.

@Test("what is no camera is named, and nothing waits for it")
func noCameras() throws {
    let stage = Stage()
    stage.write([1, 2, 3], to: "file")
    try #require(mkfifo(stage.path("fifo"), 0o600) == 0)
    try #require(symlink("loop", stage.path("loop")) == 0)
    for (path, error) in [
        ("/dev/null", CameraError.notCamera), ("/dev/zero", .notCamera), (stage.path("file"), .notCamera), (stage.path("fifo"), .notCamera),
        (stage.folder, .notCamera), (stage.path("missing"), .notFound), (stage.path("file/x"), .notCamera), (stage.path("loop"), .linkLoop),
        ("", .notFound),
    ] {
        let camera = VideoCamera(path)
        #expect(throws: error) { try camera.start() }
        #expect(camera.descriptor == -1 && camera.mode == nil)
        #expect(throws: CameraError.off) { try take(camera) }
        camera.stop()
    }
}

@Test(
    "formats whose sizes cannot be are not used",
    arguments: [
        (video_format(pixels: UInt32(VIDEO_PIXELS_MJPEG), width: 640, height: 480, stride: 0, octets: 0), true),
        (video_format(pixels: UInt32(VIDEO_PIXELS_MJPEG), width: 0, height: 480, stride: 0, octets: 0), false),
        (video_format(pixels: UInt32(VIDEO_PIXELS_MJPEG), width: 640, height: 8193, stride: 0, octets: 0), false),
        (video_format(pixels: UInt32(VIDEO_PIXELS_YUYV), width: 640, height: 480, stride: 1280, octets: 614_400), true),
        (video_format(pixels: UInt32(VIDEO_PIXELS_YUYV), width: 640, height: 480, stride: 1344, octets: 0), true),
        (video_format(pixels: UInt32(VIDEO_PIXELS_YUYV), width: 640, height: 480, stride: 1279, octets: 614_400), false),
        (video_format(pixels: UInt32(VIDEO_PIXELS_YUYV), width: 640, height: 480, stride: .max, octets: 614_400), false),
        (video_format(pixels: UInt32(VIDEO_PIXELS_YUYV), width: 641, height: 480, stride: 1282, octets: 614_400), false),
        (video_format(pixels: UInt32(VIDEO_PIXELS_YUYV), width: 1920, height: 1080, stride: 3840, octets: 4_147_200), true),
        (video_format(pixels: UInt32(VIDEO_PIXELS_YUYV), width: 1920, height: 1200, stride: 3840, octets: 4_608_000), false),
        (video_format(pixels: UInt32(VIDEO_PIXELS_YUYV), width: .max, height: .max, stride: .max, octets: .max), false),
    ])
func usableFormats(format: video_format, isUsable: Bool) {
    #expect(VideoCamera.isUsable(format) == isUsable)
}

@Test("every request the camera makes is on the list of what may be asked")
func requests() {
    let requests = VideoCamera.requests
    #expect(requests.count == 10 && Set(requests).count == 10)
    // They are all of V4L2: 'V' in the second octet.
    #expect(requests.allSatisfy { ($0 >> 8) & 0xFF == 0x56 })
}
