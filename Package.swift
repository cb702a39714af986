// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "gatehouse",
    products: [
        .executable(name: "gatehouse", targets: ["gatehouse"]),
        .executable(name: "gatehouse-vision", targets: ["gatehouse-vision"]),
        .executable(name: "gatehouse-http", targets: ["gatehouse-http"]),
        .executable(name: "gatehouse-relay", targets: ["gatehouse-relay"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // The system's libraries: module maps and C shims.
        .target(name: "CLinux", path: "Sources/Libraries/CLinux"),
        .target(name: "CCurl", path: "Sources/Libraries/CCurl"),
        .target(name: "CGPIO", path: "Sources/Libraries/CGPIO"),
        .target(name: "CDav1d", path: "Sources/Libraries/CDav1d"),
        .target(name: "CJPEG", path: "Sources/Libraries/CJPEG"),
        .target(name: "COpenJPEG", path: "Sources/Libraries/COpenJPEG"),
        .target(name: "COpenSSL", path: "Sources/Libraries/COpenSSL"),
        .target(name: "CPNG", path: "Sources/Libraries/CPNG"),
        .target(name: "CTLS", path: "Sources/Libraries/CTLS"),
        .target(name: "CWebP", path: "Sources/Libraries/CWebP"),
        .systemLibrary(name: "CMosquitto", path: "Sources/Libraries/CMosquitto"),
        .systemLibrary(name: "CQREncode", path: "Sources/Libraries/CQREncode"),
        .systemLibrary(name: "CSodium", path: "Sources/Libraries/CSodium"),
        .systemLibrary(name: "CZlib", path: "Sources/Libraries/CZlib"),
        .target(name: "CZXing", path: "Sources/Libraries/CZXing"),

        // The radio core. All of it also compiles as Embedded Swift without allocation: `make embedded`.
        .target(name: "Bluetooth", path: "Sources/Radio/Bluetooth"),
        .target(name: "Tuvali", dependencies: ["Bluetooth"], path: "Sources/Radio/Tuvali"),
        .target(name: "MdocTransport", dependencies: ["Bluetooth"], path: "Sources/Radio/MdocTransport"),
        .target(name: "AriesTransport", dependencies: ["Bluetooth"], path: "Sources/Radio/AriesTransport"),

        // What arrived, and whether to believe it.
        .target(name: "Cryptography", dependencies: ["COpenSSL", "CSodium"], path: "Sources/Verification/Cryptography"),
        .target(name: "CBOR", path: "Sources/Verification/CBOR"),
        .target(name: "JSON", path: "Sources/Verification/JSON"),
        .target(name: "LinkedData", dependencies: ["Cryptography", "JSON"], path: "Sources/Verification/LinkedData"),
        // What a signature is wrapped in, and how octets and times are written.
        .target(name: "Envelopes", dependencies: ["CBOR", "Cryptography", "JSON"], path: "Sources/Verification/Envelopes"),
        // DIDComm v1 envelopes and the Aries messages in them. Octets in, octets out; no link, no clock.
        .target(name: "DIDComm", dependencies: ["Cryptography", "Envelopes", "JSON"], path: "Sources/Verification/DIDComm"),
        // Whom the gate believes, and for what. Octets in, no file.
        .target(
            name: "Trust",
            dependencies: ["AnonCreds", "CBOR", "Cryptography", "Envelopes", "JSON", "LinkedData", "Mdoc", "TrustedKeyWallet"],
            path: "Sources/Verification/Trust"),
        .target(
            name: "Credentials", dependencies: ["CBOR", "Cryptography", "CZlib", "Envelopes", "JSON", "LinkedData", "Trust"],
            path: "Sources/Verification/Credentials"),
        // A document in a phone by ISO/IEC 18013-5: from the code on its screen to what it says. Octets in, octets out; no link, no clock.
        .target(name: "Mdoc", dependencies: ["CBOR", "Cryptography", "CZlib", "Envelopes"], path: "Sources/Verification/Mdoc"),

        // What a Trusted Key wallet is asked, and what its answer is worth. Octets in; no link, no clock.
        .target(
            name: "TrustedKeyWallet", dependencies: ["Cryptography", "Envelopes", "JSON"], path: "Sources/Verification/TrustedKeyWallet"),
        // Proofs of what an issuer signed for a holder, without the credential. Octets in; no link, no clock.
        .target(name: "AnonCreds", dependencies: ["Cryptography", "JSON"], path: "Sources/Verification/AnonCreds"),

        // The face at the gate: frames, what a matcher says about them, the decision. No device, no clock, no decoder.
        .target(name: "CFacePlugin", path: "Sources/Libraries/CFacePlugin"),
        // What gate, camera and worker say to each other.
        .target(name: "VisionProtocol", path: "Sources/Vision/VisionProtocol"),
        .target(name: "Faces", dependencies: ["VisionProtocol", "JSON"], path: "Sources/Vision/Faces"),
        // Decodes what a camera or a credential says is a picture. Only a process that may be killed links it.
        .target(
            name: "Pictures", dependencies: ["CDav1d", "CJPEG", "COpenJPEG", "CPNG", "CWebP", "VisionProtocol"],
            path: "Sources/Vision/Pictures"),

        // The gate's own network: one request of HTTP, read without a descriptor or a clock. Only the listener links it.
        .target(name: "HTTP", path: "Sources/Network/HTTP"),
        // What gate and listener say to each other.
        .target(name: "ListenerProtocol", path: "Sources/Network/ListenerProtocol"),
        // What the listener gives up.
        .target(name: "ListenerSandbox", dependencies: ["Linux"], path: "Sources/Board/ListenerSandbox"),
        // The process beside the gate that listens. It links nothing of the gate's.
        .executableTarget(
            name: "gatehouse-http", dependencies: ["Linux", "HTTP", "ListenerProtocol", "ListenerSandbox"],
            path: "Sources/Programs/gatehouse-http"),

        // What a gate tells other systems, in their own forms. Records in, octets out; no connection, no clock, no file.
        .target(name: "Metrics", dependencies: ["JSON"], path: "Sources/Outlets/Metrics"),
        .target(name: "Syslog", dependencies: ["Envelopes", "JSON"], path: "Sources/Outlets/Syslog"),
        .target(name: "TrustPull", path: "Sources/Outlets/TrustPull"),
        .target(name: "Webhook", dependencies: ["Cryptography", "Envelopes", "JSON"], path: "Sources/Outlets/Webhook"),

        // The process beside the gate in which a matcher runs, and the one that reads codes. It links nothing of the gate's.
        .executableTarget(
            name: "gatehouse-vision", dependencies: ["Linux", "CFacePlugin", "CZXing", "VisionProtocol", "Pictures"],
            path: "Sources/Programs/gatehouse-vision"),

        // The visit, the board it happens on, and the command.
        // From an offer to an opened message, and from there to the light. No device, no clock, no file.
        .target(
            name: "Presentation",
            dependencies: [
                "Bluetooth", "Tuvali", "MdocTransport", "AriesTransport", "AnonCreds", "CBOR", "Credentials", "Cryptography", "CZlib",
                "DIDComm", "Envelopes", "JSON", "Mdoc", "Trust", "TrustedKeyWallet",
            ],
            path: "Sources/Gate/Presentation"),
        // When a lock opens, and what a door's inputs mean. No line, no clock; it knows no visit.
        .target(name: "Door", path: "Sources/Gate/Door"),
        .target(
            name: "Visit",
            dependencies: [
                "Presentation", "Bluetooth", "Tuvali", "MdocTransport", "AriesTransport", "Cryptography", "Credentials", "DIDComm", "Faces",
                "Mdoc", "Trust", "TrustedKeyWallet",
            ],
            path: "Sources/Gate/Visit"),

        // The board, from the kernel up: what Linux gives a process, what hangs on the board, the log, the whole of it at work.
        .target(name: "Linux", dependencies: ["CLinux"], path: "Sources/Board/Linux"),
        .target(
            name: "Devices",
            dependencies: ["Linux", "Bluetooth", "Cryptography", "VisionProtocol", "JSON", "CLinux", "CGPIO", "CQREncode", "CZlib"],
            path: "Sources/Board/Devices"),
        .target(name: "Audit", dependencies: ["Linux", "Cryptography", "Envelopes", "JSON"], path: "Sources/Board/Audit"),
        .target(
            name: "Appliance",
            dependencies: [
                "Linux", "Devices", "Audit", "Door", "Presentation", "Visit", "Faces", "VisionProtocol", "Bluetooth", "Tuvali",
                "MdocTransport", "AriesTransport", "Credentials", "Cryptography", "DIDComm", "Envelopes", "JSON", "Mdoc", "Trust",
                "ListenerProtocol",
                "TrustedKeyWallet",
            ],
            path: "Sources/Board/Appliance"),
        .target(
            name: "Doctor",
            dependencies: [
                "Linux", "Devices", "Audit", "Appliance", "Visit", "Faces", "Bluetooth", "Credentials", "Cryptography", "Envelopes", "Mdoc",
                "Presentation", "RelayState", "Trust", "TrustedKeyWallet",
            ],
            path: "Sources/Board/Doctor"),
        // What a relay remembers of one outlet, for itself and for the doctor.
        .target(name: "RelayState", dependencies: ["Audit", "JSON", "Linux"], path: "Sources/Board/RelayState"),
        // From the audit log to another system: the queue, the feed, what an outlet is. The gate has nothing of it.
        .target(name: "Relay", dependencies: ["Audit", "JSON", "Linux", "RelayState"], path: "Sources/Board/Relay"),
        // The process beside the gate that tells others, one for each outlet.
        .executableTarget(
            name: "gatehouse-relay",
            dependencies: [
                "Audit", "CCurl", "CMosquitto", "CTLS", "JSON", "Linux", "Metrics", "Relay", "RelayState", "Syslog", "TrustPull", "Webhook",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Programs/gatehouse-relay"),
        // What an operator does at a desk and never on a gate: the one module that has anything fetched.
        .target(
            name: "Desk", dependencies: ["Linux", "Devices", "Appliance", "Cryptography", "Envelopes", "JSON", "Trust"],
            path: "Sources/Board/Desk"),
        // A controller, a wallet and an issuer by script: what a gate needs to be visited without a radio.
        .target(name: "SelfTest", dependencies: ["Linux", "Bluetooth", "Cryptography", "CZlib"], path: "Sources/Board/SelfTest"),

        .executableTarget(
            name: "gatehouse",
            dependencies: [
                "Linux", "Devices", "Audit", "Appliance", "Doctor", "Desk", "Door", "SelfTest", "Presentation", "Credentials",
                "Cryptography",
                "Envelopes", "Faces", "VisionProtocol", "JSON", "LinkedData", "Mdoc", "Trust",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Programs/gatehouse"),

        // For measuring: what the process takes from the system and from its allocator.
        .target(name: "ResidentMemory", path: "Tests/Support/ResidentMemory"),
        .target(name: "HostileDocuments", path: "Tests/Support/HostileDocuments"),
        // Random numbers with a seed, hexadecimal text, and compressed data made to order.
        .target(name: "TestSupport", dependencies: ["CZlib"], path: "Tests/Support/TestSupport"),
        // The suites' vectors of AnonCreds, Trusted Key and Aries, read for checks, mutants and measuring.
        .target(
            name: "ProofVectors", dependencies: ["AnonCreds", "Envelopes", "JSON", "TestSupport", "TrustedKeyWallet"],
            path: "Tests/Support/ProofVectors"),
        .target(name: "ClaimTestSupport", dependencies: ["Cryptography", "Envelopes"], path: "Tests/Support/ClaimTestSupport"),
        .target(name: "RadioTestSupport", dependencies: ["Bluetooth", "MdocTransport"], path: "Tests/Support/RadioTestSupport"),
        .target(name: "CMallocCount", path: "Tests/Support/CMallocCount"),
        // The pictures the tests are about: none is kept in the repository.
        .target(name: "CJPEGEncoding", path: "Tests/Support/CJPEGEncoding"),
        .target(name: "CPortraitEncoding", path: "Tests/Support/CPortraitEncoding"),
        // The codes they show, likewise.
        .target(name: "DrawnCodes", dependencies: ["CQREncode"], path: "Tests/Support/DrawnCodes"),
        .executableTarget(
            name: "allocation-check",
            dependencies: [
                "Devices", "Appliance", "Visit", "Bluetooth", "Tuvali", "Credentials", "Cryptography", "JSON", "LinkedData", "SelfTest",
                "ResidentMemory", "Trust", "CMallocCount", "HostileDocuments", "MdocTransport", "RadioTestSupport",
            ],
            path: "Tests/Checks/Allocation"),
        // For attacking: what the gate's process may not do once it is confined, and what it must still be able to.
        .target(name: "CTrespass", path: "Tests/Support/CTrespass"),
        .executableTarget(
            name: "confinement-check",
            dependencies: [
                "Linux", "ListenerSandbox", "Devices", "Audit", "Appliance", "Credentials", "Faces", "Relay", "SelfTest", "Trust",
                "CTrespass", "VisionProtocol",
            ],
            path: "Tests/Checks/Confinement"),
        // For measuring: a million visits in the audit log, and what it costs to count them.
        .executableTarget(
            name: "audit-soak", dependencies: ["Audit", "Cryptography", "JSON", "Linux", "ResidentMemory"], path: "Tests/Checks/AuditSoak"),
        // For looking through a camera from outside: what it gives, by length and digest.
        .executableTarget(
            name: "camera-check", dependencies: ["Appliance", "Devices", "Linux", "Cryptography", "CMallocCount", "TestSupport"],
            path: "Tests/Checks/Camera"),
        .executableTarget(
            name: "gatehouse-bench",
            dependencies: [
                "Bluetooth", "Tuvali", "Presentation", "Credentials", "Cryptography", "JSON", "LinkedData", "COpenSSL", "CZlib",
                "SelfTest", "ResidentMemory", "Envelopes", "Trust", "CMallocCount", "HostileDocuments", "TestSupport", "Devices",
                "Appliance", "Door", "Visit",
            ],
            path: "Benchmarks"),
        // For comparing with another implementation: `Tests/Peers/oracles/test_oracle.py`, `test_verdicts.py`.
        .executableTarget(
            name: "oracle-check", dependencies: ["Appliance", "Credentials", "Cryptography", "Envelopes", "JSON", "LinkedData", "Trust"],
            path: "Tests/Checks/Oracle"),

        // For comparing with another decoder: `Tests/Peers/oracles/test_pictures.py`.
        .executableTarget(name: "picture-check", dependencies: ["VisionProtocol", "Pictures"], path: "Tests/Checks/Pictures"),

        // For comparing with `cases.json`, `engagements.json` and `framing.json` of the suites.
        .executableTarget(
            name: "mdoc-check",
            dependencies: ["Bluetooth", "CBOR", "COpenSSL", "Cryptography", "Envelopes", "JSON", "Mdoc", "MdocTransport", "TestSupport"],
            path: "Tests/Checks/Mdoc"),
        // For lists made by others: `Tests/Peers/mdoc/test_mdoc_lists.py`.
        .executableTarget(
            name: "mdoc-list-check", dependencies: ["Cryptography", "Envelopes", "JSON", "Mdoc"], path: "Tests/Checks/MdocLists"),
        // For talking with another phone: `Tests/Peers/mdoc/test_mdoc_session.py`.
        .executableTarget(
            name: "mdoc-session-check", dependencies: ["Cryptography", "Envelopes", "JSON", "Mdoc"], path: "Tests/Checks/MdocSession"),

        // For comparing with a folder of Trusted Key vectors.
        .executableTarget(
            name: "trustedkey-check", dependencies: ["Envelopes", "JSON", "ProofVectors", "TrustedKeyWallet"],
            path: "Tests/Checks/TrustedKey"),
        // For comparing with folders of vectors: `anoncreds-check FOLDER`.
        .executableTarget(
            name: "anoncreds-check", dependencies: ["AnonCreds", "Cryptography", "JSON", "ProofVectors", "TestSupport"],
            path: "Tests/Checks/AnonCreds"),
        // For comparing with `envelopes.json` and `messages.json` of the suites.
        .executableTarget(
            name: "aries-check",
            dependencies: ["AriesTransport", "Bluetooth", "Cryptography", "DIDComm", "Envelopes", "JSON", "ProofVectors", "TestSupport"],
            path: "Tests/Checks/Aries"),

        // For measuring: one judgement of a vector of the three, beside its peers, and as a program for arm64.
        .executableTarget(
            name: "proof-speed", dependencies: ["CMallocCount", "Cryptography", "DIDComm", "JSON", "ProofVectors", "ResidentMemory"],
            path: "Tests/Checks/ProofSpeed"),

        // For attacking: mutants of every sample that is accepted.
        .executableTarget(
            name: "mutation-check",
            dependencies: [
                "AnonCreds", "CBOR", "COpenSSL", "Credentials", "Cryptography", "Envelopes", "JSON", "LinkedData", "ProofVectors", "Trust",
                "TrustedKeyWallet", "TestSupport",
            ],
            path: "Tests/Checks/Mutation"),

        .testTarget(name: "CZXingTests", dependencies: ["CZXing", "DrawnCodes", "TestSupport"], path: "Tests/Unit/CZXingTests"),
        .testTarget(name: "BluetoothTests", dependencies: ["Bluetooth", "TestSupport"], path: "Tests/Unit/BluetoothTests"),
        .testTarget(
            name: "TuvaliTests", dependencies: ["Tuvali", "Bluetooth", "Cryptography", "TestSupport"],
            path: "Tests/Unit/TuvaliTests"),
        .testTarget(
            name: "MdocTransportTests", dependencies: ["MdocTransport", "Bluetooth", "RadioTestSupport", "TestSupport"],
            path: "Tests/Unit/MdocTransportTests"),
        .testTarget(
            name: "AriesTransportTests", dependencies: ["AriesTransport", "Bluetooth", "RadioTestSupport", "TestSupport"],
            path: "Tests/Unit/AriesTransportTests"),
        .testTarget(
            name: "CryptographyTests", dependencies: ["Cryptography", "COpenSSL", "TestSupport"],
            path: "Tests/Unit/CryptographyTests",
            exclude: ["make_certificates.py"]),
        .testTarget(name: "CBORTests", dependencies: ["CBOR", "TestSupport"], path: "Tests/Unit/CBORTests"),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"], path: "Tests/Unit/JSONTests"),
        .testTarget(
            name: "LinkedDataTests", dependencies: ["LinkedData", "Cryptography", "JSON", "HostileDocuments", "TestSupport"],
            path: "Tests/Unit/LinkedDataTests"),
        .testTarget(
            name: "CredentialsTests",
            dependencies: [
                "CBOR", "Credentials", "Cryptography", "Envelopes", "JSON", "LinkedData", "Trust", "COpenSSL", "CZlib", "TestSupport",
            ],
            path: "Tests/Unit/CredentialsTests"),
        .testTarget(
            name: "MdocTests", dependencies: ["CBOR", "Cryptography", "Envelopes", "JSON", "Mdoc", "Trust", "TestSupport"],
            path: "Tests/Unit/MdocTests",
            exclude: ["make_documents.py", "make_lists.py"]),
        .testTarget(
            name: "TrustedKeyWalletTests",
            dependencies: ["ClaimTestSupport", "Cryptography", "Envelopes", "JSON", "TrustedKeyWallet", "TestSupport"],
            path: "Tests/Unit/TrustedKeyWalletTests"),
        .testTarget(
            name: "AnonCredsTests", dependencies: ["AnonCreds", "Cryptography", "JSON", "TestSupport"], path: "Tests/Unit/AnonCredsTests"),
        .testTarget(
            name: "TrustTests",
            dependencies: ["AnonCreds", "CBOR", "Cryptography", "Envelopes", "JSON", "TestSupport", "Trust", "TrustedKeyWallet"],
            path: "Tests/Unit/TrustTests"),
        .testTarget(
            name: "DIDCommTests", dependencies: ["Cryptography", "DIDComm", "Envelopes", "JSON", "ProofVectors", "TestSupport"],
            path: "Tests/Unit/DIDCommTests"),
        .testTarget(name: "VisionProtocolTests", dependencies: ["VisionProtocol", "TestSupport"], path: "Tests/Unit/VisionProtocolTests"),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "TestSupport"], path: "Tests/Unit/HTTPTests"),
        .testTarget(
            name: "ListenerProtocolTests", dependencies: ["ListenerProtocol", "TestSupport"], path: "Tests/Unit/ListenerProtocolTests"),
        .testTarget(
            name: "OutletsTests", dependencies: ["Cryptography", "JSON", "Metrics", "Syslog", "TestSupport", "TrustPull", "Webhook"],
            path: "Tests/Unit/OutletsTests"),
        .testTarget(name: "FacesTests", dependencies: ["Faces", "VisionProtocol", "JSON", "TestSupport"], path: "Tests/Unit/FacesTests"),
        .testTarget(
            name: "PicturesTests",
            dependencies: ["Pictures", "VisionProtocol", "CJPEGEncoding", "CPortraitEncoding", "CZlib", "TestSupport"],
            path: "Tests/Unit/PicturesTests"),
        .testTarget(
            name: "PresentationTests",
            dependencies: [
                "Presentation", "Tuvali", "MdocTransport", "AriesTransport", "AnonCreds", "Bluetooth", "Credentials", "Cryptography",
                "CZlib",
                "DIDComm", "Envelopes", "JSON", "Mdoc", "RadioTestSupport", "TestSupport", "Trust",
            ],
            path: "Tests/Unit/PresentationTests"),
        .testTarget(
            name: "VisitTests",
            dependencies: [
                "Visit", "Presentation", "Bluetooth", "Tuvali", "MdocTransport", "AriesTransport", "CBOR", "Cryptography", "Credentials",
                "DIDComm", "Envelopes", "Faces", "JSON", "Mdoc", "Trust", "TrustedKeyWallet", "CZlib", "ClaimTestSupport", "TestSupport",
            ],
            path: "Tests/Unit/VisitTests"),
        .testTarget(name: "DoorTests", dependencies: ["Door", "TestSupport"], path: "Tests/Unit/DoorTests"),
        // What tests of the board share: folders, pipes and bundles made for one test.
        .target(
            name: "BoardTestSupport", dependencies: ["Cryptography", "Trust"], path: "Tests/Support/BoardTestSupport"),
        .testTarget(name: "LinuxTests", dependencies: ["Linux", "BoardTestSupport"], path: "Tests/Unit/LinuxTests"),
        .testTarget(
            name: "DevicesTests",
            dependencies: [
                "Devices", "Linux", "Bluetooth", "VisionProtocol", "JSON", "CLinux", "CGPIO", "BoardTestSupport", "TestSupport",
            ],
            path: "Tests/Unit/DevicesTests"),
        .testTarget(
            name: "AuditTests", dependencies: ["Audit", "Linux", "Appliance", "Doctor", "BoardTestSupport"], path: "Tests/Unit/AuditTests"),
        .testTarget(
            name: "ApplianceTests",
            dependencies: [
                "Appliance", "Linux", "Devices", "Audit", "Door", "Visit", "Faces", "VisionProtocol", "ListenerProtocol", "Bluetooth",
                "Credentials",
                "Cryptography",
                "Envelopes", "JSON", "LinkedData", "SelfTest", "Trust", "BoardTestSupport", "CJPEGEncoding", "CZlib", "DrawnCodes",
                "TestSupport",
            ],
            path: "Tests/Unit/ApplianceTests"),
        .testTarget(
            name: "DoctorTests",
            dependencies: [
                "Doctor", "Appliance", "Linux", "Devices", "Visit", "Presentation", "Bluetooth", "Credentials", "Envelopes", "Trust",
                "TrustedKeyWallet", "BoardTestSupport", "Audit", "RelayState",
            ],
            path: "Tests/Unit/DoctorTests"),
        .testTarget(
            name: "RelayTests", dependencies: ["Audit", "BoardTestSupport", "JSON", "Linux", "Relay", "RelayState"],
            path: "Tests/Unit/RelayTests"),
        .testTarget(
            name: "DeskTests",
            dependencies: ["Desk", "Appliance", "Cryptography", "Envelopes", "JSON", "Linux", "Trust", "BoardTestSupport"],
            path: "Tests/Unit/DeskTests"),
        .testTarget(name: "SelfTestTests", dependencies: ["SelfTest"], path: "Tests/Unit/SelfTestTests"),
    ],
    // What the headers of zxing-cpp need.
    cxxLanguageStandard: .cxx17
)

// One optimized build serves the tests, too: they may look inside the modules, and neither they nor what only calls the modules is
// optimized. What is shipped, in images and packages, keeps nothing for them. All of it is read once, not once more for what other modules
// see of it: docs/decisions/0045-tests-of-the-optimized-build.md.
let ofTests = Context.environment["GATEHOUSE_SHIPPED"] == nil
for target in package.targets where [.test, .regular, .executable].contains(target.type) {
    // What the check of allocations does itself must not allocate either, and a hundred thousand mutants are to be made quickly.
    let isOptimized = target.type == .regular || ["allocation-check", "mutation-check"].contains(target.name)
    let flags = !ofTests ? [] : isOptimized ? ["-enable-testing"] : target.type == .test ? ["-Onone"] : ["-enable-testing", "-Onone"]
    let setting = SwiftSetting.unsafeFlags(flags + ["-no-emit-module-separately-wmo"], .when(configuration: .release))
    target.swiftSettings = (target.swiftSettings ?? []) + [setting]
}
