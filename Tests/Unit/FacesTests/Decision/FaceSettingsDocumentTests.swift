import Faces
import Foundation
import TestSupport
import Testing

@Test("docs/faces.md has every setting with its standard value and its bounds")
func documentedSettings() throws {
    let text = try String(contentsOfFile: Repository.root + "/docs/faces.md", encoding: .utf8)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.split(separator: "|").count == 5 }
    #expect(rows.count == FaceSetting.allCases.count)
    for (row, setting) in zip(rows, FaceSetting.allCases) {
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(cells[0] == "`\(setting.rawValue)`")
        #expect(Double(cells[1]) == setting.standard, "\(setting)")
        #expect(Double(cells[2]) == setting.range.lowerBound && Double(cells[3]) == setting.range.upperBound, "\(setting)")
    }
}
