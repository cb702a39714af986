/// Certificates of the Trusted Key suite, DER in base64.
enum TrustedKeyCertificates {
    /// `root` of the Trusted Key suite: P-256, an authority, until 2035.
    static let root =
        "MIIBkzCCATmgAwIBAgIBCzAKBggqhkjOPQQDAjA/MQswCQYDVQQGEwJOTDEZMBcGA1UECgwQSGFyYm91ciBJZGVudGl0eTEVMBMGA1UEAwwMSG"
        + "FyYm91ciBSb290MB4XDTE4MDkwMTExMDY0MFoXDTM1MDIwNDExMDY0MFowPzELMAkGA1UEBhMCTkwxGTAXBgNVBAoMEEhhcmJvdXIgSWRlbnRp"
        + "dHkxFTATBgNVBAMMDEhhcmJvdXIgUm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDy+7rv5d0bJXcAwyMW3duLHc7ahJoGpeNS+ejgxH+"
        + "HT+9IXmlBdEVbnDKLJhHmNrI6YM+9Smp+6Vvu/sggHdjijJjAkMBIGA1UdEwEB/wQIMAYBAf8CAQIwDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49"
        + "BAMCA0gAMEUCIAGa1VKPBTzL2W0NlN8OjfKMnOVsUWSE4O4FX5osOeGEAiEA5lu1/D6Eaag+r5wcp4QfkAuIpNmci3Z5E7AolUj7+kM="

    /// `adult`: a claim, and no authority.
    static let claim =
        "MIIBwDCCAWagAwIBAgIUCAexFy22w2at79xw72uFtBx8Q30wCgYIKoZIzj0EAwIwNjEZMBcGA1UECgwQSGFyYm91ciBJZGVudGl0eTEZMBcGA1"
        + "UEAwwQSGFyYm91ciBJc3N1ZXIgMzAeFw0yNjEwMjkxMTA2NDBaFw0yNzA2MDYxMTA2NDBaMDIxGzAZBgkrBgEEAYORDQEMDEhhcmJvdXIgcGFz"
        + "czETMBEGCSsGAQQBg5ENFQwEdHJ1ZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMic3O/G8IH/6u3wrrhQPpjXm0cBxWJPYBkyRIRCZ8I/Oc"
        + "HrKnK+G8odXyP2lFDP0KX9n16T2Cb4TIZMrbPiQjijVjBUMAwGA1UdEwEB/wQCMAAwRAYDVR0fBD0wOzA5oDegNYYzZXRoZXJldW06MHg1YTFm"
        + "MGMzYmU0NGMxZjFhYjdjMGMwYWEwZDZmN2JlMWY5ZTJkMDExMAoGCCqGSM49BAMCA0gAMEUCIQCcdnI2iLgkdSbDcq779yOkpMxp/thHsJPCvO"
        + "jNhlc8aAIgOmcrMoWKkhbSMFWHlAZ19De60k7zAnedTF4ipBeVyfU="

    static func pem(_ certificate: String) -> String { "-----BEGIN CERTIFICATE-----\n\(certificate)\n-----END CERTIFICATE-----\n" }
}
