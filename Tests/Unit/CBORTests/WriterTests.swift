import CBOR
import TestSupport
import Testing

@Suite struct WriterTests {
    private func mistake(_ body: (inout CBORWriter) -> Void) -> CBORError.Reason? {
        do throws(CBORError) {
            _ = try CBORWriter.encode(body)
            return nil
        } catch {
            return error.reason
        }
    }

    private func random(_ generator: inout SeededRandom, depth: Int) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
        case 0:
            return .integer(
                Int64(bitPattern: UInt64.random(in: 0...(.max), using: &generator)) >> Int64.random(in: 0..<64, using: &generator))
        case 1: return .wide(UInt64.random(in: UInt64(Int64.max) + 1...(.max), using: &generator), false)
        case 2: return .bytes((0..<Int.random(in: 0..<300, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) })
        case 3:
            return .text(
                String(
                    String.UnicodeScalarView(
                        (0..<Int.random(in: 0..<30, using: &generator)).compactMap { _ in
                            Unicode.Scalar(UInt32.random(in: 0..<0x11_0000, using: &generator))
                        })))
        case 4: return .simple([0, 16, 19, 20, 21, 22, 23, 32, 255].randomElement(using: &generator) ?? 0)
        case 5: return .float(UInt64.random(in: 0...(.max), using: &generator) << UInt64.random(in: 0..<60, using: &generator))
        case 6: return .array((0..<Int.random(in: 0..<30, using: &generator)).map { _ in random(&generator, depth: depth - 1) })
        case 7:
            return .tag(
                UInt64.random(in: 0...(.max), using: &generator) >> UInt64.random(in: 0..<64, using: &generator),
                random(&generator, depth: depth - 1))
        default:
            var keys: Set<Int64> = []
            let pairs = (0..<Int.random(in: 0..<20, using: &generator)).compactMap { _ -> [Value]? in
                let key = Int64.random(in: -400...400, using: &generator)
                guard keys.insert(key).inserted else { return nil }
                return [key.isMultiple(of: 3) ? .text("k\(key)") : .integer(key), random(&generator, depth: depth - 1)]
            }
            return .map(pairs)
        }
    }

    /// The same value with the pairs of every map in one order.
    private func sorted(_ value: Value) -> Value {
        switch value {
        case .array(let values): .array(values.map(sorted))
        case .map(let pairs): .map(pairs.map { [$0[0], sorted($0[1])] }.sorted { "\($0[0])" < "\($1[0])" })
        case .tag(let number, let value): .tag(number, sorted(value))
        default: value
        }
    }

    @Test func roundTrip() throws {
        var generator = SeededRandom(seed: 1)
        for _ in 0..<1500 {
            let value = random(&generator, depth: 4)
            let bytes = try CBORWriter.encode { value.write(to: &$0) }
            let options = CBOROptions(form: .deterministic, items: 1_000_000)
            let item = try CBORDocument(parsing: bytes, options: options).root
            let back = Value(item)
            #expect(sorted(back) == sorted(value))
            #expect(try CBORWriter.encode { back.write(to: &$0) } == bytes)
            #expect(try CBORWriter.encode { $0.copy(item) } == bytes)
        }
    }

    @Test func keysAreSorted() throws {
        // The order of RFC 8949 section 4.2.1: 10, 100, -1, "z", "aa".
        let bytes = try CBORWriter.encode { writer in
            writer.map { map in
                map.entry("aa") { $0.integer(4) }
                map.entry(-1) { $0.integer(2) }
                map.entry("z") { $0.integer(3) }
                map.entry(100) { $0.integer(1) }
                map.entry(10) { $0.integer(0) }
            }
        }
        #expect(bytes == hex("a5 0a00 186401 2002 617a03 62616104"))
    }

    @Test func extremes() throws {
        #expect(try CBORWriter.encode { $0.integer(.min) } == hex("3b7fffffffffffffff"))
        #expect(try root("3b7fffffffffffffff").int64 == .min)
        #expect(try root("3b8000000000000000").int64 == nil)
        #expect(try root("1b8000000000000000").int64 == nil)
        #expect(try root("1b8000000000000000").uint64 == 1 << 63)
        #expect(try CBORWriter.encode { $0.integer(.max) } == hex("1b7fffffffffffffff"))
    }

    @Test func mistakes() {
        #expect(mistake { _ in } == .incomplete)
        #expect(
            mistake {
                $0.null()
                $0.null()
            } == .incomplete)
        #expect(mistake { $0.tag(1) } == .incomplete)
        #expect(
            mistake {
                $0.null()
                $0.tag(1)
            } == .incomplete)
        #expect(mistake { $0.array { $0.tag(1) } } == .incomplete)
        #expect(mistake { $0.map { $0.entry(1) { _ in } } } == .incomplete)
        #expect(
            mistake {
                $0.map {
                    $0.entry(1) {
                        $0.null()
                        $0.null()
                    }
                }
            } == .incomplete)
        #expect(
            mistake {
                $0.map {
                    $0.entry(1) { $0.null() }
                    $0.entry(1) { $0.null() }
                }
            } == .duplicateKey)
        #expect(
            mistake {
                $0.array {
                    $0.map {
                        $0.entry("a") { $0.null() }
                        $0.entry("a") { $0.null() }
                    }
                }
            } == .duplicateKey)
        #expect(mistake { $0.simple(24) } == .invalidSimple)
        #expect(
            mistake {
                $0.tag(1)
                $0.tag(2)
                $0.null()
            } == nil)
    }

    // MARK: Floats

    /// Every half is its own shortest form, and widens to what IEEE 754 says.
    @Test func everyHalf() throws {
        for bits in UInt16.min...UInt16.max {
            let bytes = [0xF9, UInt8(bits >> 8), UInt8(bits & 0xFF)]
            let float = try #require(try CBORDocument(parsing: bytes, options: .deterministic).root.float)
            let exponent = Int(bits >> 10 & 31), fraction = Double(bits & 1023)
            let sign: Double = bits & 0x8000 == 0 ? 1 : -1
            if exponent == 31 {
                #expect(fraction == 0 ? float.double == sign * .infinity : float.double.isNaN)
            } else {
                let expected =
                    exponent == 0
                    ? fraction * 0x1p-24 : (1 + fraction / 1024) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
                #expect(float.double.bitPattern == (sign * expected).bitPattern)
            }
            #expect(CBORFloat(shortest: float.double) == float)
        }
    }

    @Test func singles() {
        var generator = SeededRandom(seed: 754)
        for _ in 0..<50_000 {
            let single = Float(bitPattern: UInt32.random(in: 0...(.max), using: &generator) << UInt32.random(in: 0..<24, using: &generator))
            guard !single.isNaN else { continue }
            let float = CBORFloat(shortest: Double(single))
            #expect(float.width != .double && float.double == Double(single))
        }
        for double in [0x1p-149, 0x1p-126, Double(Float.greatestFiniteMagnitude), 0x1p-25, 65520, 0x1.002p0] {
            #expect(CBORFloat(shortest: double).width == .single)
        }
        for double in [0x1p-150, 0x1p128, 0x1.000001p0, 1.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude] {
            #expect(CBORFloat(shortest: double).width == .double)
        }
        for double in [0x1p-24, 0x1p-14, 65504, 0x1.004p0, 0, -0.0] { #expect(CBORFloat(shortest: double).width == .half) }
    }
}
