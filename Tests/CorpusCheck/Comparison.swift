// Comparison.swift: the results of a run compared with the table. SPDX-License-Identifier: MIT

/// A run of some packages, compared with a table.
struct Comparison {
  /// A plugin whose result differs from the table.
  struct Change: Equatable {
    let before: Row
    /// Nil for a plugin that no longer exists.
    let after: Row?
  }

  /// Plugins that are missing or have a worse result than before, which fail the run.
  private(set) var lost: [Change] = []
  /// Plugins with a better result than before.
  private(set) var gained: [Change] = []
  /// Plugins with a different message.
  private(set) var reworded: [Change] = []
  /// Plugins that are not in the table.
  private(set) var new: [Row] = []
  /// Plugins of packages of another version.
  ///
  /// No result is expected.
  private(set) var excused: [Change] = []
  /// Plugins whose result equals the table.
  private(set) var sameCount = 0

  /// Compares results with the table, for the tested packages; plugins of the `excused` ones never
  /// fail.
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

  /// A line for each difference from the table, failures last.
  var lines: [String] {
    new.map { "new: \(Self.words($0)) (\($0.package))" }
      + excused.map { "not compared, as the package has another version: \(Self.words($0))" }
      + reworded.map { "told otherwise: \(Self.words($0))" }
      + gained.map { "better: \(Self.words($0))" }
      // scripts/test searches for this word.
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
