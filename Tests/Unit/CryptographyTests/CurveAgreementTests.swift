import Cryptography
import TestSupport
import Testing

@Suite struct CurveAgreementTests {
    struct Agreement: Sendable {
        let curve: NISTCurve
        let d: String, x: String, y: String
        let peerX: String, peerY: String
        let z: String
    }

    /// Made with Python's cryptography, which is libcrypto too: what they show is which number goes where, and how wide it is.
    static let agreements: [Agreement] = [
        .init(
            curve: .p256,
            d: "a088b5d6974b1079adced393e83019e47e808857ac76fce2080712946d0c0aa1",
            x: "18dcfe6f673385155a8c7c0df33c9169e4fb5f10510029e22fca7626e6d1ffa2",
            y: "e4ca1e211857da6feb8747de5b12ffebe68d10d53aee3a4a9466d545d6f42e41",
            peerX: "eccd9e2b1a0eb755b82bb48b7ce1ab0c68013b685932c07a3109da3fabab9455",
            peerY: "aaa00d275ad17d4a692b124e396cad70b5ae5e1631ce6d34f9be80034e792c71",
            z: "178e39179c943e697385f70555f47b610a6f5a13768f73d4e6bd2094acb317d2"),
        .init(
            curve: .p384,
            d: "e2366c114750385d8bacb4ebdaab6b4b26ca55cf9c6470476f68a7c3ad2000e43901296b170a4a6cab49751c67703002",
            x: "86ad297cf3d8da2ad968d97b66fc9f1f149cc483c5f128110581017b45eea5fe8d83f5994abb0cb7aabdfa3242ad5322",
            y: "11047ee494adb078bab3624209b39387c878b08d552486b78801a64512324d32ff237b8e05cc5a80257da61941aa8dde",
            peerX: "e2e5379af7c42c5d0f097a504bf99c7a9bdcf632553316334fdf7d17ec252adc1125542b9e6f88d8692c1db058b52bd1",
            peerY: "88649f5ed2fab4d445dcf773d366b6c0411524a0e2e0bca85b982c741ce8f9cd6cf015a7024e74138f9a6596254691d9",
            z: "94902868b369abdb9248cbd9e7b7df44e13c488ec8995ea06324263971a506ec7bd8c1e7c4f4196df5ee3a7426024a9a"),
        .init(
            curve: .p521,
            d: """
                00f39406a1e6bfe79e892804c189dc25ba98ee74fd3996195c71d0bad9b808375a6fc43785c311e2903b6b81453013d74976
                a7a768aaed3bcc58569ef162da95526c
                """,
            x: """
                003049e7691f352ffdea437086d901430f8f1692c10a14cc1c162ffb020cef051f34453ff06ff0b80c33845374fdd2ee6d63
                3c7c72628aee94f81647c94fbc129ebc
                """,
            y: """
                001a65ea0a8ad8834d9e842ccddc66ebb5ef28e8e2ad74cb5156f4363ad0e7fdbdf98e6104479e3cfbeeda79dadd91da36b8
                337f04955492eb97ced82ddc60233d25
                """,
            peerX: """
                0100e5b77f19a5910188a16bd9a16daba31c532736730e2230da2a0d2c1cea8ca8cee20f56ed2fb9a891b59e315a8c789295
                da243b842479659ef5ea1de7745be02d
                """,
            peerY: """
                01d2e841e3c02e2c1d5b58a5ac5b24b1cc2fd919971b0568c0addfb0abc1553a836fbef2a7a96924e688606454e06ebdaceb
                ef4a64382a4dc927fe00439aebd0cb86
                """,
            z: """
                011a77570adada34b720c59ec4eb3b8564baaedc1608507e172f9018e911b2b1f88f0399dd6f06f4ea6c17b6794956fea135
                099521f36dc0c758f6041ea244810294
                """),
        // A secret that begins with a zero keeps its width.
        .init(
            curve: .p256,
            d: "24522faa95acd0a1190ba4b2834c4d225aa035f5e58e72992668762f91d5ecd7",
            x: "40cb84296442784b7bfdde3aa1fc6be1464904bdf5180a6d7c3ad5640f3cfec2",
            y: "6328b699eaa4ae54e08afd5b1050f89116d92f2a9c7c07b70ab0a39187894210",
            peerX: "306aa405b79888f0d613331be1d4002250da014639360580409293973845f803",
            peerY: "aefd862bbdab7fd5926db7975cacf9a7e8cec2ec1d8d21f6c8eefb94a38c65cb",
            z: "00e0c767540a0ceb7935a9e60870ad994f32f78ec9aba7f8039ead8583ce814e"),
    ]

    static func point(_ agreement: Agreement) throws -> CurvePoint {
        let x = hex(agreement.peerX), y = hex(agreement.peerY)
        return try CurvePoint(agreement.curve, x: x.span, y: y.span)
    }

