import Devices
import Glibc

/// From a sign to the picture on the screen, against writing as many octets in one go. The framebuffer is a file in memory: what a panel's
/// own bus takes comes on top.
func benchScreen() {
    let uri = "OPENID4VP://connect?name=Gatehouse&key=8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    for (width, height) in [(800, 480), (1920, 1080)] {
        for words in [[], sheets()] {
            guard let geometry = FramebufferGeometry(width: width, height: height, stride: width * 4, bitsPerPixel: 32) else { continue }
            let path = "/dev/shm/gatehouse-bench.\(getpid())"
            let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            unlink(path)
            guard file >= 0, ftruncate(file, off_t(width * height * 4)) == 0 else { return print("screen: no file in memory") }
            let screen = FramebufferScreen(descriptor: file, geometry: geometry, words: words)
            let whole = [UInt8](repeating: 0x55, count: width * height * 4)
            do throws(ScreenError) {
                try screen.clear()
                try screen.show(uri)
            } catch { return print("screen: \(error)") }
            var turn = 0
            let (sign, floor) = medians(
                rounds: 21,
                {
                    turn += 1
                    try? screen.tell(turn % 2 == 0 ? Sign(.accepted) : Sign(.rejected, code: "issuer-unknown"), language: 0)
                }, { _ = whole.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) } })
            var percent: UInt8 = 0
            let bar = median(rounds: 21) {
                percent = percent == 100 ? 0 : percent + 5
                try? screen.tell(Sign(.receiving, percent: percent), language: 0)
            }
            print(
                "screen \(width)x\(height) \(words.isEmpty ? "without words" : "with words"): a verdict \(text(sign / 1e6)) ms, \(text(sign / floor)) times one write of all of it; a step of the bar \(text(bar / 1e6)) ms"
            )
        }
    }
}

/// English, where `make words` has made it.
private func sheets() -> [WordSheet] {
    do throws(WordFolderError) {
        return try WordFolder(".build/words").sheets(["en"])
    } catch {
        print("screen: no words: \(error) (make words)")
        return []
    }
}
