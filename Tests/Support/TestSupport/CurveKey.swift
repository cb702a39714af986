/// A reader's key with its certificate, as PEM: made with `openssl genpkey` and `openssl req` for tests, and secret to nobody.
public struct CurveKey: Sendable {
    public let pem: String
    /// Self-signed, for a hundred years.
    public let certificate: String

    public static let p256 = CurveKey(
        pem: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgu9IAHBAA6sc/AhMr
            X0kZ/5nP+WsiLKdbBJd7IL5mzfKhRANCAAR14awI65wyGwVDLaB9TUcKNj/UJw/b
            VnnqyFwHEbNkw06y23JhYqZDoKFb64eC6+FS/otCLf7Af+MYdGgm2E/r
            -----END PRIVATE KEY-----
            """,
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBrjCCAVSgAwIBAgIUUfSlITx4jInm0cV/oNEboC9Fhg8wCgYIKoZIzj0EAwIw
            GzEZMBcGA1UEAwwQRGVtbyByZWFkZXIgcDI1NjAgFw0yNjExMjYyMTEyNDhaGA8y
            MTI2MTEwMjIxMTI0OFowGzEZMBcGA1UEAwwQRGVtbyByZWFkZXIgcDI1NjBZMBMG
            ByqGSM49AgEGCCqGSM49AwEHA0IABHXhrAjrnDIbBUMtoH1NRwo2P9QnD9tWeerI
            XAcRs2TDTrLbcmFipkOgoVvrh4Lr4VL+i0It/sB/4xh0aCbYT+ujdDByMB0GA1Ud
            DgQWBBTE1Wb+wUZR40sL/et3Csz9qJ7rRzAfBgNVHSMEGDAWgBTE1Wb+wUZR40sL
            /et3Csz9qJ7rRzAVBgNVHSUBAf8ECzAJBgcogYxdBQEGMA4GA1UdDwEB/wQEAwIH
            gDAJBgNVHRMEAjAAMAoGCCqGSM49BAMCA0gAMEUCIAT6szBQ1dEBWd6yj8qA/DoF
            RFxPCDZcYphXP3BBkggPAiEA6t7XY+iWNjKxlT76Zo+EvKsEKebi/x6opOOWeDnP
            BAY=
            -----END CERTIFICATE-----
            """)

    public static let p384 = CurveKey(
        pem: """
            -----BEGIN PRIVATE KEY-----
            MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDFnZiL+ssTHUkzyTEL
            RtR/Iehyu5NPXs0Oe5wqddidZxxQCu4scHiGKCh6Id6HyAqhZANiAAQkKn0+R/rz
            uo2fMdY0Y+p2eL2IfD7Udl14OypSD+fVViOKtPKn1UX4s9szFovc0rceaqgUQ4eU
            ZzStfZBcu9YpcLndNG2dgix69VIPtOPG/l1jVeqFIJ0IFyk1XXBsQKg=
            -----END PRIVATE KEY-----
            """,
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIB6zCCAXGgAwIBAgIUNArwx18/G88iz7wlRfiz7C6J9M8wCgYIKoZIzj0EAwMw
            GzEZMBcGA1UEAwwQRGVtbyByZWFkZXIgcDM4NDAgFw0yNjExMjYyMTEyNDhaGA8y
            MTI2MTEwMjIxMTI0OFowGzEZMBcGA1UEAwwQRGVtbyByZWFkZXIgcDM4NDB2MBAG
            ByqGSM49AgEGBSuBBAAiA2IABCQqfT5H+vO6jZ8x1jRj6nZ4vYh8PtR2XXg7KlIP
            59VWI4q08qfVRfiz2zMWi9zStx5qqBRDh5RnNK19kFy71ilwud00bZ2CLHr1Ug+0
            48b+XWNV6oUgnQgXKTVdcGxAqKN0MHIwHQYDVR0OBBYEFJ8JYZ9ppOv/uqpa3Jbj
            64e7BUsmMB8GA1UdIwQYMBaAFJ8JYZ9ppOv/uqpa3Jbj64e7BUsmMBUGA1UdJQEB
            /wQLMAkGByiBjF0FAQYwDgYDVR0PAQH/BAQDAgeAMAkGA1UdEwQCMAAwCgYIKoZI
            zj0EAwMDaAAwZQIwP3NI/d0pCIFBQatzJbX0WygQ4dIBqgbV9CyYHoTBAk52uOJm
            036wXd++udlOwXyaAjEAxgSUdiOd6x4g45iEvYd2Z4XCiXis0hpm+vbDMl6gDiRo
            wIiJtN59826nb3aU/4jm
            -----END CERTIFICATE-----
            """)

    public static let p521 = CurveKey(
        pem: """
            -----BEGIN PRIVATE KEY-----
            MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIAvaNHue0myjCTro5h
            UVAZ6syWuOlcEebpV/qgMp3T+znXEf4lbtW2pyLCeaon7OJSFImTxD7WiGekBg8H
            pZvF1wqhgYkDgYYABAB2dgoY2chdA8I20rN0yMJcqpFCOiH1S2aWdxBaszagYuRE
            ei4ihvXHk/DavnNj11/ilimHPEbiPn4/2VUXfzjPrgETs5TlaLQ8LhmhpuQatDXM
            EZc9LnaKOUFiRaYntv5CpX2lBASGb2u/MY5/6PMZ2rHa/C5fwcl+2DLIArNxoEST
            rg==
            -----END PRIVATE KEY-----
            """,
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIICNjCCAZegAwIBAgIUNfOD7ZgPkaUvjghQiEKrRABksMswCgYIKoZIzj0EAwQw
            GzEZMBcGA1UEAwwQRGVtbyByZWFkZXIgcDUyMTAgFw0yNjExMjYyMTEyNDhaGA8y
            MTI2MTEwMjIxMTI0OFowGzEZMBcGA1UEAwwQRGVtbyByZWFkZXIgcDUyMTCBmzAQ
            BgcqhkjOPQIBBgUrgQQAIwOBhgAEAHZ2ChjZyF0DwjbSs3TIwlyqkUI6IfVLZpZ3
            EFqzNqBi5ER6LiKG9ceT8Nq+c2PXX+KWKYc8RuI+fj/ZVRd/OM+uAROzlOVotDwu
            GaGm5Bq0NcwRlz0udoo5QWJFpie2/kKlfaUEBIZva78xjn/o8xnasdr8Ll/ByX7Y
            MsgCs3GgRJOuo3QwcjAdBgNVHQ4EFgQUfYs9GPJmkBoRUKd3CkfmAUuIl30wHwYD
            VR0jBBgwFoAUfYs9GPJmkBoRUKd3CkfmAUuIl30wFQYDVR0lAQH/BAswCQYHKIGM
            XQUBBjAOBgNVHQ8BAf8EBAMCB4AwCQYDVR0TBAIwADAKBggqhkjOPQQDBAOBjAAw
            gYgCQgFvi7s6sDiCONHMWcEHkCk3QVZ87BKkCWXnI5Lc/L0lqnOu0kCp2seknf45
            kwopS/lQeEMW6pKlReLISUn5R6qFAwJCAatUP9F6ndvk1NVoifHK9BwFSadz3aHR
            BPc0f86yqKVK3/GgW9ivYr3RT05n7G+Xg0+b+gUY+SPqX5EkNeIE1NRw
            -----END CERTIFICATE-----
            """)

