// BasicUseTest.swift: normal use of a plugin. SPDX-License-Identifier: MIT

internal import PluginModel

/// Silence, an impulse, noise and notes, at the usual rates and block lengths of devices and files.
///
/// A plugin that fails here is unusable. Other tests cover less usual conditions.
enum BasicUseTest: ValidationTestRunner {
  static let test = ValidationTest.basicUse
  /// Block lengths of devices and files, in frames.
  private static let lengths = [64, 480, 1_024]
  /// Live and offline use differ in the thread that runs the plugin's worker.
  private static let streams: [(sampleRateHz: Double, isOffline: Bool)] = [
    (44_100, false), (96_000, true),
  ]
  /// The minimum duration of each signal, in frames; the last block has the full length.
  private static let signalFrames = 4_800

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    var faults = FaultCollector()
    var audiblePeak: Float = 0
    var instanceCount = 0
    for stream in streams {
      for length in lengths {
        let situation = "at \(Int(stream.sampleRateHz)) Hz with blocks of \(length) frames"
        testedPlugin.begin("while it was created \(situation)")
        let bench: TestBench
        do {
          bench = try testedPlugin.bench(
            sampleRateHz: stream.sampleRateHz, maximumFrameCount: length,
            isOffline: stream.isOffline, hasConstantBlocks: true)
        } catch {
          guard instanceCount > 0 else {
            return TestResult(test, remarks: [TestMessage(.unusable, "\(error)")])
          }
          faults.add(.faulty, "It cannot be created", "\(situation) (\(error))")
          continue
        }
        instanceCount += 1
        // Noise is not a valid control voltage, for example for a frequency.
        bench.restsVoltages = true
        testedPlugin.begin(situation)
        play(bench, blocks: length)
        faults.add(bench.seen, testedPlugin, situation)
        audiblePeak = max(audiblePeak, bench.seen.peak)
        testedPlugin.begin("while it was destroyed after it had rendered \(situation)")
      }
    }
    let isSilent = audiblePeak == 0 && !testedPlugin.description.audioOutputs.isEmpty
    return TestResult(
      test,
      remarks: faults.remarks + (isSilent ? [TestMessage(.note, "It stays silent.")] : []),
      measurements: [Measurement("peak", Double(audiblePeak), "")])
  }

  private static func play(_ bench: TestBench, blocks length: Int) {
    let blocks = [Int](repeating: length, count: (signalFrames + length - 1) / length)
    for signal in [TestSignal.silence, .impulse, .noise(level: 0.25)] {
      bench.signal = signal
      bench.run(blocks)
    }
    guard bench.node.eventInput != nil else { return }
    bench.playNotes()
    bench.run(blocks)
    bench.endNotes()
    bench.run(blocks)
  }
}
