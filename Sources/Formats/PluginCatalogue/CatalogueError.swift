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
      "\"\(name)\" stands for \(candidates.count) plugins: \(Self.list(candidates)); "
        + "give more of the name, or the URI or id."
    case .unknown(let name, _, let holder?, _):
      "No plugin is called \"\(name)\"; \(holder) names it, but could not be read: `outboard list --unusable`"
        + " gives the reason."
    case .unknown(let name, let nearest, nil, let unreadCount):
      "No plugin is called \"\(name)\"; "
        + (nearest.isEmpty
          ? "`outboard list` shows all that are installed"
          : "the nearest \(nearest.count == 1 ? "is" : "are") \(Self.list(nearest))")
        + (unreadCount == 0
          ? "."
          : ", and `outboard list --unusable` gives the reasons for \(unreadCount)"
            + " bundle\(unreadCount == 1 ? "" : "s") that could not be read.")
    case .empty:
      "The name of a plugin is empty; `outboard list` shows all that are installed."
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
