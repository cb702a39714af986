import Glibc
import Linux
import Testing
import VisionProtocol

@testable import Appliance

/// What becomes of a plug-in with a bad habit.
enum PluginEnd: Sendable {
    /// It is never opened.
    case open(WorkerFailure)
    /// The worker fails when it is given a reference; another one is there for the next.
    case reference(WorkerFailure)
    case probe(WorkerFailure)
    /// An answer, with this code, to a reference or a probe.
    case referenceStatus(Int32)
    case probeStatus(Int32)
    /// A probe that is fine.
    case fine
}

@Suite("Plug-ins with a bad habit end in a named failure, and the next visit works")
struct HostilePluginTests {
    private static let forbidden = WorkerFailure.crashed(signal: SIGSYS)
    private static let segmentation = WorkerFailure.crashed(signal: SIGSEGV)
    /// 100 and the errno.
    private static let refused = 100 + EPERM

    private static func own(_ failure: FrameAssessment.Failure) -> PluginEnd { .probeStatus(failure.rawValue) }
    private static func ownOfReference(_ failure: FrameAssessment.Failure) -> PluginEnd { .referenceStatus(failure.rawValue) }
    private static func not(_ failure: OpenFailure) -> PluginEnd { .open(.cannotOpen(status: failure.rawValue)) }

    static let whileOpening: [(String, PluginEnd)] = [
        ("no_such_file", not(.notLoadable)), ("no_entry", not(.noEntry)), ("no_table", not(.wrongVersion)),
        ("wrong_major", not(.wrongVersion)),
        ("short_table", not(.badTable)), ("no_match_call", not(.badTable)), ("pad_without_call", not(.badTable)),
        ("large_template", not(.badIdentity)), ("no_template_size", not(.badIdentity)), ("upper_case_id", not(.badIdentity)),
        ("no_id", not(.badIdentity)),
        ("unending_version", not(.badIdentity)), ("wrong_hash", not(.badIdentity)), ("no_match_capability", not(.badIdentity)),
        ("info_fails", not(.badIdentity)), ("negative_open", not(.badOpen)), ("no_context", not(.badOpen)),
        ("open_fails", .open(.cannotOpen(status: 22))),
        ("crash_while_linking", .open(segmentation)), ("crash_in_open", .open(segmentation)), ("grow_in_open", .open(segmentation)),
        ("words_without_end", .fine), ("words_that_are_none", .fine), ("none", .fine),
    ]

    static let atWork: [(String, PluginEnd)] = [
        ("crash", .reference(segmentation)), ("crash_on_probe", .probe(segmentation)),
        ("abort_itself", .reference(.crashed(signal: SIGABRT))),
        ("exit_itself", .reference(.exited(code: 0))), ("grow_without_end", .reference(segmentation)),
        ("garbage_reply", .reference(.lied(.wrongVersion))), ("another_answer", .reference(.lied(.notAsked))),
        ("half_reply", .reference(.exited(code: 0))),
        ("negative_status", ownOfReference(.badStatus)),
        ("huge_status", ownOfReference(.badStatus)),
        ("no_template", ownOfReference(.noTemplate)),
        ("long_template", ownOfReference(.noTemplate)),
        ("endless_template", ownOfReference(.noTemplate)),
        ("write_behind_buffer", .reference(.exited(code: WorkerExit.overran.rawValue))),
        ("write_far_behind_buffer", .reference(segmentation)),
        ("nan_box", ownOfReference(.badInfo)), ("far_box", ownOfReference(.badInfo)),
        ("infinite_eyes", ownOfReference(.badInfo)),
        ("faces_without_end", ownOfReference(.badInfo)),
        ("template_without_face", ownOfReference(.badInfo)), ("nan_angles", .fine),
        ("nan_score", own(.badScore)), ("infinite_score", own(.badScore)), ("score_above_one", own(.badScore)),
        ("score_below_zero", own(.badScore)),
        ("score_not_set", own(.badScore)), ("match_fails", .probeStatus(14)), ("match_fails_below_zero", own(.badStatus)),
        ("pad_fails", own(.attackCheckFailed)), ("pad_nan", own(.attackCheckFailed)), ("pad_denies", .fine),
    ]

