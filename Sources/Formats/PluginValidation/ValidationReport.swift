// ValidationReport.swift: all that was found of one plugin, and the verdict. SPDX-License-Identifier: MIT

/// What it comes to, for one column of a list.
package enum PluginRating: UInt8, Sendable, CaseIterable, Comparable {
  /// Nothing was found that speaks against it.
  case safe
  /// It takes so much time, at least now and then, that the sound may break off.
  case slow
  /// It breaks a rule that may be heard, but neither ends the process nor holds up the thread.
  case faulty
  /// It allocates, locks or enters the kernel while it renders.
  case notRealTimeSafe
  /// It cannot be created.
  case unusable
  /// It ends its process, or never comes back.
  case crashes

  /// The word for a table and for JSON.
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

  /// The lesser is the better.
  package static func < (one: PluginRating, other: PluginRating) -> Bool {
    one.rawValue < other.rawValue
  }

  init(_ grade: Severity) {
    self =
      switch grade {
      case .notApplicable, .passed, .noted: .safe
      case .slow: .slow
      case .faulty: .faulty
      case .notRealTimeSafe: .notRealTimeSafe
      case .unusable: .unusable
      case .crashed: .crashes
      }
  }
}

/// Everything that was found of one plugin.
package struct ValidationReport: Sendable, Equatable {
  /// One for each examination, in their order.
  package var results: [TestResult]

  /// A report of results.
  package init(_ results: [TestResult]) { self.results = results }

  /// The worst that was seen. [any]
  package var verdict: PluginRating { PluginRating(results.map(\.grade).max() ?? .notApplicable) }

  /// Why the plugin cannot be made, in its own words; nil if it can. [any]
  package var refusal: String? {
    results.lazy.flatMap(\.remarks).first { $0.grade == .unusable }?.sentence
  }

  /// Every remark that is more than worth knowing, the worst first. [any]
  package var faults: [TestMessage] {
    results.flatMap(\.remarks).filter { $0.grade > .noted }.sorted { $0.grade > $1.grade }
  }
}
