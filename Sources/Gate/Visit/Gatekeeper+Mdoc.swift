import Bluetooth
import Credentials
import Mdoc
import MdocTransport
import Presentation
import Trust
import Tuvali

/// Phones that show an engagement to the camera: from the code to the answer, and what the radio has to do with it.
extension Gatekeeper {
    /// The engagement has the gate to itself until its visit is over, as a code does: nothing of the gate's own offer is on the air.
    mutating func beginMdoc(_ text: Span<UInt8>, _ now: Now) {
        yieldToCamera(now)
        visit.times = VisitTimes()
        admission.admitEngagement(at: now.monotonic)
        // What a controller can do is not known before it is up. It is waited for, and asked again when the phone is looked for.
        let controller = host.controller, isKnown = host.isReady
        presentations.commit(
            engagement: text, canAdvertise: !isKnown || controller.supports(.peripheral),
            canConnect: !isKnown || controller.supports(.central), at: now.monotonic)
        // What cannot be answered is told as any other verdict: when the one before stands no longer.
        guard presentations.mdoc.isRefused else { return }
        visit.times.opened = 0
        admission.noteOpened()
        visit.state = .opened
    }

    /// Follows up on what has come of an engagement.
    mutating func drainMdoc(_ now: Now) {
        guard presentations.isByMdoc else { return }
        presentations.mdoc.pump(to: &host, at: now.monotonic)
        while let step = presentations.mdocStep() { handle(step, now) }
        finishMdoc(now)
    }

    private mutating func handle(_ step: MdocProgress, _ now: Now) {
        switch step {
        case .asked:
            visit.times.identified = sinceConnected(now)
            host.owePatience()
            host.beginTransfer(now: now.monotonic)
        case .presented:
            noteMessage(now)
            admission.noteOpened()
            visit.state = .opened
        case .failed(let failure): failed(failure, now)
        }
    }

    private mutating func failed(_ failure: MdocFailure, _ now: Now) {
        guard visit.isWaiting else { return }
        let outcome: VisitRecord.Outcome =
            switch failure.kind {
            case .left: .left
            case .timedOut: .timedOut
            case .failed: .failed
            case .controllerFault: .controllerFault
            }
        close(outcome, failure: failure.code, now)
        light.showFailure(for: policy.failureLight, at: now.monotonic)
    }

    // MARK: the phone's link

    /// A link comes while an engagement is answered: the phone's, or that of somebody who has to leave.
    mutating func phoneConnected(_ event: HostEvent, _ now: Now) {
        let peer = host.peer ?? DeviceAddress()
        // Whom the gate has connected to is the one who advertised the engagement's service.
        let isSought = host.role == .central
        guard presentations.mdoc.awaitsLink, admission.admitPhone(peer, isSought: isSought, at: now.monotonic) else {
            presentations.mdoc.airLost()
            admission.refuse(peer)
            return host.disconnect(now: now.monotonic)
        }
        present(event, now)
    }

    mutating func phoneGone(_ event: HostEvent, isUnheard: Bool, _ now: Now) {
        // Whoever was asked for a document was the phone, as far as anybody can tell; so was whoever the gate connected to.
        let isInVain = presentations.mdoc.report.bearer == nil && !presentations.mdoc.link.bearer.isCentral
        admission.phoneLeft(inVain: isInVain, isUnheard: isUnheard, at: now.monotonic)
        present(event, now)
    }

    /// The controller is lost. What was answered already is judged all the same: it needs no radio.
    mutating func mdocRadioLost(_ now: Now) {
        guard presentations.isByMdoc else { return }
        admission.phoneLeft(inVain: false, isUnheard: true, at: now.monotonic)
        presentations.mdocRadioLost(at: now.monotonic)
        drainMdoc(now)
    }

    // MARK: the answer

    /// The answer against the trusted roots, then the policy.
    mutating func verifyAnswer(_ now: Now) {
        // The bundle's own rules come first: a gate whose trust is over believes nobody.
        if let refusal = verifier.trust.terms?.refusal(at: now.wall, uptime: now.uptime) {
            return judge(.rejected, [.credential(refusal)], form: .mdoc, now)
        }
        guard let mdocTrust else { return judge(.rejected, [.credential(.unsupportedForm(.mdoc))], form: .mdoc, now) }
        let clock = verifier.trust.terms?.clock(at: now.wall, uptime: now.uptime) ?? .sure(now.wall)
        let finding = presentations.mdoc.finding(by: mdocTrust, at: clock.now)
        visit.mdoc = MdocRecord(presentations.mdoc.report, finding)
        switch finding.verdict {
        case .reject(let reasons): judge(.rejected, reasons.map(GateReason.mdoc), form: .mdoc, signer: finding.issuer, now)
        case .accept(let document):
            admission.noteGenuine(true)
            var believed = BelievedCredential(document)
            if case .unsure = clock { believed.notes.append(CredentialNote.clockUnsure.code) }
            compareFaces(believed, now)
        }
    }

    // MARK: the end

    /// The visit is over once its verdict is told, or there is none, and the phone has left.
    mutating func finishMdoc(_ now: Now) {
        guard presentations.isByMdoc, visit.isClosed, presentations.mdoc.isQuiet else { return }
        presentations.endMdoc()
        admission.endCode(isNew: true, at: now.monotonic)
        endVisit()
        resumeOffer(now)
    }

    /// The gate's own table in the place of an engagement's, or of the visit's before. False while a link is up.
    mutating func serveOwnTable() -> Bool {
        let aries = presentations.service
        guard presentations.mdoc.hasTable || aries != servedService else { return true }
        var service = Service()
        do throws(GateError) {
            let table = try Self.attributes(version, &service, policy.offer, aries: aries)
            guard host.serve(table) else { return false }
            presentations.mdoc.tableReplaced()
            servedService = aries
            return true
        } catch {
            return false
        }
    }
}