    public static let all = [p256, p384, p521]

    /// The key of `p256` as `openssl ec` writes it.
    public static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEILvSABwQAOrHPwITK19JGf+Zz/lrIiynWwSXeyC+Zs3yoAoGCCqGSM49
        AwEHoUQDQgAEdeGsCOucMhsFQy2gfU1HCjY/1CcP21Z56shcBxGzZMNOsttyYWKm
        Q6ChW+uHguvhUv6LQi3+wH/jGHRoJthP6w==
        -----END EC PRIVATE KEY-----
        """
    /// The key of `p256` under the password "x".
    public static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjRzLOhF9Y8pQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEEr4cbIebfoRPDr6Bm6T6FAEgZDK
        npUlg+VNO5Gg2G9QRccnVGS9NYWxqfWKbGiu4yyHgYtoEnebZ/K9Sv/G4zIw6Hng
        j/WGsi3c7y6r86mNrrWyQCwzGbYv5iiNF2Y0v2KWgEgcJXT/xZVFCQTgitW7hzr4
        IHBimf+ElypJyFvgL8c2+SMum9k1UU3tWD5HW7gr41ZlidA73VZfHHE8AVjeSSE=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    public static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIAl+b6JXmfvMiJC4mpexU1ZIc1Dv5dhKjvQAxlEkED25
        -----END PRIVATE KEY-----
        """
    public static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQg38N585PNTFhYb/C3XTLK
        A3kLuluH5V5E9YGOAU8gF7ihRANCAATk3xq2ugSjbbK6sjqonoFXBMG/JhS30yt2
        ntYBfrcq7d8biR2phlmdzcwAkzDkGJeABUxT2jQlk+n0TG8BEBmy
        -----END PRIVATE KEY-----
        """
    /// P-256 with its parameters spelled out.
    public static let explicit = """
        -----BEGIN PRIVATE KEY-----
        MIIBeQIBADCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAAB
        AAAAAAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA
        ///////////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMV
        AMSdNgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg
        9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8A
        AAAA//////////+85vqtpxeehPO5ysL8YyVRAgEBBG0wawIBAQQgIShS/li7Gs8h
        2sGNTnirALSYTjKpqNRJA06FfRT7zMChRANCAASVTJ/5eFNTwLulQmjkGLiX1NYI
        dEVIjyQK0pPVbt9+fcIrXTA95s25t6WjgtRm3F9zTF8M1rA+5ab2qt6DYDP/
        -----END PRIVATE KEY-----
        """
}
