import Foundation
import TestSupport
import Testing

@testable import Faces
@testable import Tuvali
@testable import Visit

/// The one question: what the shell is asked to do, in which order, and how often.
@Suite struct ActionTests {
    @Test func aRecordIsStoredBeforeItsLightAndTheLightComesBeforeTheWalletIsTold() throws {
        let test = try TestGate()
        try test.goodVisit()
        test.notesActions = true
        test.wait(50)
        // The report that ends the transfer, and the verdict.
        #expect(test.actions == ["store", "light", "verdict", "sign", "send", "send"])
        #expect(test.light == .accept && test.outcomes == [.accepted])
    }

    @Test func aMessageAsksOnceToBeVerifiedAndLast() throws {
        let test = try TestGate()
        try test.goodVisit(upTo: .sent)
        test.notesActions = true
        try test.visit(TestWallet(), [], from: .asked)
        #expect(test.isMessageOpened && test.actions.filter { $0 == "verify" }.count == 1 && test.actions.last == "verify")
        test.notesActions = true
        test.turn()
        #expect(test.actions.isEmpty && test.statuses.isEmpty)
    }

    @Test func theCameraIsOnFromIdentifyAndOffWhenTheWalletHasBeenTold() throws {
        var policy = Policy()
        policy.face = .required
        let test = try TestGate(policy: policy)
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(portrait: "data:image/jpeg;base64,/9j/4AAQ")), upTo: .exchanged)
        #expect(!test.wantsCamera)
        test.leave()
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(portrait: "data:image/jpeg;base64,/9j/4AAQ")))
        #expect(test.wantsCamera)
        test.notesActions = true
        test.wait(50)
        #expect(test.actions.filter { $0 != "send" } == ["compare", "light", "sign"])
        let number = try #require(test.takeFaceRequest()?.number)
        test.notesActions = true
        test.gate.faceDecided(FaceOutcome(decision: .bound(.above), frames: 3, compared: 3, isTrial: true), of: number, at: test.now)
        test.turn()
        #expect(test.actions == ["store", "light", "verdict", "send", "sign", "camera"])
        #expect(!test.wantsCamera && test.statuses == [[0]])
    }

    /// A slow disk's answer counts for the visit that it is about.
    @Test func onlyTheVisitsOwnRecordLetsAnybodyIn() throws {
        let test = try TestGate()
        test.shelf = .waits
        try test.goodVisit()
        test.wait(50)
        let record = try #require(test.take())
        for number in [0, record.visit - 1, record.visit + 1, .max] {
            test.gate.recordStored(true, of: number, at: test.now)
            test.turn()
            test.expectNoAccept()
        }
        test.stored(true)
        #expect(test.statuses == [[0]])
    }

    @Test func nothingIsToldTwice() throws {
        let test = try TestGate()
        for _ in 0..<3 {
            test.notesActions = true
            test.turn()
            #expect(test.actions.isEmpty)
        }
        test.gate.stop(at: test.now)
        test.turn()
        #expect(test.actions.filter { $0 == "stopped" }.count == 1 && test.isStopped)
    }

    // MARK: the table of deadlines

    /// The table in the comment on `Admission`, against the values that hold.
    @Test func theTableOfDeadlinesIsTrue() throws {
        let rows = try Self.rows()
        var seen = 0
        for (name, seconds) in rows {
            for step in 0..<4 as Range<UInt8> {
                let timing = SessionTiming().shortened(by: step)
                let values: [String: Double] = [
                    "identify": Double(timing.identify) / 1000, "idle": Double(timing.idle) / 1000, "quota": Double(timing.quota),
                    "progress": Double(timing.progress) / 1000, "transfer": Double(timing.transfer) / 1000,
                    "reportResend": Double(timing.reportResend) / 1000, "status": Double(timing.status) / 1000,
                    "afterStatus": Double(timing.afterStatus) / 1000, "afterDisconnect": Double(timing.afterDisconnect) / 1000,
                    "faceTime": Double(Policy().faceTime) / 1000,
                ]
                #expect(values[name] == seconds[Int(step)], "\(name), step \(step)")
                seen += 1
            }
        }
        #expect(seen == 40)
    }

    /// Name and four values of each row that says where it is set.
    private static func rows() throws -> [(name: String, seconds: [Double])] {
        let text = try String(contentsOfFile: Repository.root + "/Sources/Gate/Visit/Admission/Admission.swift", encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard line.hasPrefix("///     "), let last = words.last, last.contains("."), last.first?.isUppercase == true else { return nil }
            let seconds = words.dropLast().suffix(4).compactMap { Double($0) }
            return seconds.count == 4 ? (last.split(separator: ".").last.map(String.init) ?? "", seconds) : nil
        }
    }
}
