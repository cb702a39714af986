import Glibc
import Linux

/// `pwm:`: a loudspeaker or a piezo on a PWM channel of the kernel (`/sys/class/pwm/pwmchipN/pwmM`; its Documentation/driver-api/pwm.rst).
///
/// The channel's files are opened once, before the gate gives up its rights, and only written afterwards. The kernel does not silence a
/// channel whose writer was killed: the next start does.
public final class PWMSounder: Sounder {
    private var period: Int32 = -1
    private var duty: Int32 = -1
    private var enable: Int32 = -1
    private var frequency: UInt32 = 0

    /// Nanoseconds of the period until the first tone.
    private static let firstPeriod: UInt32 = 1_000_000
    private static let mostOctaves = 3

    /// - Parameter channel: the channel's folder, such as `/sys/class/pwm/pwmchip0/pwm0`. Where it is not there, the chip is asked for it.
    public init(_ channel: String) throws(SounderError) {
        do throws(SounderError) {
            if access(channel, F_OK) != 0 { try Self.export(channel) }
            period = try Self.file(channel, "period")
            duty = try Self.file(channel, "duty_cycle")
            enable = try Self.file(channel, "enable")
            try prepare()
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
    }

    /// Asks the chip for a channel. One that the chip has not, or has given to a driver, shows when its files are opened.
    private static func export(_ channel: String) throws(SounderError) {
        guard let slash = channel.lastIndex(of: "/") else { return }
        let number = channel[channel.index(after: slash)...].drop { !$0.isNumber }
        let descriptor = try opened("export", in: String(channel[..<slash]), of: channel)
        _ = write(number.description, to: descriptor)
        Glibc.close(descriptor)
    }

    private static func file(_ channel: String, _ name: String) throws(SounderError) -> Int32 {
        try opened(name, in: channel, of: channel)
    }

    private static func opened(_ name: String, in folder: String, of channel: String) throws(SounderError) -> Int32 {
        let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CLOEXEC)
        guard descriptor < 0 else { return descriptor }
        throw refusal(errno, of: folder, channel)
    }

    /// - Parameter folder: what could not be written in.
    static func refusal(_ code: Int32, of folder: String, _ channel: String) -> SounderError {
        switch code {
        case ENOENT, ENOTDIR: .noSuchChannel(channel)
        case EACCES, EPERM: .channelNotPermitted(folder)
        case EROFS: .channelReadOnly(folder)
        default: .system(errno: code)
        }
    }

    /// Whether all of `text` was written.
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, 0) == $0.count }
    }

    private func put(_ number: UInt32, _ descriptor: Int32) throws(SounderError) {
        if Self.write("\(number)", to: descriptor) { return }
        throw errno == ENODEV || errno == ENOENT ? .gone : .system(errno: errno)
    }

    /// Silent, with a period. Older kernels (6.1, 6.6) refuse everything, silence too, of a channel that has none, as one just made; and
    /// any kernel a period shorter than the time that is high, which a gate that was killed may have left.
    private func prepare() throws(SounderError) {
        if !Self.write("\(Self.firstPeriod)", to: period) {
            try put(0, duty)
            try put(Self.firstPeriod, period)
        }
        try put(0, enable)
    }

    /// Half of a period is high. A new period must not be shorter than the old half: the half goes first.
    ///
    /// A tone that is too high for the channel sounds octaves lower (a PCA9685 ends at 1526 Hz).
    public func set(_ frequency: UInt32) throws(SounderError) {
        guard enable >= 0 else { return }
        self.frequency = frequency
        guard frequency > 0 else { return try put(0, enable) }
        try put(0, duty)
        let length = try setPeriod(1_000_000_000 / frequency)
        try put(length / 2, duty)
        try put(1, enable)
    }

    /// The period that was taken, in nanoseconds.
    private func setPeriod(_ wanted: UInt32) throws(SounderError) -> UInt32 {
        var length = wanted
        for _ in 0..<Self.mostOctaves {
            if Self.write("\(length)", to: period) { return length }
            guard errno == EINVAL else { break }
            length &*= 2
        }
        try put(length, period)
        return length
    }

    public func close() {
        if enable >= 0, frequency > 0 { try? set(0) }
        for descriptor in [period, duty, enable] where descriptor >= 0 { Glibc.close(descriptor) }
        (period, duty, enable) = (-1, -1, -1)
    }
}
