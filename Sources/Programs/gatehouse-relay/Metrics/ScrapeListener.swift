import Glibc
import Linux
import Metrics
import Relay

/// Gives the numbers to whoever asks at one address: a few at a time, each for a few seconds, and nothing but `GET /metrics`.
final class ScrapeListener {
    private let socket: ListeningSocket
    private var guests: [Guest] = []

    private struct Guest {
        let descriptor: Int32
        let deadline: UInt64
        var request = ScrapeRequest()
        /// What has still to be sent; nil before the request is whole.
        var answer: ArraySlice<UInt8>?
        /// Everything is sent, and the other side has to end.
        var isLeaving = false
    }

    private static let most = 8
    private static let patience: UInt64 = 5_000_000_000

    init(_ address: String, _ port: UInt16) throws(OutletTrouble) {
        do throws(SystemError) {
            socket = try ListeningSocket(address: address, port: port, backlog: 8)
        } catch {
            throw OutletTrouble(.system, "cannot listen: \(error.cause)", pause: .minute)
        }
    }

    deinit {
        for guest in guests { close(guest.descriptor) }
        close(socket.descriptor)
    }

    /// Serves whoever is there, sleeping at most until the deadline.
    func turn(until deadline: UInt64, _ metrics: () -> [UInt8]) throws(OutletTrouble) {
        let now = Clock.monotonic(), next = guests.reduce(deadline) { min($0, $1.deadline) }
        var watched = guests.map { pollfd(fd: $0.descriptor, events: Int16($0.answer?.isEmpty == false ? POLLOUT : POLLIN), revents: 0) }
        watched.append(pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0))
        guard poll(&watched, nfds_t(watched.count), next > now ? Int32(clamping: (next - now) / 1_000_000 + 1) : 0) >= 0 else { return }
        for index in guests.indices.reversed() {
            // Also of one who always has something more to say.
            let isOver = Clock.monotonic() >= guests[index].deadline || (watched[index].revents != 0 && !serve(index, metrics))
            if isOver { close(guests.remove(at: index).descriptor) }
        }
        if watched[watched.count - 1].revents != 0 { try takeGuest() }
    }

    private func takeGuest() throws(OutletTrouble) {
        do throws(SystemError) {
            guard let (descriptor, _) = try socket.accept() else { return }
            // Whoever has been there longest has had the time to ask: those who say nothing keep nobody out.
            if guests.count >= Self.most { close(guests.removeFirst().descriptor) }
            guests.append(Guest(descriptor: descriptor, deadline: Clock.monotonic() &+ Self.patience))
        } catch {
            throw OutletTrouble(.system, "nobody can be listened to: \(error.cause)")
        }
    }

    /// False where there is nothing more to do.
    private func serve(_ index: Int, _ metrics: () -> [UInt8]) -> Bool {
        if guests[index].answer == nil {
            guard let octets = read(guests[index].descriptor) else { return Channel.isWaiting }
            guard !octets.isEmpty else { return false }
            guard let verdict = octets.withUnsafeBytes({ guests[index].request.take($0) }) else { return true }
            guests[index].answer = ScrapeRequest.answer(verdict, metrics)[...]
        } else if guests[index].isLeaving {
            // Whatever else comes is not read: its sender ends when it has the answer, or at the deadline.
            guard let octets = read(guests[index].descriptor) else { return Channel.isWaiting }
            return !octets.isEmpty
        }
        guard let answer = guests[index].answer else { return true }
        let count = answer.withUnsafeBytes { Channel.write($0, to: guests[index].descriptor) }
        guard count >= 0 else { return Channel.isWaiting }
        guests[index].answer = answer.dropFirst(count)
        if count == answer.count {
            guests[index].isLeaving = true
            ListeningSocket.endSending(guests[index].descriptor)
        }
        return true
    }

    /// Nil, and errno, where nothing could be read; empty at the end.
    private func read(_ descriptor: Int32) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: ScrapeRequest.most)
        let count = octets.withUnsafeMutableBytes { Channel.read(into: $0, from: descriptor) }
        return count >= 0 ? Array(octets.prefix(count)) : nil
    }
}
