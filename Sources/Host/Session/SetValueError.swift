// SetValueError.swift: why a value was not set. SPDX-License-Identifier: MIT

/// The reasons why nothing was set.
package struct SetValueError: Error, Equatable, CustomStringConvertible {
  /// One message for each error.
  package let messages: [String]

  /// The messages, one per line.
  package var description: String { messages.joined(separator: "\n") }
}
