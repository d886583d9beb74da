// Row.swift: the result of one plugin, as a line of a table. SPDX-License-Identifier: MIT

import Foundation

/// The result of a plugin, from the best to the worst.
enum Outcome: String, CaseIterable, Comparable {
  /// It can be used, without any problem.
  case hosted
  /// It can be used, but violates a rule.
  case faulty
  /// It cannot be used, and the message has the reason.
  case refused
  /// It ended its process, or never returned.
  case crashes

  /// A smaller value is better.
  static func < (one: Outcome, other: Outcome) -> Bool {
    allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
  }
}

/// A line of `Tests/Corpus/plugins.tsv`.
struct Row: Equatable {
  let identifier: String
  /// The Debian package that contains it.
  let package: String
  let outcome: Outcome
  /// The reason of the result, or a note; may be empty.
  let reason: String

  /// The table's lines, sorted; no two have the same identifier.
  static func table(_ rows: [Row]) -> String {
    let lines = rows.sorted { ($0.package, $0.identifier) < ($1.package, $1.identifier) }.map {
      [$0.identifier, $0.package, $0.outcome.rawValue, $0.reason].joined(separator: "\t")
    }
    return ([heading] + lines).joined(separator: "\n") + "\n"
  }

  /// The rows of a table; throws the first line that is invalid.
  static func rows(of table: String) throws -> [Row] {
    try table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, let outcome = Outcome(rawValue: fields[2]) else {
        throw CorpusFault("This is no line of a table of plugins: \(line)")
      }
      return Row(
        identifier: fields[0], package: fields[1], outcome: outcome, reason: fields[3])
    }
  }

  /// The worse of two rows for each plugin in both, the first if they are equal; and rows in only
  /// one.
  static func worst(_ rows: [Row], _ others: [Row]) -> [Row] {
    let worse = { (one: Row, other: Row) in one.outcome < other.outcome ? other : one }
    return Array(
      Dictionary((rows + others).map { ($0.identifier, $0) }, uniquingKeysWith: worse).values)
  }

  private static let heading = "# plugin\tpackage\toutcome\treason"
}

/// The reason why the corpus cannot run, as a message.
struct CorpusFault: Error, CustomStringConvertible {
  let description: String
  init(_ message: String) { description = message }
}
