// CatalogueError.swift: why a name stands for no plugin. SPDX-License-Identifier: MIT

package import ErrorModel

/// What can go wrong when a plugin is named.
package enum CatalogueError: Equatable {
  /// A plugin that the name might stand for.
  package struct Candidate: Sendable, Equatable {
    /// What a person calls it.
    package var name: String
    /// URI or id.
    package var identifier: String
  }

  /// The name stands for several plugins.
  case ambiguous(name: String, candidates: [Candidate])
  /// The name stands for none; these are spelt like it. `holder` is a bundle that may hold it, and `unreadCount` how
  /// many could not be read.
  case unknown(name: String, nearest: [Candidate], holder: String? = nil, unreadCount: Int = 0)
  /// The name is empty.
  case empty

  /// How many candidates a sentence lists.
  static let listedCount = 8

  /// One sentence that says what happened and what would be right. [any]
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
    let listed = candidates.prefix(listedCount).map { "\($0.name) (\($0.identifier))" }
    let rest = candidates.count - listed.count
    return listed.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension CatalogueError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
