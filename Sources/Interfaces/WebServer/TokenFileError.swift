// TokenFileError.swift: why a token cannot be read. SPDX-License-Identifier: MIT

package import ErrorModel

/// The file with a token cannot be used.
package struct TokenFileError: HostError, Equatable {
  /// The file.
  package let path: String
  /// The cause, which follows "because".
  package let reason: String

  /// Another file solves it.
  package var kind: ErrorKind { .usage }

  /// The message.
  package var description: String {
    "The token file \(path) cannot be used because \(reason)."
  }

  /// The file.
  package var fields: [String: String] { ["path": path] }
}
