// CatalogueError.swift: errors of plugin name resolution. SPDX-License-Identifier: MIT

package import ErrorModel

/// An error of plugin name resolution.
package enum CatalogueError: Equatable {
  /// A plugin that matches a name.
  package struct Candidate: Sendable, Equatable {
    /// The display name.
    package var name: String
    /// URI or id.
    package var identifier: String
  }

  /// Several plugins match.
  case ambiguous(name: String, candidates: [Candidate])
  /// No plugin matches.
  ///
  /// `nearest` are similar names, `holder` is an unreadable bundle that may contain it, and
  /// `unreadCount` is the number of unreadable bundles.
  case unknown(name: String, nearest: [Candidate], holder: String? = nil, unreadCount: Int = 0)
  /// The name is empty.
  case empty

  /// The number of candidates in a message.
  static let listedCount = 8

  /// The error message. [any]
  package var description: String {
    switch self {
    case .ambiguous(let name, let candidates):
      "\"\(name)\" is ambiguous (\(candidates.count) plugins): \(Self.list(candidates)). "
        + "Use a longer name, the URI or the id."
    case .unknown(let name, _, let holder?, _):
      "No such plugin: \"\(name)\". \(holder) may contain it but could not be read."
        + " Run `outboard list --unusable` for the reason."
    case .unknown(let name, let nearest, nil, let unreadCount):
      "No such plugin: \"\(name)\". "
        + (nearest.isEmpty
          ? "Run `outboard list` to see all plugins."
          : "Similar plugins: \(Self.list(nearest)).")
        + (unreadCount == 0
          ? ""
          : " \(unreadCount) bundle\(unreadCount == 1 ? "" : "s") could not be read;"
            + " run `outboard list --unusable` for the reasons.")
    case .empty:
      "The plugin name is empty. Run `outboard list` to see all plugins."
    }
  }

  private static func list(_ candidates: [Candidate]) -> String {
    candidates.map { "\($0.name) (\($0.identifier))" }.listed(atMost: listedCount)
  }
}

extension CatalogueError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}
