// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "gatehouse",
    products: [
        .executable(name: "gatehouse", targets: ["gatehouse"]),
        .executable(name: "gatehouse-face", targets: ["gatehouse-face"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // The system's libraries: module maps and C shims.
        .systemLibrary(name: "CBluetooth"),
        .target(name: "CCamera"),
        .target(name: "CConfinement"),
        .target(name: "CProcess"),
        .target(name: "CGPIO"),
        .target(name: "CSystem"),
        .target(name: "CJPEG"),
        .target(name: "COpenSSL"),
        .target(name: "CPNG"),
        .systemLibrary(name: "CQREncode"),
        .systemLibrary(name: "CZlib"),

        // The radio core. Both also compile as Embedded Swift without allocation: `make embedded`.
        .target(name: "Bluetooth"),
        .target(name: "Tuvali", dependencies: ["Bluetooth"]),

        // What arrived, and whether to believe it.
        .target(name: "Cryptography", dependencies: ["COpenSSL"]),
        .target(name: "CBOR"),
        .target(name: "JSON"),
        .target(name: "LinkedData", dependencies: ["Cryptography", "JSON"]),
        .target(name: "Credentials", dependencies: ["CBOR", "Cryptography", "CZlib", "JSON", "LinkedData"], exclude: ["Trust/FORMAT.md"]),

        // The face at the gate: frames, what a matcher says about them, the decision. No device, no clock, no decoder.
        .target(name: "FacePlugin"),
        .target(name: "Faces", dependencies: ["JSON"]),
        // Decodes what a camera or a credential says is a picture. Only a process that may be killed links it.
        .target(name: "Pictures", dependencies: ["CJPEG", "CPNG", "Faces"]),

        // What a process can give up for good: capabilities, files, system calls.
        .target(name: "Sandbox", dependencies: ["CConfinement"]),
        // The process beside the gate in which a matcher runs. It links nothing of the gate's.
        .executableTarget(name: "gatehouse-face", dependencies: ["CConfinement", "CProcess", "FacePlugin", "Faces", "Pictures", "Sandbox"]),

        // The visit, the board it happens on, and the command.
        .target(name: "Gate", dependencies: ["Bluetooth", "Tuvali", "Cryptography", "Credentials", "Faces"]),
        .target(name: "Board", dependencies: ["Gate", "Faces", "Bluetooth", "Credentials", "Cryptography", "JSON", "Sandbox", "CBluetooth", "CCamera", "CConfinement", "CGPIO", "CQREncode", "CSystem", "CProcess"]),
        // A controller, a wallet and an issuer by script: what a gate needs to be visited without a radio.
        .target(name: "Rehearsal", dependencies: ["Bluetooth", "Cryptography", "CProcess", "CZlib"]),
        .executableTarget(name: "gatehouse", dependencies: [
            "Board", "Gate", "Credentials", "Cryptography", "Faces", "JSON", "Rehearsal", "Sandbox",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ]),

        // For measuring: what the process takes from the system and from its allocator.
        .target(name: "ResidentMemory", path: "Tests/Support/ResidentMemory"),
        .target(name: "HostileDocuments", path: "Tests/Support/HostileDocuments"),
        .target(name: "CMallocCount", path: "Tests/Support/CMallocCount"),
        // The pictures the tests are about: none is kept in the repository.
        .target(name: "CJPEGEncoding", path: "Tests/Support/CJPEGEncoding"),
        .executableTarget(
            name: "allocation-check",
            dependencies: [
                "Board", "Gate", "Bluetooth", "Tuvali", "Credentials", "Cryptography", "JSON", "LinkedData", "Rehearsal", "ResidentMemory",
                "CMallocCount", "HostileDocuments",
            ],
            path: "Tests/Allocation"),
        // For attacking: what the gate's process may not do once it is confined, and what it must still be able to.
        .target(name: "CTrespass", path: "Tests/Support/CTrespass"),
        .executableTarget(
            name: "confinement-check", dependencies: ["Board", "Credentials", "Faces", "Sandbox", "Rehearsal", "CTrespass"], path: "Tests/Confinement"),
        // For measuring: a million visits in the audit log.
        .executableTarget(name: "audit-soak", dependencies: ["Board", "ResidentMemory"], path: "Tests/AuditSoak"),
        // For looking through a camera from outside: what it gives, by length and digest.
        .executableTarget(name: "camera-check", dependencies: ["Board", "Cryptography", "Sandbox", "CMallocCount"], path: "Tests/Camera"),
        .executableTarget(
            name: "gatehouse-bench",
            dependencies: [
                "Bluetooth", "Tuvali", "Credentials", "Cryptography", "JSON", "LinkedData", "COpenSSL", "CZlib", "Rehearsal", "ResidentMemory",
                "CMallocCount", "HostileDocuments",
            ],
            path: "Tests/Benchmarks"),
        // For comparing with another implementation: `Tests/Peers/test_oracle.py`, `test_verdicts.py`.
        .executableTarget(name: "oracle-check", dependencies: ["Credentials", "LinkedData", "Cryptography", "JSON"], path: "Tests/Oracle"),

        // For comparing with another decoder: `Tests/Peers/test_pictures.py`.
        .executableTarget(name: "picture-check", dependencies: ["Faces", "Pictures"], path: "Tests/Pictures"),

        // For attacking: mutants of every sample that is accepted.
        .executableTarget(
            name: "mutation-check",
            dependencies: ["CBOR", "COpenSSL", "Credentials", "Cryptography", "JSON", "LinkedData"],
            path: "Tests/Mutation"),

        .testTarget(name: "BluetoothTests", dependencies: ["Bluetooth"]),
        .testTarget(
            name: "TuvaliTests", dependencies: ["Tuvali", "Bluetooth", "Cryptography"], exclude: ["vectors.json"]),
        .testTarget(
            name: "CryptographyTests", dependencies: ["Cryptography", "COpenSSL"],
            exclude: ["make_certificates.py"]),
        .testTarget(name: "CBORTests", dependencies: ["CBOR"]),
        .testTarget(name: "JSONTests", dependencies: ["JSON"]),
        .testTarget(name: "LinkedDataTests", dependencies: ["LinkedData", "Cryptography", "JSON", "HostileDocuments"]),
        .testTarget(
            name: "CredentialsTests",
            dependencies: ["CBOR", "Credentials", "Cryptography", "JSON", "LinkedData", "COpenSSL", "CZlib"]),
        .testTarget(name: "RehearsalTests", dependencies: ["Rehearsal", "CZlib"]),
        .testTarget(name: "FacesTests", dependencies: ["Faces", "JSON"]),
        .testTarget(name: "PicturesTests", dependencies: ["Pictures", "Faces", "CJPEGEncoding", "CZlib"]),
        .testTarget(
            name: "GateTests", dependencies: ["Gate", "Bluetooth", "Tuvali", "Cryptography", "Credentials", "CZlib"]),
        .testTarget(name: "BoardTests", dependencies: ["Board", "Bluetooth", "Credentials", "Cryptography", "Faces", "Gate", "JSON", "Sandbox", "CCamera", "CGPIO", "CProcess"]),
    ]
)
