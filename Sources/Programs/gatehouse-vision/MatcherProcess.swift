import CFacePlugin
import Glibc
import Linux
import VisionProtocol

/// One plug-in in a sandbox, answering one request after the other.
struct MatcherProcess {
    /// One thread, for it and for whatever library a plug-in brings.
    static let environment = [
        "LC_ALL=C", "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "GOTO_NUM_THREADS=1", "MKL_NUM_THREADS=1", "MALLOC_ARENA_MAX=1",
        "SWIFT_BACKTRACE=enable=no",
    ]

    private let options: Options
    /// Octets of a configuration file.
    private static let mostConfiguration = 65_536

    init(_ options: Options) {
        self.options = options
    }

    func run() -> Never {
        guard let channel = WorkerChannel() else { _exit(WorkerExit.noMemory.rawValue) }
        let host = PluginHost(channel, eyeDistance: options.gates?.searchedEyeDistance ?? 0)
        // It is the plug-in's until the process ends.
        let interface = UnsafeMutablePointer<fmp_host>.allocate(capacity: 1)
        interface.initialize(to: host.interface)
        let plugin: Plugin, confinement = WorkerConfinement(options: options)
        do throws(Plugin.Refusal) {
            let configuration = try readConfiguration()
            try Self.confine { () throws(ConfinementError) in try confinement.beforeLoading() }
            plugin = try Plugin(options, host: interface, configuration: configuration)
            try Self.confine { () throws(ConfinementError) in try confinement.afterLoading() }
        } catch {
            channel.refuse(error.status)
        }
        guard let assessor = Assessor(plugin, host: host, options: options) else { _exit(WorkerExit.noMemory.rawValue) }
        channel.say(.hello(plugin.identity))
        while true {
            channel.next { request, octets in
                confinement.beforeRequest()
                let answer = assessor.answer(request, octets)
                channel.wipe()
                channel.say(answer)
            }
        }
    }

    private static func confine(_ body: () throws(ConfinementError) -> Void) throws(Plugin.Refusal) {
        do throws(ConfinementError) { try body() } catch { throw Plugin.Refusal(.notConfined) }
    }

    /// Read by who started it: the plug-in's user may not be able to.
    private func readConfiguration() throws(Plugin.Refusal) -> [UInt8] {
        guard let path = options.configuration else { return [] }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Plugin.Refusal(.badConfiguration) }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: Self.mostConfiguration + 1)
        var count = 0
        while count < octets.count {
            let step = octets.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count) }
            guard step >= 0 else { throw Plugin.Refusal(.badConfiguration) }
            if step == 0 { return Array(octets.prefix(count)) }
            count += step
        }
        throw Plugin.Refusal(.badConfiguration)
    }
}
