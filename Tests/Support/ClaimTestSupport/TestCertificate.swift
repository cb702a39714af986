import Cryptography
import Envelopes
import Foundation

/// The few encodings that a certificate is made of (X.690).
package enum TestDER {
    package static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        if count < 0x80 { return [tag, UInt8(count)] + contents }
        if count < 0x100 { return [tag, 0x81, UInt8(count)] + contents }
        return [tag, 0x82, UInt8(count >> 8), UInt8(count & 255)] + contents
    }

    package static func sequence(_ values: [UInt8]...) -> [UInt8] { value(0x30, values.flatMap { $0 }) }

    package static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        let significant = Array(magnitude.drop { $0 == 0 })
        return value(0x02, significant.isEmpty ? [0] : significant[0] < 0x80 ? significant : [0] + significant)
    }

    package static func identifier(_ dotted: String) -> [UInt8] {
        let numbers = dotted.split(separator: ".").compactMap { UInt64($0) }
        var octets: [UInt8] = []
        for number in [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2) {
            var digits = [UInt8(number & 0x7F)], rest = number >> 7
            while rest > 0 {
                digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            octets += digits
        }
        return value(0x06, octets)
    }

    package static func bits(_ octets: [UInt8], unused: UInt8 = 0) -> [UInt8] { value(0x03, [unused] + octets) }
    package static func boolean(_ isTrue: Bool) -> [UInt8] { value(0x01, [isTrue ? 0xFF : 0]) }

    package static func time(_ seconds: Seconds) -> [UInt8] {
        var parts = tm(), moment = time_t(seconds)
        gmtime_r(&moment, &parts)
        let text = String(
            format: "%04d%02d%02d%02d%02d%02dZ", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
            parts.tm_sec)
        return parts.tm_year < 150 ? value(0x17, Array(text.utf8.dropFirst(2))) : value(0x18, Array(text.utf8))
    }
}

/// A certificate put together piece by piece, so that each piece can be another one.
package struct TestCertificate {
    /// When tokens and certificates of tests are made, in seconds since 1970, unless they say otherwise.
    package static let issued: Seconds = 1_795_000_000

    package struct Part {
        package var identifier: String
        package var text: [UInt8]
        /// UTF8String, where it is not said.
        package var tag: UInt8 = 0x0C

        package init(_ identifier: String, _ text: String, tag: UInt8 = 0x0C) {
            (self.identifier, self.text, self.tag) = (identifier, Array(text.utf8), tag)
        }

        package var encoded: [UInt8] { TestDER.value(0x31, TestDER.sequence(TestDER.identifier(identifier), TestDER.value(tag, text))) }
    }

    package struct Extension {
        package var identifier: String
        package var isCritical = true
        package var contents: [UInt8]

        package init(identifier: String, isCritical: Bool = true, contents: [UInt8]) {
            (self.identifier, self.isCritical, self.contents) = (identifier, isCritical, contents)
        }

        package static func constraints(authority: Bool, pathLength: UInt8? = nil) -> Extension {
            let isAuthority = authority ? TestDER.boolean(true) : []
            return Extension(
                identifier: "2.5.29.19", contents: TestDER.sequence(isAuthority, pathLength.map { TestDER.integer([$0]) } ?? []))
        }

        /// keyCertSign and cRLSign.
        package static let signsCertificates = Extension(identifier: "2.5.29.15", contents: TestDER.bits([0x06], unused: 1))
        /// digitalSignature.
        package static let signs = Extension(identifier: "2.5.29.15", contents: TestDER.bits([0x80], unused: 7))

        package var encoded: [UInt8] {
            TestDER.sequence(
                TestDER.identifier(identifier), isCritical ? TestDER.boolean(true) : [], TestDER.value(0x04, contents))
        }
    }

    package var subject: [Part]
    package var issuer: [Part]
    package var info: [UInt8]
    package var serial: [UInt8] = [1, 2, 3]
    package var validity: ClosedRange<Seconds> = issued - 86_400...issued + 86_400
    package var extensions: [Extension] = []
    /// ecdsa-with-SHA256, -384, -512 end with 2, 3 and 4.
    package var algorithm = "1.2.840.10045.4.3.2"

    /// An authority's, or a claim's.
    package static func authority(
        _ name: String, _ key: TestKey, by issuer: String, pathLength: UInt8? = nil, serial: [UInt8] = [7]
    ) -> TestCertificate {
        TestCertificate(
            subject: [Part("2.5.4.3", name)], issuer: [Part("2.5.4.3", issuer)], info: key.info, serial: serial,
            extensions: [.constraints(authority: true, pathLength: pathLength), .signsCertificates])
    }

    package static func claim(_ parts: [Part], _ key: TestKey, by issuer: String, serial: [UInt8] = [9]) -> TestCertificate {
        TestCertificate(
            subject: parts, issuer: [Part("2.5.4.3", issuer)], info: key.info, serial: serial,
            extensions: [.constraints(authority: false)])
    }

    package var toBeSigned: [UInt8] {
        let list = extensions.flatMap(\.encoded)
        return TestDER.sequence(
            TestDER.value(0xA0, TestDER.integer([2])), TestDER.integer(serial), TestDER.sequence(TestDER.identifier(algorithm)),
            TestDER.value(0x30, issuer.flatMap(\.encoded)),
            TestDER.sequence(TestDER.time(validity.lowerBound), TestDER.time(validity.upperBound)),
            TestDER.value(0x30, subject.flatMap(\.encoded)), info,
            list.isEmpty ? [] : TestDER.value(0xA3, TestDER.value(0x30, list)))
    }

    package func signed(by key: TestKey) throws -> [UInt8] { try Self.signed(toBeSigned, algorithm, by: key) }

    package static func signed(_ toBeSigned: [UInt8], _ algorithm: String = "1.2.840.10045.4.3.2", by key: TestKey) throws -> [UInt8] {
        let raw = try key.sign(toBeSigned), width = key.curve.coordinateLength
        let signature = TestDER.sequence(TestDER.integer(Array(raw.prefix(width))), TestDER.integer(Array(raw.suffix(width))))
        return TestDER.sequence(toBeSigned, TestDER.sequence(TestDER.identifier(algorithm)), TestDER.bits(signature))
    }
}
