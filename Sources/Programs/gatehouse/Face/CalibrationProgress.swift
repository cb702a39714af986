import Glibc
import Linux

/// How far a calibration is, on standard error: hours of work that say nothing look like a hang. On a terminal one line, rewritten in place
/// at each reference; in a file a line at each tenth, of a hundred pictures or more.
struct CalibrationProgress {
    private let pictures: Int
    private let isTerminal = isatty(2) == 1
    private let began = Clock.monotonic()
    private let isQuiet: Bool
    private var tenths = 0

    init(pictures: Int) {
        self.pictures = pictures
        isQuiet = !isTerminal && pictures < 100
        report("\(pictures) pictures, \(pictures * (pictures - 1)) comparisons")
    }

    /// - Parameter done: references that have been compared with every other picture.
    mutating func pass(_ done: Int) {
        let now = done * 10 / max(1, pictures)
        guard isTerminal || now > tenths else { return }
        tenths = now
        let elapsed = Double(Clock.monotonic() - began) / 1e9, left = elapsed / Double(max(1, done)) * Double(pictures - done)
        report("\(done) of \(pictures) references compared" + (done < pictures ? ", about \(span(of: Int64(left.rounded(.up)))) left" : ""))
        if isTerminal, done == pictures { say("") }
    }

    private func report(_ line: String) {
        guard !isQuiet else { return }
        guard isTerminal else { return say("gatehouse: " + line) }
        Words.errors.write("\r\u{1B}[K" + line)
    }
}
