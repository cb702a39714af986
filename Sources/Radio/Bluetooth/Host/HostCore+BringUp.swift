/// The bring-up of the controller, step by step (see `BringUp`).
extension HostCore {
    mutating func stepDone(_ step: BringUp.Step, _ answer: borrowing Span<UInt8>, _ now: Instant) -> HostEvent? {
        guard bringUp.current == step, let octet = answer.octet(at: 0) else {
            return stepFailed(step, .malformed, .bringUpMalformed(step), now)
        }
        let status = HCIStatus(rawValue: octet)
        guard status == .success else { return stepFailed(step, .done(status), .bringUpRefused(step, status), now) }
        guard controller.take(answer.extracting(1..<answer.count), of: step) else {
            return stepFailed(step, .malformed, .bringUpMalformed(step), now)
        }
        if step == .version, controller.version < 6 { return fault(.versionTooOld(controller.version), now) }
        if step == .features, !controller.isLESupported { return fault(.noPeripheral, now) }
        bringUp.advance(.done(status), controller: controller)
        return queueStep(now)
    }

    private mutating func stepFailed(
        _ step: BringUp.Step, _ result: BringUp.Result, _ fault: ControllerFault, _ now: Instant
    ) -> HostEvent? {
        if step == .leEventMask, bringUp.current == step, !isEventMaskRefused, case .done = result {
            isEventMaskRefused = true
            commands.append(.bringUp(step))
            return nil
        }
        bringUp.advance(result, controller: controller)
        if BringUp.row(step).isMandatory { return self.fault(fault, now) }
        return queueStep(now)
    }

    /// An optional step was not answered in time.
    mutating func stepUnanswered(_ now: Instant) -> HostEvent? {
        bringUp.advance(.timedOut, controller: controller)
        return queueStep(now)
    }

    private mutating func queueStep(_ now: Instant) -> HostEvent? {
        if let step = bringUp.current {
            commands.append(.bringUp(step))
            return nil
        }
        credits = controller.dataPackets
        phase = .ready
        commands.set = controller.commandSet
        restartActivity(now)
        return .ready
    }
}
