import Doctor
import JSON

/// A report of `gatehouse doctor` for people and for programs.
struct DoctorText {
    let report: DoctorReport

    /// Each part under its name; a trouble begins with `!` and ends with the command that helps.
    var lines: [String] {
        var lines: [String] = []
        for section in report.sections {
            let isTroubleOnly = section.summary == nil && section.rows.allSatisfy { $0.state == .trouble }
            if !isTroubleOnly { lines.append(section.name + (section.summary.map { ": " + $0 } ?? "")) }
            lines += section.rows.map(Self.line)
        }
        if report.troubles.isEmpty { lines.append("all is well") }
        return lines.map(printable)
    }

    private static func line(_ row: DoctorReport.Row) -> String {
        let stop = row.value.hasSuffix(".") ? " " : ". "
        let remedy = row.remedy.map { "\(stop)\($0.advice): \($0.command)" } ?? ""
        return (row.state == .trouble ? "! " : "  ") + "\(row.name): \(row.value)\(remedy)"
    }

    /// One object: `well`, `sections` of `name`, `summary` and `rows`, and the `troubles` once more. Members are always there; null where
    /// there is nothing to say.
    var json: String {
        var writer = JSONWriter(reserving: 16_384)
        writer.object { writer in
            writer.member("well", report.troubles.isEmpty)
            writer.name("sections")
            writer.array { writer in
                for section in report.sections { Self.write(section, to: &writer) }
            }
            writer.name("troubles")
            writer.array { writer in
                for trouble in report.troubles {
                    writer.object {
                        $0.member("code", trouble.code ?? "unknown")
                        $0.member("sentence", "\(trouble.name): \(trouble.value)")
                        Self.member("remedy", trouble.remedy?.command, of: &$0)
                    }
                }
            }
        }
        return escaped(writer.text)
    }

    private static func write(_ section: DoctorReport.Section, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", section.name)
            member("summary", section.summary, of: &writer)
            writer.name("rows")
            writer.array { writer in
                for row in section.rows {
                    writer.object {
                        $0.member("name", row.name)
                        $0.member("value", row.value)
                        $0.member("state", row.state.rawValue)
                        member("advice", row.remedy?.advice, of: &$0)
                        member("remedy", row.remedy?.command, of: &$0)
                    }
                }
            }
        }
    }

    private static func member(_ name: String, _ value: String?, of writer: inout JSONWriter) {
        if let value {
            writer.member(name, value)
        } else {
            writer.name(name)
            writer.null()
        }
    }
}
