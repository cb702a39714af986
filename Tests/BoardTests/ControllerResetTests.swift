import Glibc
import Testing

@testable import Board

private let minute: UInt64 = 60_000_000_000

@Test func aRestartIsAskedForOnceAndIsInVainWhenItIsWantedAgainSoon() {
    let stage = Stage()
    let reset = ControllerReset(stage.path("request"))
    #expect(reset.ask(now: 0) == .asked && access(stage.path("request"), F_OK) == 0)
    #expect(reset.ask(now: 9 * minute) == .inVain)
    // A controller that worked for a while has another trouble now.
    #expect(reset.ask(now: 10 * minute) == .asked)
}

@Test func aRequestThatCannotBeMadeIsSaidAndNoLinkIsFollowed() {
    let stage = Stage()
    #expect(ControllerReset(stage.path("absent/request")).ask(now: 0) == .refused(errno: ENOENT))
    symlink(stage.path("elsewhere"), stage.path("link"))
    #expect(ControllerReset(stage.path("link")).ask(now: 0) == .refused(errno: ELOOP))
    #expect(access(stage.path("elsewhere"), F_OK) != 0)
}
