// ValidationTest.swift: what a plugin is taken through. SPDX-License-Identifier: MIT

/// One thing that a plugin should survive, in the order in which they are done.
package enum ValidationTest: UInt8, Sendable, CaseIterable {
  /// Used for what it is made for: sound and notes, at usual rates and block lengths.
  case use = 1
  /// Made, activated, reset, deactivated and destroyed, again and again, and twice at a time.
  case life
  /// Blocks of 0, 1, odd and the greatest number of frames.
  case blocks
  /// The least and the greatest value of every parameter.
  case parameters
  /// Full-scale sound.
  case fullScale
  /// Silence after sound, where numbers become denormal.
  case silence
  /// Input that is not a number, or infinite.
  case notANumber
  /// MIDI of every kind.
  case midi
  /// Sample rates from 22,050 to 192,000 Hz.
  case rates
  /// State saved, and restored into another instance.
  case state
  /// The delay of an impulse beside the latency that is reported.
  case latency
  /// Memory, locks and system calls while it renders.
  case realTime
  /// Time for each frame.
  case time
  /// Memory that is read before it is written, and memory that is never freed.
  case memory

  /// Whether a plugin can be used, and keeps what it is set to: about a second for each.
  package static let quick: [ValidationTest] = [.use, .state]

  /// What it is called in a table and in JSON.
  package var name: String {
    switch self {
    case .use: "use"
    case .life: "life"
    case .blocks: "block lengths"
    case .parameters: "parameters"
    case .fullScale: "full scale"
    case .silence: "silence"
    case .notANumber: "NaN"
    case .midi: "MIDI"
    case .rates: "sample rates"
    case .state: "state"
    case .latency: "latency"
    case .realTime: "real time"
    case .time: "time"
    case .memory: "memory"
    }
  }
}

/// How one thing went, from harmless to fatal.
package enum Severity: UInt8, Sendable, CaseIterable, Comparable {
  /// There was nothing to examine.
  case notApplicable
  /// As it should be.
  case passed
  /// Worth knowing, and no fault.
  case noted
  /// It takes more time than it may.
  case slow
  /// It breaks a rule without ending the process.
  case faulty
  /// It does what a real-time thread must not.
  case notRealTimeSafe
  /// It could not be made even once; its sentence is the reason.
  case unusable
  /// It ended its process, or never came back.
  case crashed

  /// The word for a table and for JSON.
  package var word: String {
    switch self {
    case .notApplicable: "-"
    case .passed: "passed"
    case .noted: "note"
    case .slow: "slow"
    case .faulty: "faulty"
    case .notRealTimeSafe: "not real-time safe"
    case .unusable: "unusable"
    case .crashed: "crashed"
    }
  }

  /// The lesser is the better.
  package static func < (one: Severity, other: Severity) -> Bool { one.rawValue < other.rawValue }
}

/// A number that was measured.
package struct Measurement: Sendable, Equatable {
  /// What was measured, for instance `time per frame`.
  package var name: String
  /// How much.
  package var value: Double
  /// Of what: `ns`, `frames`, `%`.
  package var unit: String

  /// A number with its name and unit.
  package init(_ name: String, _ value: Double, _ unit: String) {
    self.name = name
    self.value = value
    self.unit = unit
  }
}

/// One thing to say about a plugin.
package struct TestMessage: Sendable, Equatable {
  /// How bad it is.
  package var grade: Severity
  /// What was seen, as one sentence without the plugin's name.
  package var sentence: String

  /// A sentence with its grade.
  package init(_ grade: Severity, _ sentence: String) {
    self.grade = grade
    self.sentence = sentence
  }
}

/// What came of one examination.
package struct TestResult: Sendable, Equatable {
  /// Which it was.
  package var examination: ValidationTest
  /// All there is to say; a grade of `passed` goes without saying.
  package var remarks: [TestMessage]
  /// What was measured.
  package var measurements: [Measurement]
  /// Whether there was anything to examine.
  package var isApplicable: Bool

  /// A result; one without remarks has passed.
  package init(
    _ examination: ValidationTest, remarks: [TestMessage] = [], measurements: [Measurement] = [],
    isApplicable: Bool = true
  ) {
    self.examination = examination
    self.remarks = remarks
    self.measurements = measurements
    self.isApplicable = isApplicable
  }

  /// The worst of its remarks. [any]
  package var grade: Severity {
    remarks.map(\.grade).max() ?? (isApplicable ? .passed : .notApplicable)
  }
}
