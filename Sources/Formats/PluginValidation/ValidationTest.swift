// ValidationTest.swift: validation tests and their results. SPDX-License-Identifier: MIT

/// A validation test.
///
/// Tests run in this order.
package enum ValidationTest: UInt8, Sendable, CaseIterable {
  /// Normal use: audio and notes, at usual rates and block lengths.
  case basicUse = 1
  /// Repeated create, activate, reset, deactivate and destroy, also with two instances.
  case lifecycle
  /// Blocks of 0, 1, odd and the maximum number of frames.
  case blocks
  /// The minimum and the maximum of every parameter.
  case parameters
  /// Full-scale signals.
  case fullScale
  /// Silence after audio, when numbers become denormal.
  case silence
  /// NaN and infinity in the input.
  case notANumber
  /// MIDI messages of every kind.
  case midi
  /// Sample rates from 22,050 to 192,000 Hz.
  case sampleRates
  /// State saved and restored into another instance.
  case state
  /// The measured latency compared with the reported latency.
  case latency
  /// Allocation, locks and system calls while it renders.
  case realTime
  /// CPU time per frame.
  case timing
  /// Reads of uninitialised memory, and leaks.
  case memory
  /// The requests that the plugin makes in a sandbox.
  case sandbox

  /// The tests of normal use and state: about a second each.
  package static let quick: [ValidationTest] = [.basicUse, .state]

  /// The name in tables and JSON.
  package var name: String {
    switch self {
    case .basicUse: "use"
    case .lifecycle: "life"
    case .blocks: "block lengths"
    case .parameters: "parameters"
    case .fullScale: "full scale"
    case .silence: "silence"
    case .notANumber: "NaN"
    case .midi: "MIDI"
    case .sampleRates: "sample rates"
    case .state: "state"
    case .latency: "latency"
    case .realTime: "real time"
    case .timing: "time"
    case .memory: "memory"
    case .sandbox: "sandbox"
    }
  }
}

/// The severity of a result, from harmless to fatal.
package enum Severity: UInt8, Sendable, CaseIterable, Comparable {
  /// The test does not apply to the plugin.
  case notApplicable
  /// No fault.
  case passed
  /// A note, not a fault.
  case note
  /// The plugin uses too much CPU time.
  case slow
  /// The plugin breaks a rule without a crash.
  case faulty
  /// The plugin is not real-time safe.
  case notRealTimeSafe
  /// The plugin cannot be created; the message is the reason.
  case unusable
  /// The plugin crashed, exited or hung.
  case crashed

  /// The name in tables and JSON.
  package var word: String {
    switch self {
    case .notApplicable: "-"
    case .passed: "passed"
    case .note: "note"
    case .slow: "slow"
    case .faulty: "faulty"
    case .notRealTimeSafe: "not real-time safe"
    case .unusable: "unusable"
    case .crashed: "crashed"
    }
  }

  /// A smaller severity is better.
  package static func < (one: Severity, other: Severity) -> Bool { one.rawValue < other.rawValue }
}

/// A measured value.
package struct Measurement: Sendable, Equatable {
  /// The name, for example `timing per frame`.
  package var name: String
  /// The value.
  package var value: Double
  /// The unit: `ns`, `frames`, `%`.
  package var unit: String

  /// Creates a measurement.
  package init(_ name: String, _ value: Double, _ unit: String) {
    self.name = name
    self.value = value
    self.unit = unit
  }
}

/// A message about a plugin.
package struct TestMessage: Sendable, Equatable {
  /// The severity.
  package var severity: Severity
  /// The message, without the plugin's name.
  package var message: String

  /// Creates a message.
  package init(_ severity: Severity, _ message: String) {
    self.severity = severity
    self.message = message
  }
}

/// The result of a test.
package struct TestResult: Sendable, Equatable {
  /// The test.
  package var test: ValidationTest
  /// The messages; none if the test passed.
  package var remarks: [TestMessage]
  /// The measured values.
  package var measurements: [Measurement]
  /// Whether the test applies to the plugin.
  package var isApplicable: Bool

  /// Creates a result; without messages the test passed.
  package init(
    _ test: ValidationTest, remarks: [TestMessage] = [], measurements: [Measurement] = [],
    isApplicable: Bool = true
  ) {
    self.test = test
    self.remarks = remarks
    self.measurements = measurements
    self.isApplicable = isApplicable
  }

  /// The worst severity of its messages. [any]
  package var severity: Severity {
    remarks.map(\.severity).max() ?? (isApplicable ? .passed : .notApplicable)
  }
}
