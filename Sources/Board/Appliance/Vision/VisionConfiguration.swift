import Cryptography
import Devices
import Faces
import Glibc
import Linux
import Visit

/// What looks through the camera, faces and codes, and what is started for it beside the gate.
package struct VisionConfiguration: Sendable {
    package var faces: FaceConfiguration
    package var codes: CodeConfiguration

    package init(faces: FaceConfiguration, codes: CodeConfiguration = CodeConfiguration(codes: CodePolicy.off.rawValue)) {
        self.faces = faces
        self.codes = codes
    }

    /// What of it this gate has.
    package struct Wanted: Sendable {
        package var faces: Bool
        package var codes: CodePolicy

        package init(faces: Bool, codes: CodePolicy) {
            self.faces = faces
            self.codes = codes
        }

        var isNothing: Bool { !faces && codes == .off }
    }

    /// What the camera is for. Without one nothing is.
    package func wanted(_ links: DeviceLinks) throws(ConfigurationError) -> Wanted {
        let face = try faces.policy(links), policy = try codes.policy(links, face)
        guard links.camera != nil else { return Wanted(faces: false, codes: .off) }
        return Wanted(faces: face != .off, codes: codes.obstacle(links, policy) == nil ? policy : .off)
    }

    /// Starts what starts the workers and the camera's program; nil where the camera is for nothing, or there is none.
    ///
    /// Before anything is given up: it needs what the gate has at first, and later may not have.
    ///
    /// - Parameters:
    ///   - user: whom the camera's program becomes where root starts it.
    ///   - isLenient: does without the parts of the workers' sandbox this system does not have.
    package func makeSupervisor(
        _ links: DeviceLinks, _ wanted: Wanted, user: String? = nil, isLenient: Bool = false
    ) throws(ConfigurationError) -> Supervisor? {
        guard let settings = try supervisorSettings(links, wanted, user: user, isLenient: isLenient) else { return nil }
        return try opened(wanted.faces ? "--face" : "--codes") { () throws(SupervisorError) in try Supervisor(settings) }
    }

    /// What `makeSupervisor` tells the supervisor.
    func supervisorSettings(
        _ links: DeviceLinks, _ wanted: Wanted, user: String? = nil, isLenient: Bool = false
    ) throws(ConfigurationError) -> SupervisorSettings? {
        guard !wanted.isNothing, let camera = links.camera else { return nil }
        var settings = SupervisorSettings()
        if wanted.faces {
            (settings.plugin, settings.models) = try faces.matcher(links)
            settings.gates = try faces.settings(links).gates
        }
        // Neither the gate's user nor root: what a worker could do to the gate, it cannot.
        if geteuid() == 0 { settings.user = "nobody" }
        if case .command(let command) = camera {
            settings.command = command
            settings.commandUser = geteuid() == 0 ? user : nil
        }
        settings.isLenient = isLenient
        return settings
    }

    /// The camera's desk and who looks through it, no worker started yet.
    func makeDesk(
        _ links: DeviceLinks, _ wanted: Wanted, _ supervisor: Supervisor?, _ settings: FaceSettings
    ) throws(ConfigurationError) -> (camera: CameraDesk, faces: FaceStage?, codes: CodeStage?)? {
        guard let supervisor, let camera = links.camera else { return nil }
        let desk = CameraDesk(camera.makeSource(supervisor: supervisor), report: say)
        var stage: FaceStage?
        if wanted.faces {
            let thresholds = try faces.thresholds(links)
            stage = try opened("--face") { () throws(CryptographyError) in
                try FaceStage(
                    camera: desk, worker: VisionClient(supervisor: supervisor), settings: settings, thresholds: thresholds, report: say)
            }
        }
        guard wanted.codes != .off else { return (desk, stage, nil) }
        let reader = CodeReader(supervisor: supervisor)
        return (desk, stage, CodeStage(camera: desk, reader: reader, policy: wanted.codes, report: say))
    }
}
