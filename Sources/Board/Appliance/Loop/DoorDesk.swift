import Door
import Linux
import Visit

/// Door and sound of a gate at work: what a verdict opens, what is heard of it and who else is told, and what happened at the door on its
/// way to the log.
final class DoorDesk {
    private let door: DoorPanel?
    private let sound: SoundPanel?
    private let feed: LiveFeed?
    private let records: VisitRecords
    private var light = LightState.off
    /// From when on there may be another alarm: whoever rattles at the door does not make one tone of it.
    private var alarmAt: UInt64 = 0
    /// Nanoseconds of silence after an alarm.
    private static let alarmPause: UInt64 = 500_000_000

    init(_ door: DoorPanel?, sound: SoundPanel?, feed: LiveFeed? = nil, records: VisitRecords) {
        self.door = door
        self.sound = sound
        self.feed = feed
        self.records = records
    }

    /// Somebody may pass, now or in a moment: nothing that takes long may begin.
    var isBusy: Bool { door?.isBusy ?? false }

    /// nil where there is no door.
    var isUp: Bool? { door?.isUp }

    var nextLook: UInt64? {
        guard let door = door?.nextChange, let sound = sound?.nextChange else { return door?.nextChange ?? sound?.nextChange }
        return min(door, sound)
    }

    /// Its light is on. The lock first: nobody walks through a sound, or through a door of somebody else's.
    func tell(isAccepted: Bool, now: UInt64) {
        if isAccepted { door?.admit(now: now) }
        sound?.play(isAccepted ? .accepted : .rejected, now: now)
        let kept = records.takeKept(isAccepted: isAccepted)
        feed?.tell(isAccepted: isAccepted, kept: kept, wall: Int64(clamping: Clock.wall() / 1_000_000), now: now)
    }

    func tell(_ light: LightState, now: UInt64) {
        defer { self.light = light }
        if light == .look, self.light != .look { sound?.play(.attention, now: now) }
    }

    func serve(_ now: UInt64) { door?.serve(now) }

    func passTime(_ now: UInt64) {
        door?.passTime(now)
        if door?.takeAlarm() == true, now >= alarmAt {
            alarmAt = now &+ SoundPattern.alarm.length &+ Self.alarmPause
            sound?.play(.alarm, now: now)
        }
        sound?.passTime(now)
    }

    /// The supervisor's key, the guard's button and the visitor's.
    func takePresses() -> DoorSignals { door?.takePresses() ?? [] }

    /// Keeps records of what happened. Whatever is to be open is by now, and what is over is closed before each: no lock waits for more
    /// than one write to a disk.
    func keepRecords(_ clock: () -> UInt64) {
        while let event = door?.takeEvent() {
            door?.passTime(clock())
            records.keep(event)
        }
    }

    /// What became of a supervisor's key: at once, before the record of the visit that it is for.
    func keep(_ news: SupervisorNews, _ clock: () -> UInt64) {
        guard let door else { return records.keep(DoorEvent(news)) }
        door.note(DoorEvent(news), now: clock())
        keepRecords(clock)
    }

    /// The gate has ended, and its lock is closed: what was only counted has its record too. No time passes for the door any more, or its
    /// lines would be looked for again.
    func end() {
        door?.end()
        while let event = door?.takeEvent() { records.keep(event) }
    }

    func close() {
        door?.close()
        sound?.close()
    }
}
