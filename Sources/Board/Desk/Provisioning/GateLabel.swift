import Devices

/// A label for one board, as SVG: its id as a code and in letters, and what people call it. 62 mm by 29 mm.
///
/// The code holds the id and nothing else, as the code that a board without a site file shows on its screen: whoever puts the label on
/// scans both, and hears whether they are the same.
package struct GateLabel {
    /// Characters, of which a line has room for 16.
    package static let longestTitle = 40
    /// Hundredths of a millimetre: of the label, and of the code with its quiet zone.
    private static let width = 6200, height = 2900
    private static let lettersOfLine = 16

    package let id: String
    package let title: String?

    package init(id: String, title: String?) {
        (self.id, self.title) = (id, title)
    }

    /// Characters that are read as they stand: no control, nothing that turns the direction round, nothing XML cannot have.
    package static func isTitle(_ text: String) -> Bool {
        guard 1...longestTitle ~= text.unicodeScalars.count else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFF: false
            default: scalar.value & 0xFFFE != 0xFFFE
            }
        }
    }

    /// The picture; nil where no code can be made.
    package func svg() -> [UInt8]? {
        guard let (path, modules) = code() else { return nil }
        var lines: [String] = []
        lines.append(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"62mm\" height=\"29mm\" viewBox=\"0 0 \(Self.width) \(Self.height)\">")
        lines.append("<title>\(Self.escaped(id))</title>")
        lines.append("<rect width=\"\(Self.width)\" height=\"\(Self.height)\" fill=\"#fff\"/>")
        lines.append(
            "<svg width=\"\(Self.height)\" height=\"\(Self.height)\" viewBox=\"0 0 \(modules) \(modules)\" shape-rendering=\"crispEdges\">")
        lines.append("<path d=\"\(path)\"/>")
        lines.append("</svg>")
        var below = 600
        for text in title.map({ [$0] }) ?? [] {
            lines.append(Self.line(text, at: below, size: 340, family: "sans-serif"))
            below += 700
        }
        for text in idLines {
            lines.append(Self.line(text, at: below, size: 300, family: "monospace"))
            below += 420
        }
        lines.append("</svg>")
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// As few lines as there can be, all but the last of them full.
    private var idLines: [String] {
        var rest = Substring(id), lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(rest.prefix(Self.lettersOfLine)))
            rest = rest.dropFirst(Self.lettersOfLine)
        }
        return lines
    }

    private static func line(_ text: String, at y: Int, size: Int, family: String) -> String {
        let left = height + 60, room = width - left - 120
        // Of a full line the length is said, so that no font runs over the edge.
        let isLong = text.unicodeScalars.count * size * 6 / 10 >= room * 9 / 10
        return "<text x=\"\(left)\" y=\"\(y)\" font-family=\"\(family)\" font-size=\"\(size)\""
            + (isLong ? " textLength=\"\(room)\" lengthAdjust=\"spacingAndGlyphs\"" : "") + ">\(escaped(text))</text>"
    }

    /// The dark modules, one move for each run of a row, and modules per side with the quiet zone.
    private func code() -> (path: String, modules: Int)? {
        var code = QRCode()
        var text = id
        let isMade = text.withUTF8 { octets in
            do throws(QRCodeError) {
                try code.encode(UnsafeRawBufferPointer(octets))
                return true
            } catch {
                return false
            }
        }
        guard isMade else { return nil }
        var path = ""
        for row in 0..<code.side {
            var column = 0
            while column < code.side {
                let begin = column
                while column < code.side, code.isDark(row: row, column: column) { column += 1 }
                if column > begin {
                    path += "M\(begin + QRCode.quietZone) \(row + QRCode.quietZone)h\(column - begin)v1H\(begin + QRCode.quietZone)z"
                }
                column += 1
            }
        }
        return (path, code.side + 2 * QRCode.quietZone)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
