// ChainError.swift: why plugins on the command line are not a chain. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why the words of a command line are no chain.
package enum ChainError: Equatable {
  /// A value without a plugin before it.
  case assignmentWithoutPlugin(word: String)
  /// A unit instead of a plugin, after a value that it belongs to.
  case unitApart(assignment: String, unit: String)
  /// A number instead of a plugin, after the symbol that it belongs to.
  case valueApart(symbol: String, value: String)

  /// The message for users.
  package var description: String {
    switch self {
    case .assignmentWithoutPlugin(let word):
      "\(word) has no plugin. Write values after their plugin, as in"
        + " `reverb mix=30`."
    case .unitApart(let assignment, let unit):
      "\(unit) is separated from \(assignment). Write value and unit as one word: \(assignment)\(unit)."
    case .valueApart(let symbol, let value):
      "\(value) is not a plugin. Write a value as `\(symbol)=\(value)`."
    }
  }
}

extension ChainError: HostError {
  /// Errors in chains are errors of the request.
  package var kind: ErrorKind { .usage }
}
