import Relay

/// Where the newest file is published, and where it is put for the gate's own installer.
struct PullSettings {
    let server: HTTPSRequest.Server
    let port: UInt16
    /// A folder that the gate's user may read.
    let folder: String
    /// Seconds from one look to the next.
    let interval: UInt64
    /// Seconds for one look.
    let timeout: Int

    init(_ settings: inout OutletSettings) throws(OutletSettingsError) {
        try settings.refuseDetail()
        (server, port) = try HTTPSRequest.Server.read(&settings)
        folder = try settings.path("folder")
        interval = UInt64(try settings.number("interval", 1...604_800, else: 3600))
        timeout = Int(try settings.number("timeout", 1...3600, else: 120))
    }
}
