import Devices
import Door
import JSON
import Linux
import Trust

/// What the site file says to this gate, and what the gate is called.
package struct LoadedSite {
    package var identity: GateIdentity?
    /// It was drawn once, and cannot be read.
    package var isIDDamaged = false
    package var finding = SiteFinding.none
    /// The number of a file with which the gate did not come to run, where that was found out just now.
    var givenUp: Int64?

    /// The settings in force; nil where there are none.
    package var settings: SiteSettings? {
        if case .installed(let site) = finding { site.settings } else { nil }
    }

    package var number: Int64? {
        if case .installed(let site) = finding { site.number } else { nil }
    }

    /// What a gate has run with before a file on trial.
    var before: SiteSettings?
    /// Why a file on trial is not tried this time.
    var failure: TrustInstallationError?

    /// A supervisor's key stands for a face only where the newest file says so, and is known to.
    var allowsSupervisor: Bool { settings?.supervisorKey == true && !demandsFaces }

    var door: DoorSettings {
        var door = DoorSettings()
        if let pulse = settings?.doorPulse { door.pulse = pulse }
        if let held = settings?.doorHeld { door.held = held }
        if let opens = settings?.exitOpens { door.exitOpens = opens }
        return door
    }

    package init(identity: GateIdentity? = nil) {
        self.identity = identity
    }

    /// What the newest site file demanded is not known: it may have been more than what the board's profile does.
    package var demandsFaces: Bool { finding.demandsFaces || (finding == .none && DataPartition.anewAbove != nil) }
}

extension TrustSource {
    /// The site file beside the trust bundle; none where there is no root file to check it with. One that cannot be read is for `load` to
    /// report.
    ///
    /// - Parameter isStart: whether a gate starts, which counts as a trial of a new file.
    package func site(isStart: Bool = false) -> LoadedSite {
        guard let path = try? rootFile(), let root = try? Self.signers(path) else { return LoadedSite(identity: GateIdentity(folder)) }
        let installation = SiteInstallation(folder, patience: Self.patience)
        var site = LoadedSite()
        do throws(TrustInstallationError) {
            site.identity = isStart ? try GateIdentity.made(folder, patience: Self.patience) : try GateIdentity.found(folder)
        } catch {
            // A folder that is not there or cannot be written has no new file either, nor an id to be drawn.
            site.isIDDamaged = error == .idDamaged
            site.identity = GateIdentity(folder)
        }
        do throws(TrustInstallationError) {
            if isStart {
                let beginning = try installation.begin(root: root, gate: site.identity?.id)
                (site.finding, site.givenUp, site.before, site.failure) = (
                    beginning.finding, beginning.givenUp, beginning.before, beginning.failure
                )
            } else {
                site.finding = try installation.load(root: root, gate: site.identity?.id)
            }
        } catch .disk(let refusal) where refusal.kind == .notFound {
            return site
        } catch {
            site.finding = .unusable(.order(.disk(error)))
        }
        return site
    }

    /// A first run: at its end the site file is kept, or the gate ends to be started anew.
    ///
    /// - Parameter changes: what differs with the file.
    func trial(of site: LoadedSite, _ changes: SiteTrial.Changes) -> SiteTrial? {
        guard case .installed(let file) = site.finding, case .onTrial = file.standing, let path = try? rootFile(),
            let root = try? Self.signers(path)
        else {
            return nil
        }
        let installation = SiteInstallation(folder), gate = site.identity?.id
        return SiteTrial(
            changes,
            confirm: {
                do throws(TrustInstallationError) {
                    let isThere = try installation.confirm(file.number, root: root, gate: gate)
                    say(
                        isThere
                            ? "the gate runs with site file \(file.number): it is kept"
                            : "another site file than \(file.number) was installed: it is on trial from the next start on")
                    return isThere ? .kept : .replaced
                } catch {
                    say("--trust \(folder): the site file cannot be confirmed, which is tried again: \(error)")
                    return .later
                }
            },
            takeBack: {
                do throws(TrustInstallationError) {
                    try installation.takeBack(file.number, root: root, gate: gate)
                } catch {
                    say("--trust \(folder): this start counts against site file \(file.number): \(error)")
                }
            })
    }
}

extension LoadedSite {
    /// What differs with this site file from what was before it, where no option of the command overrules it.
    func changes(_ profile: BoardProfile?, overruled: Set<SiteMember>) -> SiteTrial.Changes {
        func plain(_ settings: SiteSettings?, _ member: SiteMember) -> String? {
            guard let text = settings?.texts[member] else { return profile?.texts[member.rawValue] }
            return (try? JSONDocument(parsing: Array(text.utf8)).root.string) ?? text
        }
        func isChanged(_ member: SiteMember) -> Bool {
            !overruled.contains(member) && plain(settings, member) != plain(before, member)
        }
        var changes = SiteTrial.Changes()
        changes.controller = isChanged(.hci)
        changes.lamps = isChanged(.lights)
        if isChanged(.screen) { changes.causes.insert(.noScreen) }
        if [.camera, .face, .faceMatcher, .faceThresholds, .faceSettings].contains(where: isChanged) {
            for cause in [.noCamera, .noMatcher, .noThreshold] as [ClosedCause] { changes.causes.insert(cause) }
        }
        if isChanged(.auditSize) || isChanged(.auditFull) { changes.causes.insert(.recordsFull) }
        return changes
    }
}

extension LoadedSite {
    /// Says what a start has to say of the site file.
    package func announce() {
        if isIDDamaged { say("\(TrustInstallationError.idDamaged)") }
        if let givenUp { say("site file \(givenUp) is given up: the gate did not come to run with it") }
        switch finding {
        case .none: break
        case .reset: say("this gate was reset, and nobody has set it up since: nobody can enter before a trust bundle and a site file come")
        case .installed(let file):
            switch file.standing {
            case .proven: say("site file \(file.number)")
            case .onTrial: say("site file \(file.number), on trial")
            case .otherCopy: say("site file \(file.number), of which only one of two copies is left: look at the disk")
            case .previous:
                if let failure {
                    say("the new site file is not tried, because the number of its trials cannot be written down: \(failure)")
                } else {
                    say("the newest site file is damaged or gone: install a new one")
                }
                say("site file \(file.number), the one before it, is used, and faces are compared in any case")
            }
        case .unusable(.order(.disk(let error))):
            say("whether there is a site file cannot be told, so faces are compared in any case: \(error)")
        case .unusable(let error): say("the site file cannot be used, so faces are compared in any case: \(error)")
        }
    }
}