    @Test(arguments: agreements) func aKnownPairAgrees(_ known: Agreement) throws {
        let d = hex(known.d)
        let pair = try CurveAgreement(known.curve, privateKey: d.span)
        #expect(pair.curve == known.curve)
        #expect(pair.point == [4] + hex(known.x) + hex(known.y))
        let secret = try pair.agree(with: try Self.point(known))
        #expect(array(secret) == hex(known.z))
        #expect(secret.count == known.curve.coordinateLength)
    }

    @Test(arguments: NISTCurve.allCases) func freshPairsDifferAndAgree(_ curve: NISTCurve) throws {
        let one = try CurveAgreement(curve), other = try CurveAgreement(curve)
        #expect(one.point.count == curve.pointLength && one.point != other.point)
        let first = try one.agree(with: try Self.halves(other.point, curve))
        let second = try other.agree(with: try Self.halves(one.point, curve))
        #expect(array(first) == array(second))
    }

    static func halves(_ point: [UInt8], _ curve: NISTCurve) throws -> CurvePoint {
        let x = Array(point[1...curve.coordinateLength]), y = Array(point[(1 + curve.coordinateLength)...])
        return try CurvePoint(curve, x: x.span, y: y.span)
    }

    @Test(arguments: agreements) func aCompressedPointIsTheSame(_ known: Agreement) throws {
        let x = hex(known.peerX), isOdd = hex(known.peerY).last.map { $0 & 1 == 1 } ?? false
        let whole = try Self.point(known)
        #expect(try CurvePoint(known.curve, x: x.span, isOdd: isOdd) == whole)
        #expect(try CurvePoint(known.curve, x: x.span, isOdd: !isOdd) != whole)
    }

    @Test(arguments: agreements) func aPointBesideTheCurveIsRefused(_ known: Agreement) throws {
        let x = hex(known.peerX), zero = [UInt8](repeating: 0, count: known.curve.coordinateLength)
        var y = hex(known.peerY)
        y[y.count - 1] ^= 1
        #expect(failure { () throws(CryptographyError) in _ = try CurvePoint(known.curve, x: x.span, y: y.span) } == .malformedKey)
        #expect(failure { () throws(CryptographyError) in _ = try CurvePoint(known.curve, x: zero.span, y: zero.span) } == .malformedKey)
        // Not below the prime.
        let big = [UInt8](repeating: 0xFF, count: known.curve.coordinateLength)
        #expect(failure { () throws(CryptographyError) in _ = try CurvePoint(known.curve, x: big.span, isOdd: false) } == .malformedKey)
    }

    @Test(arguments: agreements) func everyOtherWidthIsRefused(_ known: Agreement) throws {
        let y = hex(known.peerY)
        for length in 0...70 where length != known.curve.coordinateLength {
            let short = [UInt8](repeating: 1, count: length)
            let refusals = [
                failure { () throws(CryptographyError) in _ = try CurvePoint(known.curve, x: short.span, y: y.span) },
                failure { () throws(CryptographyError) in _ = try CurvePoint(known.curve, x: y.span, y: short.span) },
                failure { () throws(CryptographyError) in _ = try CurvePoint(known.curve, x: short.span, isOdd: true) },
                failure { () throws(CryptographyError) in _ = try CurveAgreement(known.curve, privateKey: short.span) },
            ]
            #expect(refusals.allSatisfy { $0 == .wrongLength }, "\(length)")
        }
    }

    /// 0, and everything from the order on, is no private key.
    @Test(arguments: NISTCurve.allCases) func numbersThatAreNoKeyAreRefused(_ curve: NISTCurve) {
        for octet in [UInt8(0), 0xFF] {
            let number = [UInt8](repeating: octet, count: curve.coordinateLength)
            let error = failure { () throws(CryptographyError) in _ = try CurveAgreement(curve, privateKey: number.span) }
            #expect(error == .malformedKey)
        }
    }

    @Test func aForgottenKeyAgreesWithNobody() throws {
        var pair = try CurveAgreement(.p256)
        let peer = try Self.point(Self.agreements[0])
        pair.forget()
        #expect(pair.point.count == 65)
        do throws(CryptographyError) {
            _ = try pair.agree(with: peer)
            Issue.record("agreed without a key")
        } catch {
            #expect(error == .keyForgotten)
        }
    }

    @Test func curvesAreNotMixed() throws {
        let pair = try CurveAgreement(.p256), peer = try Self.point(Self.agreements[1])
        do throws(CryptographyError) {
            _ = try pair.agree(with: peer)
            Issue.record("agreed over two curves")
        } catch {
            #expect(error == .algorithmMismatch)
        }
    }
}
