// ValidationReport.swift: the results of a validation and the rating. SPDX-License-Identifier: MIT

/// The rating of a plugin in a list.
package enum PluginRating: UInt8, Sendable, CaseIterable, Comparable {
  /// No fault was found.
  case safe
  /// The CPU time may cause dropouts.
  case slow
  /// The plugin breaks a rule that may be audible.
  case faulty
  /// The plugin allocates, locks or makes system calls while it renders.
  case notRealTimeSafe
  /// The plugin cannot be created.
  case unusable
  /// The plugin crashes, exits or hangs.
  case crashes

  /// The name in tables and JSON.
  package var word: String {
    switch self {
    case .safe: "ok"
    case .slow: "slow"
    case .faulty: "faulty"
    case .notRealTimeSafe: "not real-time safe"
    case .unusable: "unusable"
    case .crashes: "crashes"
    }
  }

  /// A smaller rating is better.
  package static func < (one: PluginRating, other: PluginRating) -> Bool {
    one.rawValue < other.rawValue
  }

  init(_ severity: Severity) {
    self =
      switch severity {
      case .notApplicable, .passed, .note: .safe
      case .slow: .slow
      case .faulty: .faulty
      case .notRealTimeSafe: .notRealTimeSafe
      case .unusable: .unusable
      case .crashed: .crashes
      }
  }
}

/// The results of a validation.
package struct ValidationReport: Sendable, Equatable {
  /// One result per test, in order.
  package var results: [TestResult]

  /// Creates a report.
  package init(_ results: [TestResult]) { self.results = results }

  /// The worst rating. [any]
  package var rating: PluginRating { PluginRating(results.map(\.severity).max() ?? .notApplicable) }

  /// The message of a plugin that cannot be created; nil if it can. [any]
  package var refusal: String? {
    results.lazy.flatMap(\.remarks).first { $0.severity == .unusable }?.message
  }

  /// All messages that are more than a note, the worst first. [any]
  package var faults: [TestMessage] {
    results.flatMap(\.remarks).filter { $0.severity > .note }.sorted { $0.severity > $1.severity }
  }
}
