import Faces
import Testing

@Suite("Face reasons")
struct FaceReasonTests {
    @Test("each reason has a word of its own")
    func words() {
        let codes = FaceReason.allCases.map(\.code)
        #expect(Set(codes).count == codes.count)
        #expect(codes.allSatisfy { $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D } })
    }
}
