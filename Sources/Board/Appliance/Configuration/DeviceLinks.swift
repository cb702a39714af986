import Devices

/// The devices of a gate: named by options first, then by the site file, the board's profile, or nobody.
package struct DeviceLinks {
    package private(set) var hci = HCIMoniker.userChannel(index: 0)
    package private(set) var lights = LightsMoniker.log
    package private(set) var screen = ScreenMoniker.terminal
    package private(set) var camera: CameraMoniker?
    /// Path of the audit log, where the profile names one.
    package let audit: String?
    package let profile: BoardProfile?
    package let site: LoadedSite
    /// The camera is named by an option or the site file.
    package let isCameraAdded: Bool

    /// What options name.
    package struct Named {
        package var hci: HCIMoniker?
        package var lights: LightsMoniker?
        package var screen: ScreenMoniker?
        package var camera: CameraMoniker?

        package init() {}
    }

    package init(_ named: Named, _ site: LoadedSite, _ profile: BoardProfile?) {
        let settings = site.settings
        self.site = site
        self.profile = profile
        audit = profile?.audit
        isCameraAdded = (named.camera ?? settings?.camera) != nil
        if let value = named.hci ?? settings?.hci ?? profile?.hci { hci = value }
        if let value = named.lights ?? settings?.lights ?? profile?.lights { lights = value }
        if let value = named.screen ?? settings?.screen ?? profile?.screen { screen = value }
        camera = named.camera ?? settings?.camera ?? profile?.camera
    }
}
