import Bluetooth

/// A transfer report: `type(1) | pages(2) | sequence numbers(2 each)`, big-endian (tuvali.md section 7).
///
/// Only the first page is ever sent; the rest shows in the next report. Never a "missing" report with an empty list,
/// nor a number outside the transfer, nor another type: wallets in the field crash on each of them.
public enum TransferReport {
    public static var missing: UInt8 { 0x00 }
    public static var success: UInt8 { 0x01 }

    /// Writes the report on `assembler` for a link of `maxData`; false, and nothing written, before there is a transfer.
    public static func write(
        _ assembler: inout ChunkAssembler, maxData: Int, into report: inout AttributeValue
    ) -> Bool {
        guard assembler.size > 0 else { return false }
        let page = TransferSize.pageSize(maxData: maxData)
        guard page > 0 else { return false }
        report.removeAll()
        if assembler.isComplete {
            report.append(success)
            append(0, to: &report)
            return true
        }
        report.append(missing)
        append((assembler.missing + page - 1) / page, to: &report)
        var listed = 0
        var next = 1
        while listed < page, let sequence = assembler.firstMissing(from: next) {
            append(sequence, to: &report)
            listed += 1
            next = sequence + 1
        }
        return listed > 0
    }

    private static func append(_ value: Int, to report: inout AttributeValue) {
        report.append(UInt8(truncatingIfNeeded: value >> 8))
        report.append(UInt8(truncatingIfNeeded: value))
    }
}
