import CBOR
import Credentials
import TestSupport

/// Mutants of the codes that a sample can be held up in: of the text, of what base45 is around, of what zlib is around, and of the
/// credential inside.
struct CodeCampaign {
    enum Level: String, CaseIterable {
        case text, compressed, content, credential
    }

    let sample: Sample
    private let contents: [CodeContents]
    private(set) var tally = Tally()
    private(set) var places = 0
    private(set) var byLevel: [Level: Tally] = [:]
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    /// Nil where no code holds the sample.
    init?(_ sample: Sample) {
        self.sample = sample
        contents = CodeContents.all(of: sample)
        if contents.isEmpty { return nil }
        for level in Level.allCases { byLevel[level] = Tally() }
    }

    /// The codes themselves say what the sample says.
    func checkCodes() throws {
        for content in contents {
            let verdict = sample.verdict(code: pixelPass(content.octets))
            guard verdict.isAccept, sample.differences(verdict).isEmpty else {
                throw CheckFailed(
                    reason: "\(sample.name) as \(content.name) in a code: \(verdict.reasons.map(\.code)) \(sample.differences(verdict))")
            }
        }
    }

    private func check(_ text: [UInt8], _ how: @autoclosure () -> String) throws -> Verdict {
        let verdict = sample.verdict(code: text)
        let differences = sample.differences(verdict)
        guard differences.isEmpty else {
            throw Violation(sample: sample.name + " in a code", how: [how()], differences: differences, mutant: text)
        }
        return verdict
    }

    // MARK: Every place

    /// Places of one text that are tried one by one, evenly over a longer one: of a document, whose every mutant is read as JSON-LD, fewer
    /// of what is inside.
    private static let mostPlaces = 2500, mostOfDocument = 250

    mutating func sweep() throws {
        guard let content = contents.last else { return }
        let text = pixelPass(content.octets), compressed = deflated(content.octets, windowBits: 15, level: 9)
        func reach(_ octets: [UInt8], _ most: Int = Self.mostPlaces) -> StrideTo<Int> {
            stride(from: 0, to: octets.count, by: max(1, (octets.count + most - 1) / most))
        }
        for place in reach(text) {
            for step in [1, 7, 22] {
                var mutant = text
                let digit = Self.alphabet.firstIndex(of: mutant[place]) ?? 0
                mutant[place] = Self.alphabet[(digit + step) % Self.alphabet.count]
                try count(mutant, "character \(place)")
            }
            var mutant = text
            mutant.remove(at: place)
            try count(mutant, "without character \(place)")
        }
        for place in reach(compressed) {
            for bit in 0..<8 {
                var mutant = compressed
                mutant[place] ^= 1 << UInt8(bit)
                try count(base45(mutant), "bit \(bit) of compressed octet \(place)")
            }
        }
        for place in reach(content.octets, sample.form == .cwt ? Self.mostPlaces : Self.mostOfDocument) {
            for value in [content.octets[place] ^ 1, content.octets[place] &+ 1, content.octets[place] ^ 0x80, 0xF6] {
                var mutant = content.octets
                mutant[place] = value
                try count(pixelPass(mutant), "octet \(place) of \(content.name)")
            }
        }
    }

    private mutating func count(_ text: [UInt8], _ how: @autoclosure () -> String) throws {
        _ = try check(text, "sweep: " + how())
        places += 1
    }

    // MARK: At random

    mutating func run(_ count: Int, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let mutators = Mutator.all(for: sample)
        let lottery = mutators.indices.flatMap { Array(repeating: $0, count: mutators[$0].weight) }
        for _ in 0..<count {
            let level = random.one(of: Level.allCases) ?? .text
            guard let content = random.one(of: contents) else { return }
            let good = pixelPass(content.octets)
            var how = "\(level.rawValue) of \(content.name)"
            let text: [UInt8]
            switch level {
            case .text: text = Self.changed(good, Self.alphabet, &random)
            case .compressed:
                let compressed = deflated(content.octets, windowBits: 15, level: Int32(random.below(10)))
                text = base45(Self.changed(compressed, [], &random))
            case .content: text = pixelPass(Self.changed(content.octets, [], &random))
            case .credential:
                let document = random.one(of: sample.documents)
                var mutant = document.map { Mutant($0) } ?? Mutant(sample.message)
                for _ in 0...random.below(2) {
                    let mutator = mutators[random.one(of: lottery) ?? 0]
                    mutator.change(&mutant, &random, sample)
                    how += ", " + mutator.name
                }
                text = pixelPass((random.one(of: CodeContents.made(of: mutant.octets, sample.form)) ?? content).octets)
            }
            let verdict = try check(text, how)
            tally.count(verdict)
            byLevel[level]?.count(verdict)
            if text != good {
                tally.changed += 1
                byLevel[level]?.changed += 1
            }
        }
    }

    /// One to three octets replaced, inserted, removed, swapped, or a piece repeated or cut away.
    private static func changed(_ octets: [UInt8], _ alphabet: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var octets = octets
        func octet(_ random: inout SeededRandom) -> UInt8 {
            random.chance(90) ? random.one(of: alphabet) ?? random.octet() : random.octet()
        }
        for _ in 0...random.below(3) where !octets.isEmpty {
            let place = random.below(octets.count)
            switch random.below(7) {
            case 0: octets.insert(octet(&random), at: place)
            case 1: octets.remove(at: place)
            case 2: octets.swapAt(place, random.below(octets.count))
            case 3: octets.insert(contentsOf: octets[place..<min(octets.count, place + 12)], at: random.below(octets.count))
            case 4: octets[place] ^= 1 << UInt8(random.below(8))
            case 5 where random.chance(20): octets.removeSubrange(place...)
            default: octets[place] = octet(&random)
            }
        }
        return octets
    }
}
