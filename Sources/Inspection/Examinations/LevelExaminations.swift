// LevelExaminations.swift: full scale, and what is no number. SPDX-License-Identifier: MIT

internal import PluginModel

/// Sound as loud as it gets.
enum FullScaleExamination: Examiner {
  static let examination = Examination.fullScale
  private static let frames = 9_600

  static func examine(_ specimen: Specimen) throws -> ExaminationResult {
    guard !specimen.description.audioInputs.isEmpty else { return .notApplicable(examination) }
    var findings = Findings()
    var peak: Float = 0
    let signals: [(String, Signal)] = [
      ("a square wave", .square(periodFrames: 96)),
      ("the highest square wave", .square(periodFrames: 2)),
      ("noise", .noise(level: 1)), ("a constant 1", .constant(1)), ("a constant -1", .constant(-1)),
    ]
    let bench = try specimen.bench()
    for (name, signal) in signals {
      let situation = "with \(name) at full scale"
      specimen.begin(situation)
      bench.seen = Observations()
      bench.signal = signal
      bench.run(frames: frames, blocks: 256)
      findings.add(bench.seen, specimen, situation)
      peak = max(peak, bench.seen.peak)
    }
    return ExaminationResult(
      examination, remarks: findings.remarks, measurements: [Measurement("peak", Double(peak), "")])
  }
}

/// Input that no plugin should be given, and will be.
enum NotANumberExamination: Examiner {
  static let examination = Examination.notANumber
  private static let blockFrames = 256
  /// How long a plugin may take to forget, in frames.
  private static let patienceFrames = 48_000

  static func examine(_ specimen: Specimen) throws -> ExaminationResult {
    guard !specimen.description.audioInputs.isEmpty else { return .notApplicable(examination) }
    var remarks: [Remark] = []
    for (name, value) in [("NaN", Float.nan), ("Infinity", .infinity)] {
      specimen.begin("with \(name) in its input")
      let bench = try specimen.bench()
      feed(bench, .noise(level: 0.25), frames: 4 * blockFrames)
      feed(bench, .constant(value), frames: blockFrames)
      feed(bench, .noise(level: 0.25), frames: patienceFrames)
      bench.seen = Observations()
      bench.run(blockFrames)
      guard !bench.seen.isFinite else { continue }
      remarks.append(
        Remark(
          .noted, "\(name) in its input leaves it without a number in its output a second later."))
      specimen.begin("while it was reset after \(name) in its input")
      bench.node.reset()
      feed(bench, .noise(level: 0.25), frames: 4 * blockFrames)
      bench.seen = Observations()
      bench.run(blockFrames)
      if !bench.seen.isFinite {
        remarks.append(Remark(.faulty, "Not even a reset rids it of \(name) from its input."))
      }
    }
    return ExaminationResult(examination, remarks: remarks)
  }

  private static func feed(_ bench: TestBench, _ signal: Signal, frames: Int) {
    bench.signal = signal
    bench.run(frames: frames, blocks: blockFrames)
  }
}
