// LatencyProbeTests.swift: the probe plays and records the same frames. SPDX-License-Identifier: MIT

import Builtins
import FixtureSupport
import PluginModel
import Testing

@Suite struct LatencyProbeTests {
  private let signal = SweepSignal(sampleRateHz: 8_000, levelDecibels: -12)
  private var roundFrames: Int { signal.samples.count + 1_000 }

  @Test func `a probe that was not begun plays silence and is not done`() {
    let probe = LatencyProbe(signal, longestFrames: 1_000)
    let output = render(probe, [[Float](repeating: 0.5, count: 300)], frames: 300, blocks: [64])
    #expect(output == [[Float](repeating: 0, count: 300)])
    #expect(!probe.isDone)
  }

  @Test(arguments: [[1], [7, 64, 500], [4_096]])
  func `a round plays the signal and records from its first frame on`(blocks: [Int]) {
    let probe = LatencyProbe(signal, longestFrames: 1_000)
    #expect(probe.roundFrames == roundFrames)
    var noise = Noise()
    let input = noise.take(roundFrames + 500)
    probe.begin()
    let output = render(probe, [input], frames: input.count, blocks: blocks)
    #expect(output[0] == signal.samples + [Float](repeating: 0, count: 1_500))
    #expect(probe.isDone)
    #expect(probe.recording == Array(input[..<roundFrames]))
  }

  @Test func `a restarted round starts from its first frame`() {
    let probe = LatencyProbe(signal, longestFrames: 1_000)
    let ones = [Float](repeating: 1, count: roundFrames)
    let twos = [Float](repeating: 2, count: roundFrames)
    probe.begin()
    _ = render(probe, [ones], frames: 100, blocks: [50])
    probe.begin()
    let output = render(probe, [twos], frames: roundFrames - 1, blocks: [50])
    #expect(output[0].starts(with: signal.samples))
    #expect(!probe.isDone)
    _ = render(probe, [twos], frames: 1, blocks: [1])
    #expect(probe.isDone)
    #expect(probe.recording == twos)
    probe.reset()
    #expect(!probe.isDone)
  }
}

@Suite struct CPULoadNodeTests {
  private let configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 480)

  @Test func `a load node uses at least its fraction of a block's time`() {
    let node = CPULoadNode(load: 0.5, periodCount: 2, configuration)
    let clock = ContinuousClock()
    let taken = clock.measure { _ = render(node, frames: 4_800, blocks: [480]) }
    #expect(taken >= .milliseconds(50))
  }

  @Test func `a block that starts early is not late, and a block that was delayed is`() {
    let node = CPULoadNode(load: 0, periodCount: 2, configuration)
    _ = render(node, frames: 960, blocks: [480])
    // A second block may be late only by the duration of the first.
    _ = node.takeMaximumLatenessSeconds()
    let clock = ContinuousClock()
    let waited = clock.measure {
      let end = clock.now.advanced(by: .milliseconds(30))
      while clock.now < end {}
    }
    _ = render(node, frames: 480, blocks: [480])
    // The block before lasted 10 ms, so at least 20 ms were lost.
    #expect(node.takeMaximumLatenessSeconds() >= 0.0199)
    #expect(waited >= .milliseconds(30))
    #expect(node.takeMaximumLatenessSeconds() == 0)
  }
}
