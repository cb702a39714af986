import Appliance
import ArgumentParser

extension MatcherName: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
