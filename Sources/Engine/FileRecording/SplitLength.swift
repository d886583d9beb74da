// SplitLength.swift: how long a file of a recording may be. SPDX-License-Identifier: MIT

/// A length at which a recording continues in another file.
package enum SplitLength: Sendable, Equatable, CustomStringConvertible {
  /// A length in seconds.
  case seconds(Double)
  /// So large, at most.
  case bytes(Int)

  /// Parses the result of `description`.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, let number = Double(words[0]) else { return nil }
    self = words[1] == "s" ? .seconds(number) : .bytes(Int(number))
  }

  package var description: String {
    switch self {
    case .seconds(let seconds): "\(seconds) s"
    case .bytes(let count): "\(count) B"
    }
  }
}