    static let waiting: [(String, PluginEnd)] = [
        ("hang_while_linking", .open(.timedOut)), ("hang_in_open", .open(.timedOut)), ("hang", .reference(.timedOut)),
        ("stop_itself", .reference(.timedOut)),
        ("hang_on_probe", .probe(.timedOut)), ("hang_in_match", .probe(.timedOut)), ("pad_hangs", .probe(.timedOut)),
    ]

    /// What a filter of system calls refuses with an error, or ends the process for.
    static let trespassing: [(String, PluginEnd)] = [
        ("socket_while_loading", .open(.cannotOpen(status: refused))), ("unix_socket_while_loading", .open(.cannotOpen(status: refused))),
        ("write_while_loading", .open(.cannotOpen(status: refused))), ("fork_while_loading", .open(.cannotOpen(status: refused))),
        ("thread_while_loading", .open(.cannotOpen(status: refused))), ("exec_while_loading", .open(forbidden)),
        ("kill_parent_while_loading", .open(forbidden)), ("trace_while_loading", .open(forbidden)),
        ("socket_while_working", .reference(forbidden)), ("unix_socket_while_working", .reference(forbidden)),
        ("fork_while_working", .reference(forbidden)), ("thread_while_working", .reference(forbidden)),
        ("exec_while_working", .reference(forbidden)),
        ("kill_parent_while_working", .reference(forbidden)), ("trace_while_working", .reference(forbidden)),
        ("read_while_working", .referenceStatus(refused)), ("write_while_working", .referenceStatus(refused)),
        ("code_while_working", .referenceStatus(refused)), ("dumpable_while_working", .referenceStatus(refused)),
        ("more_memory_while_working", .referenceStatus(refused)), ("output_while_working", .referenceStatus(refused)),
    ]

    @Test("while it is opened", arguments: whileOpening.indices)
    func opening(_ index: Int) throws { try check(Self.whileOpening[index]) }

    @Test("at work", arguments: atWork.indices)
    func working(_ index: Int) throws { try check(Self.atWork[index]) }

    @Test("without end", arguments: waiting.indices)
    func unending(_ index: Int) throws {
        try check(Self.waiting[index]) { settings in
            switch Self.waiting[index].1 {
            case .open: settings.timeouts.hello = 200_000_000
            case .reference: settings.timeouts.reference = 200_000_000
            default: settings.timeouts.probe = 200_000_000
            }
        }
    }

    @Test("at what it may not do", .enabled(if: ConfinementOffer().hasFilters), arguments: trespassing.indices)
    func trespass(_ index: Int) throws { try check(Self.trespassing[index]) }

    @Test("at files that are no business of its", .enabled(if: FileRules.version > 0))
    func readingWhileLoading() throws {
        try check(("read_while_loading", .open(.cannotOpen(status: 100 + EACCES))))
    }

    private func check(_ habit: (name: String, end: PluginEnd), change: (inout SupervisorSettings) -> Void = { _ in }) throws {
        let workers = try TestMatchers(habit.name, change: change)
        let comment = Comment(rawValue: habit.name)
        switch habit.end {
        case .open(let failure):
            #expect(throws: failure, comment) { try workers.worker.prepare() }
            #expect(workers.worker.state != .idle && workers.worker.identity == nil, comment)
            return
        case .reference(let failure):
            #expect(throws: failure, comment) { try workers.assess(.reference, .face(TestPicture.red)) }
        case .probe(let failure):
            #expect(try workers.assess(.reference, .face(TestPicture.red)).status == 0, comment)
            #expect(throws: failure, comment) { try workers.assess(.probe, .face(TestPicture.red)) }
        case .referenceStatus(let status):
            #expect(try workers.assess(.reference, .face(TestPicture.red)).status == status, comment)
            #expect(try workers.assess(.probe, .face(TestPicture.red)).status == FrameAssessment.Failure.noReference.rawValue, comment)
        case .probeStatus(let status):
            #expect(try workers.assess(.reference, .face(TestPicture.red)).status == 0, comment)
            let assessment = try workers.assess(.probe, .face(TestPicture.red))
            #expect(assessment.status == status && assessment.similarity == nil, comment)
        case .fine:
            let assessment = try workers.compare()
            #expect(assessment.status == 0 && assessment.similarity == 1, comment)
        }
        // The same again, or a new one: nothing of what happened stays.
        try workers.worker.prepare()
        #expect(workers.worker.state == .idle, comment)
    }
}
