import Glibc
import HTTP
import Linux
import ListenerProtocol
import ListenerSandbox

/// Takes connections, reads one request of each, hands what it brought to the gate and sends its word back. One thread; nothing waits.
final class ListenerProcess {
    private enum Token {
        static let socket: UInt32 = 1, channel: UInt32 = 2, connections: UInt32 = 16, partings: UInt32 = 64
    }

    /// Connections that are taken in one turn.
    private static let mostAtOnce = 16
    /// Nanoseconds between two words about what was refused.
    private static let refusalsPause: UInt64 = 10_000_000_000

    private let loop: EventLoop
    private let socket = ListeningSocket(descriptor: ListenerConfinement.listener)
    private let connections = (0..<Places.count).map { _ in Connection() }
    private var places = Places()
    private var partings = Partings()
    private var channel = GateChannel()
    private var isChannelWatchedForWriting = false
    /// Connections whose request is whole, in the order in which they are handed over.
    private var waiting: [Int] = []
    private var number: UInt32 = 0
    private var refusals = Refusals()
    private var refusalsAt: UInt64 = 0
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)

    private init() throws(EventLoopError) {
        loop = try EventLoop(capacity: 64)
        try loop.add(ListenerConfinement.channel, for: .readable, token: Token.channel)
        try loop.add(ListenerConfinement.listener, for: .readable, token: Token.socket)
    }

    /// Confines itself, and listens until the gate is gone.
    static func run(_ options: Options) -> Never {
        // Only the gate's end does not wait by itself.
        let flags = fcntl(ListenerConfinement.channel, F_GETFL)
        guard flags >= 0, fcntl(ListenerConfinement.channel, F_SETFL, flags | O_NONBLOCK) == 0 else { _exit(Exit.system.rawValue) }
        // Before anything is opened: every descriptor that is not its own is closed.
        do throws(EventLoopError) {
            guard OwnProcess.close(from: ListenerConfinement.listener + 1) else { _exit(Exit.notConfined.rawValue) }
            let process = try ListenerProcess()
            do throws(ConfinementError) {
                try ListenerConfinement(parent: options.parent, isLenient: options.isLenient).apply()
            } catch {
                _exit(Exit.notConfined.rawValue)
            }
            process.channel.begin(.ready)
            while true { try process.turn() }
        } catch {
            _exit(Exit.system.rawValue)
        }
    }

    // MARK: one turn

    private func turn() throws(EventLoopError) {
        try handOver()
        let count = try loop.wait(until: deadline)
        for index in 0..<count {
            guard let ready = loop.readiness(at: index) else { continue }
            switch ready.token {
            case Token.channel: try serveChannel(ready)
            case Token.socket: try takeConnections()
            case Token.partings...: partings.serve(Int(ready.token - Token.partings), scratch)
            default: try serve(Int(ready.token - Token.connections), ready)
            }
        }
        try passTime()
    }

    private var deadline: UInt64? {
        var next = connections.reduce(partings.deadline) { min($0, $1.deadline) }
        if !refusals.isEmpty, channel.isFree { next = min(next, refusalsAt) }
        return next == .max ? nil : next
    }

    private func passTime() throws(EventLoopError) {
        let now = Clock.monotonic()
        partings.passTime(now)
        for (index, connection) in connections.enumerated() where now >= connection.deadline {
            switch connection.stage {
            case .empty: break
            case .reading, .whole: try refuse(index, connection.lateness)
            // The gate goes on, and whoever posted it hears that it was taken.
            case .judged: try answer(index, Response(.empty(.accepted)))
            case .answering: close(index)
            }
        }
    }

    // MARK: connections

    private func takeConnections() throws(EventLoopError) {
        for _ in 0..<Self.mostAtOnce {
            let accepted: (descriptor: Int32, address: ListeningSocket.Address)?
            do throws(SystemError) { accepted = try socket.accept() } catch { _exit(Exit.system.rawValue) }
            guard let (descriptor, address) = accepted else { return }
            let now = Clock.monotonic()
            let network: ClientNetwork =
                switch address {
                case .ipv4(let address): ClientNetwork(ipv4: address)
                case .ipv6(let octets): ClientNetwork(ipv6: octets)
                }
            switch places.admit(network, at: now) {
            case .free(let index): try seat(descriptor, index, now)
            case .instead(let index):
                // The place is the newcomer's already.
                try part(connections[index].leave(whileHandedOver: false), .crowded)
                try seat(descriptor, index, now)
            case .refused: try part(descriptor, .crowded)
            }
        }
    }

    private func seat(_ descriptor: Int32, _ index: Int, _ now: UInt64) throws(EventLoopError) {
        number = number == .max ? 1 : number + 1
        connections[index].begin(descriptor, number: number, now)
        try loop.add(descriptor, for: .readable, token: Token.connections + UInt32(index))
    }

    private func serve(_ index: Int, _ ready: Readiness) throws(EventLoopError) {
        guard connections.indices.contains(index) else { return }
        switch connections[index].stage {
        case .empty: break
        case .reading: if ready.isReadable { try read(index) }
        // It is not watched for reading: it is broken, and nobody waits for an answer.
        case .whole, .judged: if ready.isBroken { close(index) }
        case .answering: if ready.isWritable || ready.isBroken { try send(index) }
        }
    }

    private func read(_ index: Int) throws(EventLoopError) {
        let connection = connections[index], now = Clock.monotonic()
        let count = Channel.read(into: scratch, from: connection.descriptor)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        // The end before the request is whole: nothing was said.
        guard count > 0 else { return close(index) }
        let octets = UnsafeMutableRawBufferPointer(rebasing: scratch[..<count])
        defer { if let start = octets.baseAddress { explicit_bzero(start, count) } }
        do throws(RequestFault) { try connection.take(UnsafeRawBufferPointer(octets), now) } catch { return try refuse(index, error) }
        guard connection.stage == .whole else { return }
        places.keep(index)
        waiting.append(index)
        try loop.modify(connection.descriptor, for: [], token: Token.connections + UInt32(index))
    }

    private func refuse(_ index: Int, _ fault: RequestFault) throws(EventLoopError) {
        refusals.count(fault.status.rawValue)
        try answer(index, Response(fault, endpoint: connections[index].reader.endpoint))
    }

    private func answer(_ index: Int, _ response: Response) throws(EventLoopError) {
        connections[index].begin(response, Clock.monotonic())
        waiting.removeAll { $0 == index }
        try send(index)
    }

    private func send(_ index: Int) throws(EventLoopError) {
        switch connections[index].send() {
        case .broken: close(index)
        case .unfinished: try loop.modify(connections[index].descriptor, for: .writable, token: Token.connections + UInt32(index))
        case .done:
            let descriptor = leave(index)
            try linger(descriptor)
        }
    }

    /// Answers somebody who has no place, with what goes at once.
    private func part(_ descriptor: Int32, _ fault: RequestFault) throws(EventLoopError) {
        guard descriptor >= 0 else { return }
        refusals.count(fault.status.rawValue)
        _ = Response(fault, endpoint: nil).octets.withUnsafeBytes { Channel.write($0, to: descriptor) }
        // Also where the loop knows it from the place it had.
        loop.remove(descriptor)
        try linger(descriptor, isWatched: false)
    }

    private func linger(_ descriptor: Int32, isWatched: Bool = true) throws(EventLoopError) {
        guard descriptor >= 0 else { return }
        if isWatched { loop.remove(descriptor) }
        ListeningSocket.endSending(descriptor)
        let index = partings.add(descriptor, until: Clock.monotonic() &+ HTTPLimits.lingerTime)
        try loop.add(descriptor, for: .readable, token: Token.partings + UInt32(index))
    }

    private func close(_ index: Int) {
        let descriptor = leave(index)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// The place is free, unless what was posted is on its way to the gate: then it is when that is there.
    private func leave(_ index: Int) -> Int32 {
        waiting.removeAll { $0 == index }
        let isHandedOver = channel.source == index
        if !isHandedOver { places.leave(index) }
        return connections[index].leave(whileHandedOver: isHandedOver)
    }

    // MARK: the gate

    /// Sends what waits to be handed over, as far as the channel takes it.
    private func handOver() throws(EventLoopError) {
        while true {
            if channel.isFree { beginNext() }
            guard !channel.isFree else { break }
            let source = channel.source
            guard channel.flush(source.map { connections[$0] }) else { break }
            guard let source else { continue }
            let connection = connections[source]
            connection.handedOver()
            // Its sender did not wait.
            if connection.descriptor < 0 {
                places.leave(source)
                _ = connection.leave(whileHandedOver: false)
            }
        }
        guard isChannelWatchedForWriting != !channel.isFree else { return }
        isChannelWatchedForWriting.toggle()
        let interest: Interest = isChannelWatchedForWriting ? [.readable, .writable] : .readable
        try loop.modify(ListenerConfinement.channel, for: interest, token: Token.channel)
    }

    private func beginNext() {
        if !waiting.isEmpty {
            let index = waiting.removeFirst(), connection = connections[index]
            guard let kind = PostedKind(rawValue: connection.reader.kind.rawValue) else { return }
            channel.begin(
                .posted(
                    ListenerWord.Posted(
                        kind: kind, number: connection.number, targetCount: connection.reader.targetCount,
                        bodyCount: connection.reader.bodyCount)), from: index)
        } else if !refusals.isEmpty, Clock.monotonic() >= refusalsAt {
            channel.begin(.refused(refusals))
            refusals = Refusals()
            refusalsAt = Clock.monotonic() &+ Self.refusalsPause
        }
    }

    private func serveChannel(_ ready: Readiness) throws(EventLoopError) {
        guard ready.isReadable else { return }
        channel.fill()
        while let (word, number) = channel.next() {
            // Who is not there any more, or was told something else in the meantime, is not told again.
            guard let index = connections.firstIndex(where: { $0.number == number }), connections[index].stage == .judged else { continue }
            let response: Response =
                switch word {
                case .message(let octets): Response(.message(octets))
                case .accepted: Response(.result(isAccepted: true))
                case .rejected: Response(.result(isAccepted: false))
                case .taken: Response(.empty(.accepted))
                case .malformed: Response(.empty(.badRequest))
                case .gone: Response(.empty(.gone))
                }
            try answer(index, response)
        }
    }
}
