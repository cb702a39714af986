// Stands in for the one file of swift-argument-parser that uses Foundation: that would add 4.5 MB to a static program.

extension Error {
  func describe() -> String { String(describing: self) }
}

/// For `--experimental-dump-help`, which a board's program has no use for.
enum JSONEncoder {
  static func encode<T: Encodable>(_ value: T) -> String { "" }
}
