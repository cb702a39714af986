import Testing

@testable import Appliance

/// Whether what wallets are told to post to is what is listened on.
@Suite struct EndpointObstacleTests {
    private func obstacle(_ endpoint: String, _ heard: String?) throws -> EndpointObstacle? {
        EndpointObstacle(endpoint, heard: try heard.map { try ListenerAddress($0) })
    }

    @Test(
        "the same address, port and path; what a name leads to, and what ends TLS, is not known here",
        arguments: [
            ("http://192.168.7.1/didcomm", "192.168.7.1:80"), ("http://192.168.7.1:80/didcomm", "192.168.7.1:80"),
            ("http://192.168.7.1:8080/didcomm", "192.168.7.1:8080"), ("http://[fd00::7]:8080/didcomm", "[fd00:0::7]:8080"),
            ("http://[fd00::7]/didcomm", "[fd00::7]:80"), ("http://gate.local/didcomm", "192.168.7.1:80"),
            ("http://gate.local:8080/didcomm", "[fd00::7]:8080"), ("https://gate.example/posts", "127.0.0.1:8080"),
        ])
    func arrives(endpoint: String, heard: String) throws {
        #expect(try obstacle(endpoint, heard) == nil)
        // Where nothing is listened on, nothing arrives.
        #expect(try obstacle(endpoint, nil) == .unheard(endpoint: endpoint))
    }

    @Test(arguments: [
        ("http://192.168.7.2/didcomm", "192.168.7.1:80"), ("http://192.168.7.1/didcomm", "192.168.7.1:8080"),
        ("http://192.168.7.1:8080/didcomm", "192.168.7.1:80"), ("http://192.168.7.1", "192.168.7.1:80"),
        ("http://192.168.7.1/", "192.168.7.1:80"), ("http://192.168.7.1/didcomm/", "192.168.7.1:80"),
        ("http://192.168.7.1/didcomm?lane=5", "192.168.7.1:80"), ("http://192.168.7.1:port/didcomm", "192.168.7.1:80"),
        ("http://192.168.7.1:99999/didcomm", "192.168.7.1:80"), ("http://[fd00::8]/didcomm", "[fd00::7]:80"),
        ("http://[fd00::7]/didcomm", "192.168.7.1:80"), ("http://192.168.7.1/didcomm", "[fd00::7]:80"),
        ("http://gate.local:81/didcomm", "192.168.7.1:80"), ("http:///didcomm", "192.168.7.1:80"),
    ])
    func elsewhere(endpoint: String, heard: String) throws {
        let found = try obstacle(endpoint, heard)
        guard case .elsewhere(endpoint, let listened)? = found else { return #expect(Bool(false), "\(endpoint)") }
        #expect(listened.hasSuffix("/didcomm") && found?.sentence.contains(endpoint) == true)
    }
}
