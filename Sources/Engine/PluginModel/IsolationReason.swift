// IsolationReason.swift: why a plugin is isolated without a request. SPDX-License-Identifier: MIT

/// Why a plugin with `NodeIsolation.automatic` runs in a worker process.
package enum IsolationReason: Sendable, Equatable {
  /// It crashed or stalled earlier, on a day such as 2026-11-26.
  case fault(deed: String, day: String)
  /// It crashed or hung in a preflight under other conditions.
  case preflight
  /// The source was saved a moment ago, at a time in seconds since 1970.
  case newSource(savedSeconds: Double)
  /// The format is not trusted.
  case untrustedFormat
  /// The files may be replaced during the session.
  case replaceable

  /// The reason as a clause after "because". [any]
  package var text: String {
    switch self {
    case .fault(let deed, let day): "it \(deed) on \(day)"
    case .preflight: "it failed preflight under other conditions"
    case .newSource: "its source is new"
    case .untrustedFormat: "its format is not trusted"
    case .replaceable: "its files are watched"
    }
  }

  /// The reason as a word. [any]
  package var word: String {
    switch self {
    case .fault: "fault"
    case .preflight: "preflight"
    case .newSource: "new-source"
    case .untrustedFormat: "untrusted-format"
    case .replaceable: "replaceable"
    }
  }
}
