// RateTests.swift: modules with a fixed rate in graphs of another rate. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel
import Reblocking
import Testing

@testable import ModuleHost

private func sine(_ frequencyHz: Double, rateHz: Double, frames: Int) -> [Float] {
  (0 ..< frames).map { Float(0.5 * sin(2 * .pi * frequencyHz * Double($0) / rateHz)) }
}

private func plugin(
  _ ratesHz: [Int], inputs: Int = 1, outputs: Int = 1, midi: Bool = false,
  block: ModuleRequirements.Block = .any
) -> PluginDescription {
  var plugin = manifest(inputs: inputs, outputs: outputs, midi: midi, block: block)
  plugin.module?.ratesHz = ratesHz
  return plugin
}

/// Returns the greatest difference between an output and an input that is delayed by a number of
/// frames, once both resamplers are full.
private func difference(_ output: [Float], _ input: [Float], late: Int) -> Float {
  zip(output.dropFirst(late), input).dropFirst(2_000).map { abs($0 - $1) }.max() ?? .infinity
}

@Suite struct RateTests {
  @Test(arguments: [44_100.0, 22_050, 96_000, 192_000, 47_999])
  func `the output is the input plus the reported latency, at every rate of the graph`(
    rateHz: Double
  ) throws {
    let input = sine(440, rateHz: rateHz, frames: 12_000)
    for blocks in [[64], [1], [1_000, 3, 441], [1_024]] {
      let node = try instance(
        of: "blocks", plugin([48_000], outputs: 2), sampleRateHz: rateHz)
      #expect(node.sampleRateHz == 48_000)
      #expect(node.latencyFrames > 0)
      let output = render(node, [input], frames: input.count, blocks: blocks)[0]
      let error = difference(output, input, late: node.latencyFrames)
      #expect(error < 1e-4, "blocks of \(blocks) at \(rateHz) Hz")
    }
  }

  @Test func `the length of blocks makes no difference`() throws {
    let input = sine(1_000, rateHz: 44_100, frames: 9_000)
    func output(_ blocks: [Int]) throws -> [Float] {
      let node = try instance(of: "blocks", plugin([48_000], outputs: 2), sampleRateHz: 44_100)
      return render(node, [input], frames: input.count, blocks: blocks)[0]
    }
    let even = try output([512])
    #expect(try output([1, 1_024, 7, 480, 33]) == even)
  }

  @Test func `a graph at one of the rates is not resampled`() throws {
    let node = try instance(
      of: "blocks", plugin([44_100, 48_000], outputs: 2), sampleRateHz: 44_100)
    #expect(node.rateAdapter == nil)
    #expect(node.latencyFrames == 0)
    #expect(render(node, [ramp(100)], frames: 100, blocks: [33])[0] == ramp(100))
  }

  @Test func `of several rates the next above the graph's is used, otherwise the highest`() {
    var requirements = ModuleRequirements()
    requirements.ratesHz = [16_000, 48_000]
    #expect(requirements.rateHz(in: 8_000) == 16_000)
    #expect(requirements.rateHz(in: 16_000) == 16_000)
    #expect(requirements.rateHz(in: 44_100) == 48_000)
    #expect(requirements.rateHz(in: 96_000) == 48_000)
    requirements.ratesHz = []
    #expect(requirements.rateHz(in: 44_100) == 44_100)
  }

  @Test(arguments: [[64], [480], [1, 441, 1_000]])
  func `a fixed block and a fixed rate are both used`(blocks: [Int]) throws {
    let node = try instance(
      of: "rate_bound", plugin([48_000], block: .fixed(frameCount: 480)), sampleRateHz: 44_100)
    let input = sine(440, rateHz: 44_100, frames: 12_000)
    let output = render(node, [input], frames: input.count, blocks: blocks)[0]
    // 479 frames at 48 kHz are 440.08 at 44.1 kHz. The fraction of a frame cannot be compensated.
    #expect(difference(output, input, late: node.latencyFrames) < 0.005)
    #expect(node.latencyFrames == node.adapterLatencyFrames)
  }

