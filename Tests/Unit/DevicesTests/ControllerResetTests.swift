import BoardTestSupport
import Foundation
import Testing

@testable import Devices

private let minute: UInt64 = 60_000_000_000

@Test func aRestartIsAskedForOnceAndIsInVainWhenItIsWantedAgainSoon() {
    let stage = Stage()
    let reset = ControllerReset(stage.path("request"), controller: .userChannel(index: 0))
    #expect(reset.ask(now: 0) == .asked && access(stage.path("request"), F_OK) == 0)
    #expect(reset.ask(now: 9 * minute) == .inVain)
    // A controller that worked for a while has another trouble now.
    #expect(reset.ask(now: 10 * minute) == .asked)
}

@Test func aRequestThatCannotBeMadeIsSaidAndNoLinkIsFollowed() {
    let stage = Stage()
    #expect(ControllerReset(stage.path("absent/request"), controller: .userChannel(index: 0)).ask(now: 0) == .refused(errno: ENOENT))
    for name in ["link", "link.new"] { symlink(stage.path("elsewhere"), stage.path(name)) }
    #expect(ControllerReset(stage.path("link"), controller: .userChannel(index: 7)).ask(now: 0) == .asked)
    #expect(FileManager.default.contents(atPath: stage.path("link")) == Data("hci:7\n".utf8))
    #expect(access(stage.path("elsewhere"), F_OK) != 0)
}

@Test func aControllerThatItsDriverCannotSetUpIsAskedForAfterAMinute() {
    let stage = Stage()
    let reset = ControllerReset(stage.path("request"), controller: .userChannel(index: 0))
    #expect(reset.openingFailed(.controllerBusy, now: 0) == nil)
    #expect(reset.openingFailed(.controllerFailed(errno: ETIMEDOUT), now: minute - 1) == nil && access(stage.path("request"), F_OK) != 0)
    #expect(reset.openingFailed(.controllerBusy, now: minute) == .asked && access(stage.path("request"), F_OK) == 0)
    // Bound anew, and not there any more: another minute, and there is nothing left to do.
    #expect(reset.openingFailed(.noSuchController, now: minute + 1) == nil)
    #expect(reset.openingFailed(.noSuchController, now: 2 * minute + 1) == .inVain)
}

@Test func aControllerThatNeverWasThereIsWaitedForAndOneThatVanishedIsAskedFor() {
    let stage = Stage()
    let reset = ControllerReset(stage.path("request"), controller: .userChannel(index: 0))
    for at in 0..<100 { #expect(reset.openingFailed(.noSuchController, now: UInt64(at) * minute) == nil) }
    reset.opened()
    #expect(reset.openingFailed(.unplugged, now: 100 * minute) == nil)
    #expect(reset.openingFailed(.noSuchController, now: 101 * minute) == .asked)
}

@Test func anOpenLinkAndAnotherTroubleStartTheMinuteAnewOrNotAtAll() {
    let stage = Stage()
    let reset = ControllerReset(stage.path("request"), controller: .userChannel(index: 0))
    #expect(reset.openingFailed(.controllerBusy, now: 0) == nil)
    reset.opened()
    #expect(reset.openingFailed(.controllerBusy, now: 2 * minute) == nil)
    // A switch that somebody has to turn, or another program: no driver is at fault.
    for error in [LinkError.radioBlocked(hard: true), .controllerTaken, .notPermitted, .noBluetoothInKernel] {
        #expect(reset.openingFailed(error, now: 9 * minute) == nil)
    }
}
