// RealTimeSafetyTest.swift: allocation, locks and system calls while rendering. SPDX-License-Identifier: MIT

internal import CRealtimeSafety
internal import Glibc
internal import PluginModel

/// Renders with real-time checks.
///
/// See CRealtimeSafety.
enum RealTimeSafetyTest: ValidationTestRunner {
  static let test = ValidationTest.realTime
  private static let parameterLimit = 64
  private static let remarkLimit = 12
  /// The time for an answer of the plugin's worker, in microseconds.
  private static let pauseMicroseconds: UInt32 = 5_000

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    testedPlugin.begin("while it was created")
    let bench = try testedPlugin.bench()
    let watch = Watch(bench, library: testedPlugin.description.library)
    let situations = situations(testedPlugin, bench)
    for (index, situation) in situations.enumerated() {
      testedPlugin.begin("with real-time checks \(situation.text)")
      watch.run(situation, isFirst: index == 0)
    }
    return TestResult(
      test, remarks: watch.remarks,
      measurements: [
        Measurement("blocks", Double(watch.blockCount), ""),
        Measurement("violations", Double(watch.violationCount), ""),
      ])
  }

  private struct Situation {
    /// The end of a message.
    let text: String
    let blocks: [Block]
  }

  private struct Block {
    let frameCount: Int
    /// An action of the main thread before it.
    var prepare: () -> Void = {}
  }

  private static func situations(_ testedPlugin: PluginUnderTest, _ bench: TestBench) -> [Situation]
  {
    func sound(_ frames: Int) -> Block { Block(frameCount: frames) }
    let lengths = [1, 37, 1_024, 64, 511]
    let notes = [48, 60, 64, 67] as [UInt8]
    let values = testedPlugin.description.parameters.prefix(parameterLimit).enumerated().flatMap {
      index, parameter in
      [parameter.maximum, parameter.minimum, parameter.defaultValue].map { (index, $0) }
    }
    return [
      Situation(text: "while it renders", blocks: [Int](repeating: 256, count: 64).map(sound)),
      Situation(text: "when the length of the blocks changes", blocks: lengths.map(sound)),
      Situation(
        text: "when a note is played",
        blocks: bench.node.eventInput == nil
          ? []
          : notes.flatMap { note in
            [
              Block(frameCount: 256) { bench.send([0x90, note, 100]) }, sound(256),
              Block(frameCount: 256) { bench.send([0x80, note, 0]) }, sound(256),
            ]
          }),
      Situation(
        text: "when a parameter changes",
        blocks: values.map { index, value in
          Block(frameCount: 256) { bench.node.setParameter(index, to: value) }
        }),
      Situation(text: "after these changes", blocks: [Int](repeating: 256, count: 32).map(sound)),
    ]
  }

  // MARK: - Checks

  private final class Watch {
    private struct Violation {
      let what: String
      let location: String
      var text: String
    }

    private let bench: TestBench
    private let library: String
    private var violations: [Violation] = []
    private(set) var blockCount = 0
    private(set) var violationCount: UInt64 = 0

    init(_ bench: TestBench, library: String) {
      self.bench = bench
      self.library = library
    }

    func run(_ situation: Situation, isFirst: Bool) {
      // Libraries that the plugin has loaded meanwhile are checked, too.
      unsafe crts_install(library)
      crts_clear()
      for block in situation.blocks {
        block.prepare()
        feed(block.frameCount)
        crts_enter()
        bench.callProcess(block.frameCount)
        crts_exit()
        blockCount += 1
        bench.testedPlugin.sendHeartbeat()
        // So that answers of a worker arrive before the last blocks.
        if blockCount % 16 == 0 { usleep(pauseMicroseconds) }
      }
      collect(situation, isFirst: isFirst)
    }

    private func feed(_ frameCount: Int) {
      let signal = TestSignal.noise(level: 0.25)
      for (channel, row) in bench.inputs.enumerated() {
        for frame in 0 ..< frameCount {
          unsafe row.samples[frame] = signal.sample(blockCount &* 1_024 + frame, channel: channel)
        }
      }
    }

    private func collect(_ situation: Situation, isFirst: Bool) {
      var index: UInt32 = 0
      var violation = unsafe crts_violation()
      while unsafe crts_offence_at(index, &violation) {
        index += 1
        unsafe violationCount += violation.count
        let what = unsafe violation.what.map { unsafe String(cString: $0) } ?? "something"
        let location = unsafe withUnsafeBytes(of: violation.place) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        // Each violation is reported once, with its first situation.
        let isKnown = violations.contains { $0.what == what && $0.location == location }
        guard !isKnown else { continue }
        let isLazy = unsafe isFirst && violation.first_block == 0 && violation.block_count == 1
        let when = isLazy ? "in its first block" : situation.text
        let often =
          unsafe "in \(violation.block_count) of \(situation.blocks.count) blocks"
          + (violation.count == violation.block_count ? "" : ", \(violation.count) times")
        violations.append(
          Violation(
            what: what, location: location,
            text: "It calls \(what) \(when)"
              + (isLazy ? " (\(location))." : ", \(often) (\(location)).")))
      }
    }

    var remarks: [TestMessage] {
      var remarks = violations.prefix(remarkLimit).map { TestMessage(.notRealTimeSafe, $0.text) }
      if violations.count > remarkLimit {
        remarks.append(
          TestMessage(.notRealTimeSafe, "\(violations.count - remarkLimit) more violations."))
      }
      if !crts_traces_all_syscalls() {
        remarks.append(
          TestMessage(
            .note,
            "This kernel does not report system calls. Only common functions of the C"
              + " library were checked."))
      }
      return remarks
    }
  }
}
