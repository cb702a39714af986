/// Scanning: when it begins, and what comes of its commands and reports.
extension HostCore {
    /// Looks for `service`; whatever else is on the air ends. False where the controller cannot.
    mutating func scan(for service: UUID, from address: DeviceAddress, until: Instant, _ now: Instant) -> Bool {
        guard phase != .ready || controller.supports(.central) else { return false }
        rest()
        scanner.want(service, from: address, until: until)
        restartActivity(now)
        return true
    }

    /// Advertises what is wanted; whatever else is on the air ends.
    mutating func advertiseOnly(_ now: Instant) {
        stopScanning()
        stopInitiating()
        restartAdvertising(now)
    }

    /// Ends whatever is on the air: advertising, scanning and initiating. A link stays.
    mutating func rest() {
        stopAdvertising()
        stopScanning()
        stopInitiating()
    }

    /// Begins what is wanted on the air, where that is possible now: one thing at a time.
    mutating func restartActivity(_ now: Instant) {
        guard phase == .ready, !connection.isUp, !initiation.isUnderWay else { return }
        if advertiser.isWanted {
            restartAdvertising(now)
        } else if scanner.isWanted, controller.supports(.central) {
            scanner.begin(&commands)
        }
    }

    mutating func stopScanning() {
        scanner.wantNothing()
        if phase == .ready { scanner.end(&commands) }
    }

    mutating func scanningAnswered(_ on: Bool, _ status: HCIStatus, _ now: Instant) -> HostEvent? {
        // Command Disallowed means that it was off already.
        if on, status != .success { return scanningRefused(status, now) }
        scanner.answered(on, now)
        // Given up meanwhile: what ends it waits already, and keeps its place ahead of what is to be on the air next.
        if on, !scanner.isWanted { commands.append(.setScanEnable(false)) }
        return nil
    }

    mutating func scanningRefused(_ status: HCIStatus, _ now: Instant) -> HostEvent? {
        // Given up meanwhile: the queue has what ends it, and the address of an attempt to connect, which stays.
        guard scanner.isWanted else { return nil }
        // It listed what it does not know: nothing is found by it.
        if status == .unknownCommand {
            commands.removeScanning()
            scanner.wantNothing()
            scanner.controllerLost()
            return .scanEnded
        }
        guard scanner.refused(&commands, now) else { return fault(.scanningRefused(status), now) }
        return nil
    }

    /// Reports of whoever advertises. The first match ends scanning.
    mutating func advertisingReport(_ event: borrowing Span<UInt8>, _ set: CommandSet, _ now: Instant) -> HostEvent? {
        guard phase == .ready, scanner.mayBeOn, set == commands.set else { return drop(.eventUnknown) }
        // On their way when scanning was ended.
        guard scanner.isWanted else { return nil }
        let finding = AdvertisingReport.search(event, for: scanner.service, in: set)
        if finding.isMalformed { counters.count(.reportMalformed) }
        counters.count(.advertisementMalformed, finding.malformedData)
        guard let peer = finding.peer else { return nil }
        stopScanning()
        return .found(peer)
    }

    mutating func scanningExpired(_ now: Instant) -> HostEvent? {
        guard scanner.isWanted else { return nil }
        if let until = scanner.until, now >= until {
            stopScanning()
            return .scanEnded
        }
        guard phase == .ready else { return nil }
        if let retry = scanner.retryAt, now >= retry { scanner.begin(&commands) }
        if scanner.isOn, let due = scanner.renewAt, now >= due { scanner.renew(&commands) }
        return nil
    }
}
