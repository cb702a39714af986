/// How the octets of a picture are to be read. The numbers travel in the worker's protocol.
public enum PictureFormat: UInt16, Hashable, Sendable {
    /// Three octets a pixel, red first.
    case rgb24 = 1
    /// Four octets for two pixels: Y, U, Y, V (ITU-R BT.601, as V4L2_PIX_FMT_YUYV).
    case yuyv = 3
    case jpeg = 16
    case png = 17
}
