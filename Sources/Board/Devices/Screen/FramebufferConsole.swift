import CLinux
import Glibc

/// The kernel's text console, which draws on framebuffers too: its cursor, the kernel's messages and a login prompt land in the code.
enum FramebufferConsole {
    /// The kernel has no more consoles (`MAX_NR_CONSOLES`).
    private static let consoles: ClosedRange<UInt32> = 1...63

    /// Whether a console is shown on the framebuffer at `descriptor`; it draws there as soon as it is in front.
    static func isShown(on descriptor: Int32, folder: String = "/sys/class/vtconsole") -> Bool {
        var info = stat()
        // Major 29 is the framebuffers' (Documentation/admin-guide/devices.txt); a file that stands for one has no console.
        guard isDriverBound(folder), fstat(descriptor, &info) == 0, info.st_rdev >> 8 & 0xFFF == 29 else { return false }
        let number = UInt32(truncatingIfNeeded: info.st_rdev & 0xFF)
        return consoles.contains { console in
            var map = fb_con2fbmap(console: console, framebuffer: .max)
            return ioctl(descriptor, UInt(FBIOGET_CON2FBMAP), &map) == 0 && map.framebuffer == number
        }
    }

    /// Whether the console's framebuffer driver draws at all: the map of consoles to framebuffers stays when it is unbound.
    static func isDriverBound(_ folder: String) -> Bool {
        // The dummy driver and this one are all there are; the numbers begin at 0.
        (0..<4).contains { number in
            first(64, of: "\(folder)/vtcon\(number)/name").hasSuffix(" frame buffer device\n")
                && first(1, of: "\(folder)/vtcon\(number)/bind") == "1"
        }
    }

    private static func first(_ count: Int, of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        return String(unsafeUninitializedCapacity: count) { max(0, read(descriptor, $0.baseAddress, count)) }
    }
}
