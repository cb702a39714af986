import Devices
import Glibc
import Linux

/// The screen as the loop sees it: a code in, or none. A screen that is missing or goes away is waited for, like the controller.
public final class ScreenPanel {
    /// Nanoseconds from one look at the screen, or for it, to the next.
    static let pause: UInt64 = 1_000_000_000
    /// Nanoseconds for which words stand in one language, where there are several.
    static let turn: UInt64 = 4_000_000_000
    /// The same for what is shown for a few seconds only: two languages have to have their turn in them.
    static let shortTurn: UInt64 = 1_500_000_000

    private let open: () throws(ScreenError) -> any Screen
    private let report: (String) -> Void
    private var screen: (any Screen)?
    private var lastSaid: ScreenError?
    private var lastCaution: String?
    private var sign: Sign?
    /// The list that stands in the sign's place.
    private var verdicts: [VerdictLine]?
    /// Which of the screen's languages is shown, and until when; nil where it speaks one.
    private var language = 0
    private var turnAt: UInt64?
    private let languages: Int
    /// Modules of the largest code that will be shown, its quiet zone with it; nil where nobody says.
    private let largest: Int?
    private var isSmallSaid = false
    /// In nanoseconds of the monotonic clock.
    private var lookAt: UInt64

    /// Opens the screen at once; one that cannot be opened is reported, and tried again.
    ///
    /// - Parameters:
    ///   - languages: how many the screen speaks; they take turns.
    ///   - longest: octets of the longest of several codes; nil where one stands alone.
    ///   - open: makes the screen, opened and empty. Called again after it went away.
    ///   - report: takes one line for the person at the terminal.
    public init(
        now: UInt64 = Clock.monotonic(), languages: Int = 1, longest: Int? = nil, report: @escaping (String) -> Void,
        open: @escaping () throws(ScreenError) -> any Screen
    ) {
        self.open = open
        self.languages = languages
        largest = longest.map { QRCode.side(ofOctets: $0) + 2 * QRCode.quietZone }
        turnAt = languages > 1 ? now &+ Self.turn : nil
        self.report = report
        lookAt = now
        _ = passTime(now)
    }

    /// A screen that somebody else opened, and that is not opened again.
    public convenience init(_ screen: any Screen, report: @escaping (String) -> Void = { _ in }) {
        self.init(report: report, open: { () throws(ScreenError) in screen })
    }

    /// Whether what is shown can be seen; nil where there is no screen to show it on.
    public var isUp: Bool? {
        guard let screen else { return false }
        return screen.isSeen ? lastSaid == nil : nil
    }

    /// When `passTime` wants to be called; nil for a screen that cannot go away.
    public var nextLook: UInt64? {
        let look = screen.map(\.canVanish) == false && lastSaid == nil ? nil : lookAt
        guard let look, let turnAt else { return look ?? turnAt }
        return min(look, turnAt)
    }

    /// Looks whether the screen is still there, or there again.
    ///
    /// - Returns: whether a screen was opened, which is empty: what belongs on it has to be shown, and until then it is not up where it was
    ///   not before.
    public func passTime(_ now: UInt64) -> Bool {
        if let due = turnAt, now >= due {
            turnAt = now &+ Self.turn(of: sign)
            language = (language + 1) % languages
            if let sign, verdicts == nil { tell(sign, now: now) }
        }
        guard now >= lookAt else { return false }
        lookAt = now &+ Self.pause
        do throws(ScreenError) {
            if let screen, lastSaid.map(Self.isOfTheCode) ?? true {
                try screen.check()
                return screen.takeChange()
            }
            close()
            let opened = try open()
            // Whether it takes what is to be shown, `show` finds out.
            screen = opened
            if let sign { try opened.tell(sign, language: language) }
            if let verdicts { try opened.list(verdicts) }
            if let caution = opened.caution, caution != lastCaution { report(caution) }
            lastCaution = opened.caution
            sayWhetherSmall(opened)
            return true
        } catch {
            failed(error)
            return false
        }
    }

    /// Where a code that takes its turn will be too fine for phones, that is said when the screen is there, and not once it is shown.
    private func sayWhetherSmall(_ screen: any Screen) {
        guard let largest, let pixels = screen.pixels(ofModules: largest), pixels < 2, !isSmallSaid else { return }
        isSmallSaid = true
        report("the screen is too small for the code of a DIDComm invitation: its \(largest) modules would have \(pixels) pixels each")
    }

    /// Shows `uri` as a code; nothing shows nothing.
    ///
    /// - Parameter isOneOfSeveral: others take turns with it, and go on where it has no room.
    /// - Returns: false where the screen is well and has no room for the code.
    @discardableResult public func show(_ uri: UnsafeRawBufferPointer?, isOneOfSeveral: Bool = false) -> Bool {
        guard let screen else { return true }
        do throws(ScreenError) {
            if let uri { try screen.show(uri) } else { try screen.clearCode() }
            if lastSaid != nil { report("the screen is there") }
            lastSaid = nil
            return uri == nil || screen.hasRoom
        } catch {
            guard isOneOfSeveral, Self.isOfTheCode(error) else {
                failed(error)
                return !Self.isOfTheCode(error)
            }
            report("one of the codes is not shown, the others are: \(error)")
            return false
        }
    }

    /// Says `sign` beside the code, until another one.
    public func tell(_ sign: Sign, now: UInt64 = Clock.monotonic()) {
        if turnAt != nil, sign.kind != self.sign?.kind { turnAt = now &+ Self.turn(of: sign) }
        (self.sign, verdicts) = (sign, nil)
        guard let screen else { return }
        do throws(ScreenError) {
            try screen.tell(sign, language: language)
        } catch {
            failed(error)
        }
    }

    /// Shows these in the sign's place, until the next one.
    public func list(_ verdicts: [VerdictLine]) {
        self.verdicts = verdicts
        guard let screen else { return }
        do throws(ScreenError) {
            try screen.list(verdicts)
        } catch {
            failed(error)
        }
    }

    private static func turn(of sign: Sign?) -> UInt64 {
        switch sign?.kind {
        case .accepted, .rejected, .failed: shortTurn
        default: turn
        }
    }

    /// The screen is well, and has no room for this code: the sign says so.
    private static func isOfTheCode(_ error: ScreenError) -> Bool {
        switch error {
        case .tooSmall, .code: true
        default: false
        }
    }

    /// Leaves the screen black. Closing twice is allowed.
    public func close() {
        screen?.close()
        screen = nil
    }

    private func failed(_ error: ScreenError) {
        // What is on it now, nobody knows; opening it anew finds out what it has become.
        if !Self.isOfTheCode(error) { close() }
        // Once, not at every look.
        guard error != lastSaid else { return }
        lastSaid = error
        report("no code can be shown: \(error); it is tried again every second")
    }
}
