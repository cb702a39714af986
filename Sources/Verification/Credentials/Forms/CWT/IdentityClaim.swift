/// The attributes of claim 169 by their numbers (pixelpass.md section 3; MOSIP's 169-qr-code-specification 1.2.2, section 3.1). All are
/// optional.
enum IdentityClaim: Int, Hashable, Sendable, CaseIterable {
    case id = 1
    case version, language
    case fullName, firstName, middleName, lastName
    /// YYYYMMDD; some write YYYY-MM-DD.
    case dateOfBirth
    /// 1 male, 2 female, 3 others.
    case gender
    /// Lines apart by a line feed.
    case address
    case email, phone, nationality
    /// 1 unmarried, 2 married, 3 divorced.
    case maritalStatus
    case guardian
    /// Octets; hexadecimal text by older issuers. Deprecated since 1.2.2, for `face`.
    case photo
    /// 1 JPEG, 2 JPEG 2000, 3 AVIF, 4 WebP.
    case photoFormat
    /// 0 unknown, 1 to 5 the right hand from the thumb on, 6 to 10 the left.
    case bestQualityFingers
    case secondaryFullName, secondaryLanguage, locationCode, legalStatus, countryOfIssuance

    // Biometrics
    case rightThumb = 50
    case rightPointerFinger, rightMiddleFinger, rightRingFinger, rightLittleFinger
    case leftThumb, leftPointerFinger, leftMiddleFinger, leftRingFinger, leftLittleFinger
    case rightIris, leftIris
    /// Of which a picture is a photo like any other.
    case face
    case rightPalmPrint, leftPalmPrint
    case voice

    /// - Parameter label: decimal text, in the one form it has.
    init?(label: String) {
        guard let number = Int(label), String(number).utf8.elementsEqual(label.utf8) else { return nil }
        self.init(rawValue: number)
    }

    /// What people call it.
    init?(name: String) {
        guard let claim = Self.allCases.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = claim
    }

    /// As `claims` has it.
    var label: String { String(rawValue) }

    /// A stable word.
    var name: String { "\(self)" }

    var isBiometric: Bool { rawValue >= Self.rightThumb.rawValue }
}
