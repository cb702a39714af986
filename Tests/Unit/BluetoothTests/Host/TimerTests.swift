import Testing

@testable import Bluetooth

/// A timer of the host: what starts it, how long it runs, what it does.
struct HostTimer: Sendable, CustomStringConvertible {
    var description: String
    var milliseconds: UInt64
    /// A phone that has just started the timer.
    var started: @Sendable () -> Phone
    var due: @Sendable (Phone) -> Instant?
    /// What it does is done.
    var isDone: @Sendable (Phone) -> Bool
    /// It belongs to a link and ends with it.
    var isOfLink = false

    static let all: [HostTimer] = [
        HostTimer(
            description: "a command", milliseconds: 2000,
            started: {
                let phone = Phone(Database.sparse(), Script(silences: [.readLocalVersion: 1]))
                phone.open()
                return phone
            },
            due: { $0.storage.pointee.core.commands.answerDue },
            isDone: { $0.events.contains(.fault(.commandTimeout(.readLocalVersion), .reset)) }),
        HostTimer(
            description: "a longer packet", milliseconds: 500,
            started: { .connected(Database.sparse(), Script(silences: [.leSetDataLength: 1])) },
            due: { $0.storage.pointee.core.commands.answerDue },
            isDone: { $0.storage.pointee.core.commands.isDataLengthBroken && $0.isConnected && $0.isQuiet }),
        HostTimer(
            description: "a faster PHY", milliseconds: 500, started: { .connected(Database.sparse(), Script(silences: [.leSetPHY: 1])) },
            due: { $0.storage.pointee.core.commands.answerDue },
            isDone: { $0.storage.pointee.core.commands.isPHYBroken && $0.isConnected && $0.isQuiet }),
        HostTimer(
            description: "a pause of the controller", milliseconds: 2000,
            started: {
                let phone = Phone()
                phone.open()
                phone.deliver("04 0E 03 00 00 00")
                return phone
            },
            due: { $0.storage.pointee.core.commands.pausedUntil }, isDone: { $0.storage.pointee.core.commands.mayCommand }),
        HostTimer(
            description: "a disconnection", milliseconds: 5000,
            started: {
                let phone = Phone.connected(Database.sparse(), Script(refusals: [.disconnect: 0x0C]))
                phone.host.disconnect(now: phone.now)
                phone.run()
                return phone
            },
            due: { $0.storage.pointee.core.connection.disconnectingUntil },
            isDone: { $0.events.contains(.fault(.disconnectionLost, .reset)) }, isOfLink: true),
        HostTimer(
            description: "a confirmation", milliseconds: 30_000,
            started: {
                let phone = Phone.connected()
                _ = phone.att("12 23 00 02 00")
                #expect(phone.push(0x22, [1]) == .indicated)
                return phone
            },
            due: { $0.storage.pointee.core.connection.confirmationDeadline },
            isDone: { !$0.isConnected && $0.controller.opcodes.last == .disconnect }, isOfLink: true),
        HostTimer(
            description: "a shorter interval", milliseconds: 1000,
            started: {
                let phone = Phone()
                phone.open()
                phone.advertise()
                phone.connect(interval: 80)
                _ = phone.att("0A 04 00")
                return phone
            },
            due: { $0.storage.pointee.core.connection.parameterRequestAt }, isDone: { $0.frames(5).first?.first == 0x12 }, isOfLink: true),
        HostTimer(
            description: "another try to advertise", milliseconds: 500,
            started: {
                let phone = Phone(Database.sparse(), Script(refusals: [.leSetAdvertisingEnable: 0x0C]))
                phone.open()
                phone.advertise()
                phone.controller.script.refusals = [:]
                return phone
            },
            due: { $0.storage.pointee.core.advertiser.retryAt }, isDone: { $0.isAdvertising }),
        HostTimer(
            description: "fast advertising", milliseconds: 30_000,
            started: {
                let phone = Phone()
                phone.host.savesPower = true
                phone.open()
                phone.advertise()
                return phone
            },
            due: { $0.storage.pointee.core.advertiser.fastUntil },
            isDone: { !$0.storage.pointee.core.advertiser.isFast && $0.isAdvertising }),
        HostTimer(
            description: "a question to an idle controller", milliseconds: 10_000,
            started: {
                let phone = Phone()
                phone.open()
                phone.advertise()
                phone.controller.commands = []
                return phone
            },
            due: { $0.storage.pointee.core.idleQuestionAt }, isDone: { $0.controller.opcodes == [.readLocalVersion] }),
    ]
}

@Suite struct HostTimerTests {
    @Test("a timer acts when it is due, not a millisecond before, and once", arguments: HostTimer.all)
    func due(timer: HostTimer) {
        let phone = timer.started()
        let due = timer.due(phone)
        #expect(due == phone.now.adding(milliseconds: timer.milliseconds))
        #expect(phone.deadline.map { $0 <= phone.now.adding(milliseconds: timer.milliseconds) } == true)
        phone.pass(milliseconds: timer.milliseconds - 1)
        #expect(timer.due(phone) == due)
        #expect(!timer.isDone(phone))
        phone.pass(milliseconds: 1)
        #expect(timer.isDone(phone))
        #expect(timer.due(phone) != due)
    }

    @Test("no timer outlives the link to the controller", arguments: HostTimer.all)
    func closed(timer: HostTimer) {
        let phone = timer.started()
        phone.host.close()
        #expect(phone.deadline == nil)
        phone.pass(milliseconds: 60_000)
        #expect(phone.events.allSatisfy { if case .fault = $0 { false } else { true } })
        phone.open()
        phone.host.stopAdvertising()
        phone.run()
        #expect(phone.visit())
    }

    @Test("a timer of a link ends with it", arguments: HostTimer.all.filter(\.isOfLink))
    func disconnected(timer: HostTimer) {
        let phone = timer.started()
        phone.disconnect()
        #expect(timer.due(phone) == nil)
        #expect(phone.deadline == nil)
        #expect(phone.visit())
    }

    @Test("the host's deadline is the earliest of its timers", arguments: HostTimer.all)
    func earliest(timer: HostTimer) {
        let phone = timer.started()
        let timers = HostTimer.all.compactMap { $0.due(phone) }
        #expect(phone.deadline == timers.min())
    }
}
