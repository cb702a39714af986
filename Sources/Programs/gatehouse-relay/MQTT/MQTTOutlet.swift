import Audit
import CMosquitto
import Glibc
import Relay

final class MQTTOutlet: Outlet {
    private let settings: MQTTSettings
    init(_ settings: MQTTSettings) { self.settings = settings }
    var needs: OutletNeeds { OutletNeeds() }
    func open() throws(OutletTrouble) {}
    func close() {}
    var isConnected: Bool { false }
    var room: Int { 0 }
    func send(_ record: FeedRecord) throws(OutletTrouble) {}
    func turn(until deadline: UInt64) throws(OutletTrouble) {}
    var delivered: AuditPlace? { nil }
}
