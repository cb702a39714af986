import Glibc
import Testing
import VisionProtocol

@testable import Appliance

@Suite("A worker with the test matcher")
struct MatcherTests {
    @Test("says who its plug-in is, once its models are loaded")
    func hello() throws {
        let workers = try TestMatchers("test_matcher")
        let identity = try workers.worker.prepare()
        #expect(identity.id == "test-colour" && identity.version == "1.0" && identity.modelSHA256 == String(repeating: "0", count: 64))
        #expect(identity.referenceMinimum == 12 && !identity.checksAttacks)
        #expect(workers.worker.state == .idle && workers.worker.deadline == nil && workers.worker.starts == 1)
    }

    @Test("finds the face, measures it, and tells the same person from another")
    func comparison() throws {
        let workers = try TestMatchers("test_matcher")
        let reference = try workers.assess(.reference, .face(TestPicture.red))
        #expect(reference.status == 0 && reference.faces == 1 && reference.similarity == nil && reference.secondArea == 0)
        #expect(reference.width == 320 && reference.height == 240 && reference.face == FaceBox(x: 80, y: 60, width: 120, height: 120))
        #expect(reference.eyeDistance == 60 && reference.yaw == nil && reference.quality == nil)
        #expect((60...120).contains(reference.brightness) && reference.sharpness > 10)
        let same = try workers.assess(.probe, .face(TestPicture.red))
        #expect(same.status == 0 && same.similarity == 1 && same.attackScore == nil)
        let other = try #require(workers.assess(.probe, .face(TestPicture.blue)).similarity)
        #expect(other < 0.2)
        #expect(workers.worker.starts == 1)
    }

    @Test("finds nobody, and two")
    func otherNumbers() throws {
        let workers = try TestMatchers("test_matcher")
        #expect(try workers.assess(.reference, TestPicture()).status == 8)
        #expect(try workers.assess(.probe, .face(TestPicture.red)).status == FrameAssessment.Failure.noReference.rawValue)
        #expect(try workers.assess(.reference, .face(TestPicture.red)).status == 0)
        var two = TestPicture.face(TestPicture.red)
        two.draw(TestPicture.blue, left: 240, top: 60, side: 60)
        let assessment = try workers.assess(.probe, two)
        #expect(assessment.faces == 2 && assessment.secondArea == 0.25 && assessment.similarity == 1)
    }

    @Test("makes no template of a frame the gates refuse, and says what it found")
    func gates() throws {
        let gates = FrameGates(eyeDistance: 70, sharpness: 10, darkest: 20, brightest: 250, yaw: 20, pitch: 20, roll: 25, secondArea: 0.5)
        let workers = try TestMatchers("test_matcher") { $0.gates = gates }
        // They are of frames: a credential's portrait may be smaller.
        #expect(try workers.assess(.reference, .face(TestPicture.red)).status == 0)
        let small = try workers.assess(.probe, .face(TestPicture.red))
        #expect(small.status == 15 && small.similarity == nil && small.faces == 1 && small.flaw(by: gates) == .small)
        #expect(small.eyeDistance == 60 && (60...120).contains(small.brightness) && small.sharpness > 10)
        #expect(try workers.assess(.probe, .face(TestPicture.red, side: 160)).similarity == 1)
        var two = TestPicture(width: 640)
        two.draw(TestPicture.red, left: 80, top: 60, side: 160)
        two.draw(TestPicture.blue, left: 400, top: 60, side: 160)
        let several = try workers.assess(.probe, two)
        #expect(several.status == 15 && several.similarity == nil && several.showsSeveral(limit: 0.5))
        #expect(workers.worker.starts == 1)
    }

    @Test("a check for attacks sees every face, whatever the gates say")
    func gatesAndAttacks() throws {
        let workers = try TestMatchers("test_matcher_pad") {
            $0.gates = FrameGates(
                eyeDistance: 70, sharpness: 10, darkest: 20, brightest: 250, yaw: 20, pitch: 20, roll: 25, secondArea: 0.5)
        }
        let assessment = try workers.compare()
        #expect(assessment.status == 0 && assessment.attackScore != nil)
    }

    @Test("forgets the reference when told to, and when another one is no face")
    func forgetting() throws {
        let workers = try TestMatchers("test_matcher")
        #expect(try workers.compare().similarity == 1)
        #expect(try workers.worker.ask(.forget) == .forgotten)
        #expect(try workers.assess(.probe, .face(TestPicture.red)).status == FrameAssessment.Failure.noReference.rawValue)
        #expect(try workers.compare().similarity == 1)
        #expect(try workers.assess(.reference, TestPicture()).status == 8)
        #expect(try workers.assess(.probe, .face(TestPicture.red)).status == FrameAssessment.Failure.noReference.rawValue)
    }

    @Test("a picture that does not decode is no failure of the worker's")
    func undecodable() throws {
        let workers = try TestMatchers("test_matcher")
        let reply = try [UInt8](repeating: 0xFF, count: 1000).withUnsafeBytes { octets in
            try workers.worker.ask(.picture(.reference, PictureHeader(format: .jpeg)), octets)
        }
        guard case .assessment(.reference, let assessment) = reply else { return #expect(Bool(false), "\(reply)") }
        #expect(assessment.status == FrameAssessment.Failure.undecodable.rawValue)
        #expect(try workers.compare().similarity == 1)
        #expect(workers.worker.starts == 1)
    }

    @Test("a picture of 4 MiB arrives whole")
    func large() throws {
        let workers = try TestMatchers("test_matcher")
        var picture = TestPicture(width: 1360, height: 1024)
        picture.draw(TestPicture.red, left: 400, top: 400, side: 500)
        #expect(try workers.assess(.reference, picture).status == 0)
        #expect(try workers.assess(.probe, .face(TestPicture.red)).similarity == 1)
    }

    @Test("the check for attacks has its say, for frames alone")
    func attacks() throws {
        let workers = try TestMatchers("test_matcher_pad")
        #expect(try workers.worker.prepare().checksAttacks)
        #expect(try workers.compare().attackScore == -1)
        var shining = TestPicture.face(TestPicture.red)
        shining.fill((255, 255, 255), 0..<16, 0..<16)
        let attack = try workers.assess(.probe, shining)
        #expect(attack.attackScore == 1 && attack.similarity == 1)
        let reference = try workers.assess(.reference, shining)
        #expect(reference.status == 0 && reference.attackScore == nil)
    }
}
