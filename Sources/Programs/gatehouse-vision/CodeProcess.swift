import Glibc
import Linux
import VisionProtocol

/// Looks at one picture after the other for a code, in a sandbox in which nothing is loaded any more.
struct CodeProcess {
    /// What the library frees is overwritten by the C library, small blocks as well: it keeps copies of a frame, and the text of a code.
    static let environment = [
        "LC_ALL=C", "MALLOC_ARENA_MAX=1", "SWIFT_BACKTRACE=enable=no",
        "GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.tcache_count=0",
    ]

    /// Mebibytes of address space: the largest picture, decoded, with what a decoder keeps beside it, and this program.
    private static let memory: UInt64 = 384

    private let options: Options

    init(_ options: Options) {
        self.options = options
    }

    func run() -> Never {
        guard let channel = WorkerChannel() else { _exit(WorkerExit.noMemory.rawValue) }
        let confinement = WorkerConfinement(options: options)
        do throws(ConfinementError) {
            try confinement.withoutLoading(memory: Self.memory)
        } catch {
            channel.refuse(OpenFailure.notConfined.rawValue)
        }
        let finder = CodeFinder()
        channel.say(.codeLibrary(CodeFinder.library))
        while true {
            channel.next { request, octets in
                confinement.beforeRequest()
                let answer = finder.answer(request, octets)
                channel.wipe()
                channel.say(answer)
            }
        }
    }
}
