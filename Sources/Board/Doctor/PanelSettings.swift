/// What the peripheral at a panel is started with: `OSDP_OPTIONS` of the file that its units read (docs/osdp.md), by the rules of
/// `gatehouse-osdp` itself. The numbers of cards are looked at and not kept: a card with one of them opens doors.
struct PanelSettings: Equatable {
    /// Why `gatehouse-osdp` would refuse them, or should.
    enum Obstacle: Error, Equatable {
        case noOptions
        /// No option of its, or a word that is none.
        case unknown(String)
        case withoutValue(String)
        case unusable(String)
        case missing(String)
        /// Install mode at each start: no act of anybody at the board.
        case installs

        var sentence: String {
            switch self {
            case .noOptions: "has no OSDP_OPTIONS=, in which the options are"
            case .unknown(let word): "\(word) is no option"
            case .withoutValue(let option): "\(option) wants a value"
            case .unusable(let option): "\(option) cannot take what it is given"
            case .missing(let option): "\(option) is needed"
            case .installs: "--install would begin install mode at each start, and nobody at the board would have asked for it"
            }
        }
    }

    var line = ""
    /// Of the key; nil where the unit's own.
    var state: String?
    var output: String?
    var address: UInt64 = 0
    var rate: UInt64 = 9600
    var bits: UInt64 = 26
    /// The classes that have a card, and whether its facility wants 34 bits.
    private(set) var cards: [String: Bool] = [:]
    var isConfined = true

    static let rates: Set<UInt64> = [9600, 19_200, 38_400, 57_600, 115_200, 230_400]
    private static let cardClasses = ["accepted", "holder", "rejected"]
    private static let numbers: [String: ClosedRange<UInt64>] = [
        "--bits": 26...34, "--address": 0...126, "--rate": 9600...230_400, "--serial": 0...0xFFFF_FFFF, "--firmware": 0...0xFF_FFFF,
        "--priority": 0...99, "--install-time": 1...600,
    ]
    private static let names =
        numbers.keys.sorted() + ["--line", "--state", "--feed", "--card", "--output", "--confine", "--install", "--help"]

    /// - Parameter text: of an environment file (systemd.exec(5)): the last assignment counts.
    init(parsing text: String) throws(Obstacle) {
        guard let options = Self.options(in: text) else { throw .noOptions }
        var words = options.split { $0 == " " || $0 == "\t" }.map(String.init)[...]
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let option = try Self.option(parts[0])
            if option == "--install" || option == "--help" {
                guard parts.count == 1 else { throw .unusable(option) }
                throw option == "--install" ? .installs : .unusable(option)
            }
            guard let value = parts.count > 1 ? parts[1] : words.popFirst() else { throw .withoutValue(option) }
            try take(option, value)
        }
        guard !line.isEmpty else { throw .missing("--line") }
        guard Self.rates.contains(rate) else { throw .unusable("--rate") }
        guard bits == 26 || bits == 34 else { throw .unusable("--bits") }
        guard cards["accepted"] != nil else { throw .missing("--card accepted=") }
        guard bits == 34 || !cards.values.contains(true) else { throw .unusable("--card") }
    }

    private static func options(in text: String) -> String? {
        var found: String?
        var lines: [String] = []
        var goesOn = false
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let whole = goesOn ? (lines.popLast() ?? "") + part : String(part)
            goesOn = whole.hasSuffix("\\")
            lines.append(goesOn ? String(whole.dropLast()) : whole)
        }
        for line in lines {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard line.hasPrefix("OSDP_OPTIONS=") else { continue }
            var value = line.dropFirst("OSDP_OPTIONS=".count)
            while let last = value.last, last == " " || last == "\t" { value.removeLast() }
            if let quote = value.first, quote == "\"" || quote == "'", value.count > 1, value.last == quote {
                value = value.dropFirst().dropLast()
            }
            found = String(value)
        }
        return found
    }

    /// As getopt_long(3) knows them: by the beginning of the name too, where no other begins so.
    private static func option(_ word: String) throws(Obstacle) -> String {
        if names.contains(word) { return word }
        let beginning = word.hasPrefix("--") && word.count > 2 ? names.filter { $0.hasPrefix(word) } : []
        guard beginning.count == 1 else { throw .unknown(word) }
        return beginning[0]
    }

    private mutating func take(_ option: String, _ value: String) throws(Obstacle) {
        switch option {
        case "--line": line = value
        case "--state": state = value
        case "--output": output = value
        case "--feed": break
        case "--confine":
            guard value == "required" || value == "as-possible" else { throw .unusable(option) }
            isConfined = value == "required"
        case "--card": try takeCard(value)
        default:
            guard let range = Self.numbers[option], let number = Self.number(value), range.contains(number) else { throw .unusable(option) }
            switch option {
            case "--address": address = number
            case "--rate": rate = number
            case "--bits": bits = number
            default: break
            }
        }
    }

    private mutating func takeCard(_ text: String) throws(Obstacle) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, Self.cardClasses.contains(parts[0]) else { throw .unusable("--card") }
        let halves = parts[1].split(separator: ":", omittingEmptySubsequences: false).map { Self.number(String($0)) }
        guard halves.count == 2, let facility = halves[0], let number = halves[1], facility <= 0xFFFF, number <= 0xFFFF else {
            throw .unusable("--card")
        }
        cards[parts[0]] = facility > 0xFF
    }

    /// As strtoul(3) with base 0 reads it, from a digit on.
    private static func number(_ text: String) -> UInt64? {
        guard let first = text.utf8.first, (0x30...0x39).contains(first) else { return nil }
        if text.hasPrefix("0x") || text.hasPrefix("0X") { return UInt64(text.dropFirst(2), radix: 16) }
        return first == 0x30 && text.utf8.count > 1 ? UInt64(text, radix: 8) : UInt64(text)
    }
}
