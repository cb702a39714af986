import Testing
import Trust

@testable import Faces
@testable import Visit

/// A supervisor's key, which stands for one visitor's face and for nothing else; and when a lock is told to open.
@Suite("Supervisor and lock") struct SupervisorTests {
    private static let photo = "data:image/jpeg;base64,/9j/4AAQ"

    private func gate(_ face: Policy.Face = .required, allows: Bool = true) throws -> TestGate {
        var policy = Policy()
        policy.face = face
        policy.allowsSupervisor = allows
        return try TestGate(policy: policy)
    }

    @discardableResult
    private func turnKey(_ test: TestGate) -> Bool {
        let isArmed = test.gate.supervise(at: test.now)
        test.turn()
        return isArmed
    }

    private func visit(_ test: TestGate, portrait: String? = photo) throws {
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(portrait: portrait)))
        test.wait(50)
    }

    @Test("one visit needs no face, with or without a photo, and its record says why", arguments: [photo, nil])
    func once(portrait: String?) throws {
        let test = try gate()
        #expect(turnKey(test))
        try visit(test, portrait: portrait)
        #expect(test.takeFaceRequest() == nil)
        #expect(test.statuses == [[0]] && test.outcomes == [.accepted])
        #expect(test.verdicts == [true])
        let record = try #require(test.records.first)
        #expect(record.isHolderBound == false && record.notes == ["holder-not-bound", "supervisor"] && record.face == nil)
        #expect(test.supervisorNews == [.armed, .used])
        test.leave()
        // The next visitor has a face again.
        test.waitForLights()
        try visit(test)
        #expect(test.takeFaceRequest() != nil)
        #expect(test.verdicts == [true])
    }

    @Test("where the site does not allow it, or nobody's face is asked for, the key is nothing")
    func notAllowed() throws {
        let strict = try gate(allows: false)
        #expect(!turnKey(strict))
        try visit(strict)
        #expect(strict.takeFaceRequest() != nil && strict.supervisorNews == [] && strict.verdicts == [])
        let open = try gate(.off)
        #expect(!turnKey(open))
        try visit(open)
        #expect(open.records.first?.notes == ["holder-not-bound"])
    }

    @Test("a credential that is not believed stays rejected, and the key is for whoever comes next")
    func rejected() throws {
        let test = try gate()
        turnKey(test)
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(expires: TestIssuer.now - 500, portrait: Self.photo)))
        test.wait(50)
        test.expectNoAccept()
        #expect(test.verdicts == [false] && test.supervisorNews == [.armed])
        test.leave()
        test.waitForLights()
        try visit(test)
        #expect(test.verdicts == [false, true] && test.supervisorNews == [.armed, .used])
    }

    @Test("who was connected before the key was turned is not whom the supervisor sent; the next one is")
    func connectedBefore() throws {
        let test = try gate()
        let wallet = try TestWallet()
        let payload = try TestIssuer.wrapped(TestIssuer.credential(portrait: Self.photo))
        let message = try wallet.seal(TestWallet.gzip(payload), for: test.key)
        test.visit(wallet, message, upTo: .identified, mtu: 100)
        test.wait(10)
        turnKey(test)
        test.visit(wallet, message, from: .sized, mtu: 100)
        test.wait(50)
        #expect(test.takeFaceRequest() != nil)
        #expect(test.verdicts == [] && test.supervisorNews == [.armed])
    }

    @Test("who was connected before the key was turned last may not live on its first turn, once that is over")
    func connectedBetweenTurns() throws {
        for isLate in [true, false] {
            let test = try gate()
            let wallet = try TestWallet()
            let payload = try TestIssuer.wrapped(TestIssuer.credential(portrait: Self.photo))
            turnKey(test)
            test.wait(40_000)
            let message = try wallet.seal(TestWallet.gzip(payload), for: test.key)
            test.visit(wallet, message, upTo: .identified, mtu: 100)
            test.wait(10_000)
            turnKey(test)
            test.wait(isLate ? 11_000 : 5000)
            test.visit(wallet, message, from: .sized, mtu: 100)
            test.wait(50)
            #expect((test.takeFaceRequest() != nil) == isLate)
            // A nervous second turn takes nothing from whom the first one was for.
            #expect(test.verdicts == (isLate ? [] : [true]) && test.supervisorNews == (isLate ? [.armed] : [.armed, .used]))
        }
    }

    @Test("of three turns, the middle one stands for whom it was for when the first is over")
    func threeTurns() throws {
        let test = try gate()
        let wallet = try TestWallet()
        let payload = try TestIssuer.wrapped(TestIssuer.credential(portrait: Self.photo))
        turnKey(test)
        test.wait(40_000)
        turnKey(test)
        test.wait(10_000)
        let message = try wallet.seal(TestWallet.gzip(payload), for: test.key)
        test.visit(wallet, message, upTo: .identified, mtu: 100)
        test.wait(15_000)
        turnKey(test)
        test.visit(wallet, message, from: .sized, mtu: 100)
        test.wait(50)
        #expect(test.verdicts == [true] && test.supervisorNews == [.armed, .used])
    }

    @Test("where only photos are compared, who has none leaves the key to whom it is for")
    func needlessKey() throws {
        let test = try gate(.whenPhoto)
        turnKey(test)
        try visit(test, portrait: nil)
        #expect(test.verdicts == [true] && test.records.first?.notes == ["holder-not-bound"] && test.supervisorNews == [.armed])
        test.leave()
        test.waitForLights()
        try visit(test)
        #expect(test.verdicts == [true, true] && test.supervisorNews == [.armed, .used])
    }

    @Test("a minute after the key was turned last, it is over, and said so once")
    func expired() throws {
        let test = try gate()
        turnKey(test)
        test.wait(59_000)
        turnKey(test)
        test.wait(59_999)
        #expect(test.supervisorNews == [.armed])
        test.wait(1)
        #expect(test.supervisorNews == [.armed, .expired])
        try visit(test)
        #expect(test.takeFaceRequest() != nil && test.verdicts == [])
    }

    @Test("a gate that wakes up too late lets nobody in on a key that is over")
    func late() throws {
        let test = try gate()
        turnKey(test)
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(portrait: Self.photo)))
        test.oversleep(60_000)
        test.wait(50)
        #expect(test.supervisorNews == [.armed, .expired])
        #expect(test.verdicts == [])
    }

    @Test("a face that is being compared goes on; the key is for the visit after it")
    func under() throws {
        let test = try gate()
        try visit(test)
        let request = try #require(test.takeFaceRequest())
        turnKey(test)
        #expect(test.verdicts == [])
        test.gate.faceDecided(FaceOutcome(refused: .timedOut), of: request.number, at: test.now)
        test.turn()
        #expect(test.verdicts == [false] && test.supervisorNews == [.armed])
    }

    @Test("a record that cannot be kept opens nothing, by the key neither")
    func unrecorded() throws {
        for face in [Policy.Face.off, .required] {
            let test = try gate(face)
            test.shelf = .fails
            turnKey(test)
            try visit(test)
            #expect(test.statuses == [[1]] && test.light == .reject && test.verdicts == [false])
        }
    }

    @Test("a record that is on its way to a slow disk opens nothing before it is there, nor after the wallet has left")
    func slowDisk() throws {
        let test = try gate(.off)
        test.shelf = .waits
        try visit(test)
        _ = try #require(test.take())
        test.wait(5000)
        #expect(test.verdicts == [])
        test.stored(true)
        #expect(test.verdicts == [true])
    }

    @Test("a verdict that waits behind another's light opens when its own comes")
    func waiting() throws {
        let test = try gate(.off)
        try visit(test)
        test.leave()
        test.visitsWaitForLights = false
        try visit(test)
        #expect(test.light == .accept && test.verdicts == [true])
        test.wait(3499 - 200)
        let before = test.verdicts.count
        test.waitForLights()
        test.wait(50)
        #expect(before == 1 && test.verdicts == [true, true])
    }

    @Test("what fails before a verdict turns the red light and tells no lock")
    func failed() throws {
        let test = try gate(.off)
        try test.goodVisit(upTo: .sent)
        test.leave()
        test.wait(5000)
        #expect(test.verdicts == [])
    }

    @Test("the end of the gate is the end of the key")
    func stopped() throws {
        let test = try gate()
        turnKey(test)
        test.gate.stop(at: test.now)
        test.turn()
        #expect(test.supervisorNews == [.armed, .expired])
        #expect(!turnKey(test))
    }
}
