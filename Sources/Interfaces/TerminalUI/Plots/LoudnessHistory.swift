// LoudnessHistory.swift: the loudness of the last minutes. SPDX-License-Identifier: MIT

/// Loudness values at equal distances in time, the latest last.
struct LoudnessHistory: Equatable, Sendable {
  /// The distance between two values, in seconds.
  static let stepSeconds = 0.5
  private static let longest = 600

  /// In LUFS; nil for silence, and for times without a value.
  private(set) var values: [Double?] = []
  /// The loudness since the start, in LUFS.
  var integrated: Double?
  private var lastStep: Int?

  /// Takes the loudness at a time in seconds.
  mutating func take(_ value: Double?, at seconds: Double) {
    let step = Int(seconds / Self.stepSeconds)
    let missing = lastStep.map { step - $0 } ?? 1
    lastStep = step
    if missing == 0, !values.isEmpty {
      values[values.count - 1] = value
      return
    }
    values += Array(repeating: nil, count: min(Self.longest, max(0, missing - 1)))
    values.append(value)
    if values.count > Self.longest { values.removeFirst(values.count - Self.longest) }
  }
}
