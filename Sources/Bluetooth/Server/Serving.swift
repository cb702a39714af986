/// Another table for the next client.
extension AttributeServer {
    /// Serves `table` from now on; what the last client configured and prepared is gone with its table.
    public mutating func serve(_ table: consuming AttributeTable) {
        self.table = table
        resetClient()
        value.wipe()
    }
}

extension PeripheralHost {
    /// Serves `table` from the next link on. False, and nothing changed, while a link is up: a client's handles do not
    /// change under it.
    public mutating func serve(_ table: consuming AttributeTable) -> Bool {
        guard !isConnected else { return false }
        server.serve(table)
        return true
    }
}
