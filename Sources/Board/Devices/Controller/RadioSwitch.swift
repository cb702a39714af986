import CLinux
import Glibc

/// The kernel's radio switches (`/dev/rfkill`), as far as they concern Bluetooth.
///
/// A blocked controller answers ERFKILL when it is opened. A soft block is a setting and is undone here; a hard block is a switch
/// on the case.
public enum RadioSwitch {
    /// Lifts soft blocks from controller hciN and from platform switches that keep it away.
    ///
    /// The switches of other controllers are left alone. Without `/dev/rfkill`, or without the right to write it, nothing
    /// happens: opening the controller then says what is wrong.
    ///
    /// - Returns: whether the controller, or a platform switch before it, is hard-blocked.
    @discardableResult
    public static func unblock(controller index: UInt16) -> Bool {
        let descriptor = Glibc.open("/dev/rfkill", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        var isHardBlocked = false
        // After opening, each read gives one existing switch (op ADD), until EAGAIN. Bounded, because the kernel also queues changes.
        for _ in 0..<64 {
            var event = rfkill_event()
            let count = Glibc.read(descriptor, &event, MemoryLayout<rfkill_event>.size)
            if count < 0 && errno == EINTR { continue }
            guard count >= MemoryLayout<rfkill_event>.size else { break }
            guard event.type == UInt8(RFKILL_TYPE_BLUETOOTH.rawValue), event.op == UInt8(RFKILL_OP_ADD.rawValue),
                concerns(switch: event.idx, controller: index)
            else { continue }
            if event.hard != 0 { isHardBlocked = true }
            if event.soft != 0 {
                event.op = UInt8(RFKILL_OP_CHANGE.rawValue)
                event.soft = 0
                // A refusal shows when the controller is opened.
                _ = Glibc.write(descriptor, &event, MemoryLayout<rfkill_event>.size)
            }
        }
        return isHardBlocked
    }

    /// Whether switch `number` is hciN's own or a platform's, by the name in sysfs: a controller's switch bears the controller's name.
    private static func concerns(switch number: UInt32, controller index: UInt16) -> Bool {
        let descriptor = Glibc.open("/sys/class/rfkill/rfkill\(number)/name", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { Glibc.close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else { return true }
            let name = String(decoding: buffer[..<count], as: UTF8.self).prefix { $0 != "\n" }
            return name == "hci\(index)" || !name.hasPrefix("hci")
        }
    }
}
