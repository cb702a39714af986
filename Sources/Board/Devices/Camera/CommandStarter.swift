/// Who starts and ends the program of `cmd:`. The gate itself may not, once it is confined.
public protocol CommandStarter: AnyObject {
    /// Starts the program; one that runs is ended first.
    ///
    /// - Returns: what the program writes, to be read and closed by the caller.
    func startCommand() throws -> Int32
    /// Ends the program. Twice is allowed.
    func stopCommand()
}
