// Comparison.swift: the results of a run compared with the table. SPDX-License-Identifier: MIT

/// A run of some packages, compared with a table.
struct Comparison {
  /// A plugin whose result differs from the table.
  struct Change: Equatable {
    let before: Row
    /// Nil for a plugin that is no longer there.
    let after: Row?
  }

  /// Plugins that are gone, or for which there is less than before: what a run fails for.
  private(set) var lost: [Change] = []
  /// Plugins for which there is more than before.
  private(set) var gained: [Change] = []
  /// Plugins with a different message.
  private(set) var reworded: [Change] = []
  /// Plugins that the table does not know.
  private(set) var new: [Row] = []
  /// Plugins of packages of another version, of which nothing can be expected.
  private(set) var excused: [Change] = []
  /// Plugins that are as the table says.
  private(set) var sameCount = 0

  /// Compares what was found with the table, for those packages that were run; plugins of the
  /// `excused` ones are never lost.
  init(_ found: [Row], with table: [Row], of packages: Set<String>, excusing excused: Set<String>) {
    let known = Dictionary(table.map { ($0.identifier, $0) }) { first, _ in first }
    let seen = Dictionary(found.map { ($0.identifier, $0) }) { first, _ in first }
    for before in table where packages.contains(before.package) {
      add(Change(before: before, after: seen[before.identifier]), excused)
    }
    new = found.filter { known[$0.identifier] == nil }
  }

  private mutating func add(_ change: Change, _ packages: Set<String>) {
    let (before, after) = (change.before, change.after)
    if let after, after.outcome == before.outcome, after.reason == before.reason {
      sameCount += 1
    } else if packages.contains(before.package) {
      excused.append(change)
    } else if let after, after.outcome < before.outcome {
      gained.append(change)
    } else if let after, after.outcome == before.outcome {
      reworded.append(change)
    } else {
      lost.append(change)
    }
  }

  /// A line for everything that is not as the table says, what is lost last.
  var lines: [String] {
    new.map { "new: \(Self.words($0)) (\($0.package))" }
      + excused.map { "not compared, as the package has another version: \(Self.words($0))" }
      + reworded.map { "told otherwise: \(Self.words($0))" }
      + gained.map { "better: \(Self.words($0))" }
      // The word that scripts/test looks for.
      + lost.map { "FAILED  \(Self.words($0))" }
  }

  private static func words(_ row: Row) -> String {
    "\(row.identifier): \(row.outcome)\(row.reason.isEmpty ? "" : ": \(row.reason)")"
  }

  private static func words(_ change: Change) -> String {
    let before = change.before
    let was = "was \(before.outcome)\(before.reason.isEmpty ? "" : " (\(before.reason))")"
    guard let after = change.after else { return "\(before.identifier): gone, \(was)" }
    return "\(words(after)); \(was)"
  }
}
