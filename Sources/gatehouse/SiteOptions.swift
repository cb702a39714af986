import Board
import Credentials

/// What the site file says to this gate, and what the gate is called.
struct LoadedSite {
    var identity: GateIdentity?
    var finding = SiteFinding.none
    /// The number of a file with which the gate did not come to run, where that was found out just now.
    var givenUp: Int64?

    /// The settings in force; nil where there are none.
    var settings: SiteSettings? {
        if case .installed(let site) = finding { site.settings } else { nil }
    }

    var number: Int64? {
        if case .installed(let site) = finding { site.number } else { nil }
    }

    /// There is a site file, and nothing of it is known: what it demanded may have been more than what the board's profile does.
    var isUnusable: Bool {
        if case .unusable = finding { true } else { false }
    }
}

extension TrustOptions {
    /// The site file beside the trust bundle; none where there is no root file to check it with. One that cannot be read is for `load` to report.
    ///
    /// - Parameter isStart: whether a gate starts, which counts as a trial of a new file.
    func site(isStart: Bool = false) -> LoadedSite {
        guard let path = try? rootFile(), let root = try? Trust.root(path) else { return LoadedSite(identity: GateIdentity(trust)) }
        let installation = SiteInstallation(trust)
        // A folder that cannot be written has no new file either, nor an id to be drawn.
        let identity = isStart ? try? GateIdentity.made(trust) : GateIdentity(trust)
        if isStart, let (finding, givenUp) = try? installation.begin(root: root, gate: identity?.id) {
            return LoadedSite(identity: identity, finding: finding, givenUp: givenUp)
        }
        do throws(TrustInstallationError) {
            return LoadedSite(identity: identity, finding: try installation.load(root: root, gate: identity?.id))
        } catch .notFound {
            return LoadedSite(identity: identity)
        } catch {
            return LoadedSite(identity: identity, finding: .unusable(.order(.disk(error))))
        }
    }

    /// A first run's end: the site file is kept, or the gate ends to be started anew.
    func trial(of site: LoadedSite) -> SiteTrial? {
        guard case .installed(let file) = site.finding, case .onTrial = file.standing else { return nil }
        return SiteTrial(needsController: file.settings.hci != nil) {
            do throws(TrustInstallationError) {
                try SiteInstallation(trust).confirm()
                say("gatehouse: the gate runs with site file \(file.number): it is kept")
            } catch {
                say("gatehouse: --trust \(trust): the site file cannot be confirmed: \(error)")
            }
        }
    }
}

extension LoadedSite {
    /// Says what a start has to say of the site file.
    func announce() {
        if let givenUp { say("gatehouse: site file \(givenUp) is given up: the gate did not come to run with it") }
        switch finding {
        case .none: break
        case .installed(let file):
            switch file.standing {
            case .proven: say("gatehouse: site file \(file.number)")
            case .onTrial: say("gatehouse: site file \(file.number), on trial")
            case .previous: say("gatehouse: the newest site file is damaged: site file \(file.number), the one before it, is used; install a new one")
            }
        case .unusable(let error): say("gatehouse: the site file cannot be used, so faces are compared in any case: \(error)")
        }
    }
}
