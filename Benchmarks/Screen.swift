import Appliance
import Devices
import Door
import Glibc
import ResidentMemory
import Visit

/// From a verdict to the lamp and to the screen, against one write of as many octets; and what the words cost. The framebuffer is a file in
/// memory: what a panel's own bus takes comes on top.
func benchScreen() {
    // First: later the allocator has the memory already.
    benchWords()
    for (width, height) in [(800, 480), (1920, 1080)] {
        for words in [[], sheets()] { benchSigns(width, height, words) }
    }
    benchVerdict()
}

private let uri = "OPENID4VP://connect?name=Gatehouse&key=8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"

private func benchSigns(_ width: Int, _ height: Int, _ words: [WordSheet]) {
    guard let (screen, file) = framebuffer(width, height, words) else { return print("screen: no file in memory") }
    let whole = [UInt8](repeating: 0x55, count: width * height * 4)
    do throws(ScreenError) { try screen.show(uri) } catch { return print("screen: \(error)") }
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
    let lines = (0..<10).map { (number: UInt64) -> VerdictLine in
        let isAccepted = number % 2 == 0
        return VerdictLine(isAccepted: isAccepted, code: isAccepted ? nil : "issuer-unknown", seconds: number * 60)
    }
    let list = median(rounds: 5) { try? screen.list(lines) }
    print(
        "screen \(width)x\(height) \(words.isEmpty ? "without words" : "with words"): a verdict \(text(sign / 1e6)) ms, \(text(sign / floor)) times one write of all of it; a step of the bar \(text(bar / 1e6)) ms; the last ten verdicts \(text(list / 1e6)) ms"
    )
}

/// What the gate's display does when a verdict is reached, in its order: the lamp, the lock, and the screen last.
private func benchVerdict() {
    for (width, height) in [(800, 480), (1920, 1080)] {
        guard let (screen, _) = framebuffer(width, height, sheets()), let lamp = Lamp() else { return print("screen: no file in memory") }
        let display: GateDisplay
        do throws(LightsError) {
            display = GateDisplay(lights: try LightsPanel(lamp, report: { _ in }), screen: ScreenPanel(screen))
        } catch { return print("lamps: \(error)") }
        let door: DoorPanel
        do throws(DoorLinesError) {
            door = try DoorPanel(DoorSettings(), now: 0, report: { _ in }) { () throws(DoorLinesError) in try Lock() }
        } catch { return print("lock: \(error)") }
        try? screen.show(uri)
        var lit: [Double] = [], opened: [Double] = [], drawn: [Double] = []
        for round in 0..<21 {
            let isAccepted = round % 2 == 0, now = UInt64(round) * 4_000_000_000
            lit.append(
                median(rounds: 1) {
                    display.tell(isAccepted ? .accepted : .rejected(.trustChanged), now: now)
                    display.light = isAccepted ? .accept : .reject
                    display.showLight(closed: [], now: now)
                })
            opened.append(median(rounds: 1) { if isAccepted { door.admit(now: now) } })
            if isAccepted { door.passTime(now + 3_500_000_000) } else { opened.removeLast() }
            drawn.append(median(rounds: 1) { display.showSign(hint: nil, closed: [], now: now) })
        }
        let (lamps, lock, picture) = (lit.sorted()[10], opened.sorted()[5], drawn.sorted()[10])
        print(
            "from a verdict at \(width)x\(height) to the lit lamp \(text(lamps / 1e6, 3)) ms, to the open lock \(text((lamps + lock) / 1e6, 3)) ms, to the drawn screen \(text((lamps + lock + picture) / 1e6)) ms"
        )
    }
}

/// What is read at the start where the screen has words.
private func benchWords() {
    let before = residentMemory()
    let sheets = sheets()
    guard !sheets.isEmpty else { return }
    let held = residentMemory() - before
    let time = median(rounds: 9) { keep(WordFolder(".build/words").found(["en"]).sheets) }
    print("words of a language: \(text(time / 1e6)) ms at the start, \(held / 1024) kB of memory")
    withExtendedLifetime(sheets) {}
}

private func framebuffer(_ width: Int, _ height: Int, _ words: [WordSheet]) -> (FramebufferScreen, Int32)? {
    guard let geometry = FramebufferGeometry(width: width, height: height, stride: width * 4, bitsPerPixel: 32) else { return nil }
    let path = "/dev/shm/gatehouse-bench.\(getpid())"
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    unlink(path)
    guard file >= 0, ftruncate(file, off_t(width * height * 4)) == 0 else { return nil }
    return (FramebufferScreen(descriptor: file, geometry: geometry, words: words), file)
}

/// One system call, as a GPIO chip takes it.
private final class Lock: DoorLines {
    var inputs: DoorInputs { [] }
    var outputs: DoorOutputs { .lock }
    var descriptor: Int32? { nil }
    var canVanish: Bool { false }
    private let file: Int32

    init() throws(DoorLinesError) {
        file = open("/dev/null", O_WRONLY | O_CLOEXEC)
        if file < 0 { throw .system(errno: errno) }
    }

    func set(_ active: DoorOutputs) throws(DoorLinesError) {
        _ = withUnsafeBytes(of: active.rawValue) { write(file, $0.baseAddress, $0.count) }
    }

    func levels() throws(DoorLinesError) -> DoorInputs { [] }
    func nextEdge() throws(DoorLinesError) -> DoorEdge? { nil }
    func close() {}
    deinit { Glibc.close(file) }
}

/// One system call for all lamps, as a GPIO chip takes it.
private final class Lamp: Lights {
    var fitted: LampSet { .all }
    private let file: Int32

    init?() {
        file = open("/dev/null", O_WRONLY | O_CLOEXEC)
        if file < 0 { return nil }
    }

    func set(_ lit: LampSet) throws(LightsError) { _ = withUnsafeBytes(of: lit.rawValue) { write(file, $0.baseAddress, $0.count) } }
    func close() {}

    deinit { Glibc.close(file) }
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