  @Test func `the module's latency is counted at its own rate`() throws {
    let node = try instance(of: "latency", plugin([48_000]), sampleRateHz: 96_000)
    let plain = try instance(of: "process_only", plugin([48_000]), sampleRateHz: 96_000)
    #expect(node.latencyFrames == plain.latencyFrames + 200)
    let input = sine(440, rateHz: 96_000, frames: 12_000)
    let output = render(node, [input], frames: input.count, blocks: [256])[0]
    #expect(difference(output, input, late: node.latencyFrames) < 1e-4)
  }

  @Test func `a message takes effect at its frame plus the latency`() throws {
    for (rateHz, blocks) in [(44_100.0, [64]), (96_000, [1_000, 1]), (24_000, [480])] {
      let node = try instance(
        of: "notes", plugin([48_000], inputs: 0, outputs: 2, midi: true), sampleRateHz: rateHz)
      let input = try #require(node.eventInput)
      var note: [UInt8] = [0x90, 100, 100]
      let output = render(node, frames: 4_000, blocks: blocks) { start in
        guard start == 0 else { return }
        input.function(input.context, UInt32(blocks[0] - 1), &note, 3)
      }[0]
      let peak = output.indices.max { output[$0] < output[$1] } ?? 0
      #expect(abs(peak - (blocks[0] - 1 + node.latencyFrames)) <= 1, "at \(rateHz) Hz")
    }
  }

  @Test func `a reset clears the samples between the rates`() throws {
    let node = try instance(of: "blocks", plugin([48_000], outputs: 2), sampleRateHz: 44_100)
    let input = sine(440, rateHz: 44_100, frames: 3_000)
    let first = render(node, [input], frames: 3_000, blocks: [100])[0]
    node.reset()
    #expect(render(node, [input], frames: 3_000, blocks: [100])[0] == first)
  }

  @Test func `output and input may share memory`() throws {
    let input = [
      sine(440, rateHz: 44_100, frames: 3_000), sine(330, rateHz: 44_100, frames: 3_000),
    ]
    func output(inPlace: Bool) throws -> [[Float]] {
      let node = try instance(
        of: "blocks", plugin([48_000], inputs: 2, outputs: 2), sampleRateHz: 44_100)
      #expect(node.canRunInPlace)
      return render(node, input, frames: 3_000, blocks: [100], inPlace: inPlace)
    }
    #expect(try output(inPlace: true) == output(inPlace: false))
  }

  // MARK: - Messages

  private func refusal(
    _ fixture: String, _ plugin: PluginDescription, maximum: Int = 256
  ) throws -> String? {
    do {
      _ = try instance(of: fixture, plugin, sampleRateHz: 44_100, maximum: maximum)
      return nil
    } catch let error as ModuleError {
      return error.description
    }
  }

  @Test func `a create that needs another rate is explained by that rate`() throws {
    #expect(
      try refusal("rate_bound", plugin([], block: .fixed(frameCount: 480)))
        == "Test: `create` returned NULL at 44100 Hz with blocks of exactly 480 frames and succeeds at"
        + " 48000 Hz. Declare `rate: 48000` in its manifest.")
  }

  @Test func `a create that needs another block length is explained by that length`() throws {
    #expect(
      try refusal("rate_bound", plugin([48_000]))
        == "Test: `create` returned NULL at 48000 Hz with blocks of up to 280 frames and succeeds with"
        + " blocks of 480 frames. Declare `block: {fixed: 480}` in its manifest.")
  }

  @Test func `a create that needs both is explained by both`() throws {
    #expect(
      try refusal("rate_bound", plugin([]))
        == "Test: `create` returned NULL at 44100 Hz with blocks of up to 256 frames and succeeds at"
        + " 48000 Hz with blocks of 480 frames. Declare `rate: 48000` and `block: {fixed: 480}` in its"
        + " manifest.")
  }

  @Test func `a create that always refuses is not explained by the declaration`() throws {
    #expect(
      try refusal("create_fails", plugin([48_000], block: .fixed(frameCount: 480)))
        == "Test: `create` returned NULL at 48000 Hz with blocks of exactly 480 frames, as declared"
        + " in its manifest. The cause is something else, such as memory or a missing file.")
    #expect(
      try refusal("create_fails", plugin([], block: .fixed(frameCount: 480)))?
        .hasSuffix("declare that in its manifest, e.g. `rate: 48000`.") == true)
  }
}
