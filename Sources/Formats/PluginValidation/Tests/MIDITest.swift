// MIDITest.swift: MIDI messages of every kind. SPDX-License-Identifier: MIT

internal import PluginModel

/// Sends every kind of message on every channel, in crowded blocks and at odd frames.
enum MIDITest: ValidationTestRunner {
  static let test = ValidationTest.midi
  private static let blockFrames = 256

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    let bench = try testedPlugin.bench()
    guard bench.node.eventInput != nil else { return .notApplicable(test) }
    var faults = FaultCollector()
    func send(_ situation: String, _ messages: [[UInt8]]) {
      testedPlugin.begin(situation)
      bench.seen = OutputStatistics()
      // As many as fit into a crowded block, and the rest in the next one.
      for start in stride(from: 0, to: messages.count, by: 64) {
        for (index, message) in messages[start ..< min(start + 64, messages.count)].enumerated() {
          bench.send(message, atFrame: min(index * 4, blockFrames - 1))
        }
        bench.run(blockFrames)
      }
      bench.run(frames: 8 * blockFrames, blocks: blockFrames)
      faults.add(bench.seen, testedPlugin, situation)
    }
    let channels = 0 ..< UInt8(16)
    let values = [0, 1, 63, 64, 126, 127] as [UInt8]
    send("with every note on", channels.flatMap { c in (0 ..< 128).map { [0x90 | c, $0, 127] } })
    send("with notes off twice", channels.flatMap { c in (0 ..< 128).map { [0x80 | c, $0, 64] } })
    send(
      "with every controller",
      (0 ..< 128).flatMap { number in values.map { [0xb0, number, $0] } })
    send("with every program change", (0 ..< 128).map { [0xc0, $0] })
    send("with pitch bends", channels.flatMap { c in values.map { [0xe0 | c, $0, $0] } })
    send("with aftertouch", channels.flatMap { c in values.map { [0xd0 | c, $0] } })
    send("with polyphonic aftertouch", (0 ..< 128).map { [0xa0, $0, 127] })
    send("with clock, start and stop", [[0xf8], [0xfa], [0xfb], [0xfc], [0xfe], [0xf2, 0, 1]])
    send(
      "with a system exclusive message",
      [[0xf0] + [UInt8](repeating: 0x55, count: 300) + [0xf7], [0xf0, 0x7e, 0x7f, 9, 1, 0xf7]])
    send(
      "with all sound off", channels.flatMap { c in [[0xb0 | c, 120, 0], [0xb0 | c, 123, 0]] })
    return TestResult(test, remarks: faults.remarks)
  }
}
