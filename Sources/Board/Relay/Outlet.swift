import Audit

/// One way out of the gate's log: what speaks a protocol to another system. It owns its connection and nothing of the log.
///
/// It is asked from one thread: `open`, then `send` while it has room and `turn` again and again, until either throws; then `close`, a
/// pause, and `open`. After each `open` records come again from behind the last one that was delivered.
package protocol Outlet: AnyObject {
    /// What it has to be let do once the process is confined.
    var needs: OutletNeeds { get }
    /// Where it begins to read the log when the process is started.
    var start: OutletStart { get }
    /// Begins to reach the other side. May block for as long as a name takes to be resolved.
    func open() throws(OutletTrouble)
    /// Gives up the connection, and what was handed out and is not delivered. May be called at any time.
    func close()
    /// The other side is there and takes records.
    var isConnected: Bool { get }
    /// How many records it takes now; 0 while it is not connected.
    var room: Int { get }
    /// Takes one record. Only while there is room.
    func send(_ record: FeedRecord) throws(OutletTrouble)
    /// Does what there is to do; sleeps until something happened, at most until the deadline (nanoseconds of `Clock.monotonic`).
    func turn(until deadline: UInt64) throws(OutletTrouble)
    /// The last record of those handed out since `open` up to which, without a gap, the other side has all; nil for none.
    var delivered: AuditPlace? { get }
    /// What does not work though records are taken, and is tried again by the outlet itself; nil for nothing.
    var complaint: OutletTrouble? { get }
    /// Forgets what was handed out and is not delivered, and stays connected: it comes again (`OutletTrouble.staysConnected`).
    func forget()
    /// From this number on records are others than those handed out before: the log is another one (1), or was written anew from there.
    /// May be called at any time.
    func logChanged(from number: UInt64)
    /// What is known of the gate, each time it has changed; before the first `open` too. Only where `needs.tellsHealth`.
    func note(_ health: FeedHealth)
}

extension Outlet {
    package var start: OutletStart { .cursor }
    package var complaint: OutletTrouble? { nil }
    package func forget() {}
    package func logChanged(from number: UInt64) {}
    package func note(_ health: FeedHealth) {}
}

package enum OutletStart: Hashable, Sendable {
    /// Behind what was delivered when the process ended.
    case cursor
    /// At the log's first record, each time: nothing is remembered.
    case beginning
}

/// What an outlet may do in a confined process, besides reading the log and writing its own state.
package struct OutletNeeds: Hashable, Sendable {
    /// TCP ports it connects to. With any, names are resolved.
    package var ports: [UInt16] = []
    /// A TCP port it listens on.
    package var listens: UInt16?
    /// Files and folders it reads, and folders it writes.
    package var readable: [String] = []
    package var writable: [String] = []
    /// Octets of memory it may take while it works: what the other side sends is no reason for more.
    package var memory: UInt64 = 24 << 20
    /// A library of it runs in several threads.
    package var startsThreads = false
    /// It asks the kernel whether the clock is synchronised.
    package var asksClock = false
    /// It reads the log. One that does not has no room for a record, ever.
    package var readsLog = true
    /// It says how the gate is.
    package var tellsHealth = false

    package init() {}
}

/// Why nothing is delivered now.
package struct OutletTrouble: Error, Hashable, Sendable {
    /// Codes of docs/troubles.md, after `outlet-`.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Its name is not resolved.
        case noAddress = "no-address"
        case notReachable = "not-reachable"
        /// Nothing came within the time for it.
        case timedOut = "timed-out"
        /// The other side ended the connection.
        case closed
        /// Its certificate is of another name, expired, or signed by nobody who is believed.
        case certificate
        /// TLS failed otherwise.
        case tls
        /// It does not believe who we are.
        case credentials
        /// It lets us do something else, but not this.
        case notAuthorized = "not-authorized"
        case quota
        /// It says that what was sent is malformed or too long.
        case refused
        /// Nobody is there who would keep the record.
        case noReader = "no-reader"
        /// It does not keep to the protocol, or sends without end.
        case protocolBroken = "protocol-broken"
        /// It says that nothing is to be sent any more.
        case gone
        /// Nothing can be promised by a clock nobody believes.
        case clock
        /// The state folder cannot be written: after a restart more comes twice.
        case state
        /// The disk, memory, or another part of this board.
        case system
    }

    package let code: Code
    /// For the operator: a number of the protocol, a cause; nothing the other side can make long.
    package let detail: String?
    package let pause: Pause
    /// The connection is as good as before: only what was handed out is forgotten, and `turn` goes on meanwhile.
    package let staysConnected: Bool

    /// When it is tried again.
    package enum Pause: Hashable, Sendable {
        /// In half a second, doubling to a minute, or earlier (`RetryPause`).
        case short
        /// In a minute or earlier: somebody has to do something.
        case minute
        /// In so many seconds or a little more, which the outlet counts by itself.
        case seconds(UInt64)
        /// Not before the process is started anew.
        case forever
    }

    package init(_ code: Code, _ detail: String? = nil, pause: Pause = .short, staysConnected: Bool = false) {
        (self.code, self.detail) = (code, detail.map { String($0.prefix(200)) })
        (self.pause, self.staysConnected) = (pause, staysConnected)
    }
}

extension OutletTrouble: CustomStringConvertible {
    package var description: String { detail.map { "\(code.rawValue) (\($0))" } ?? code.rawValue }
}
