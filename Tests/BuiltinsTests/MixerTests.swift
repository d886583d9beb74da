// MixerTests.swift: the pan law and gains of the mixer. SPDX-License-Identifier: MIT

import Builtins
import FixtureSupport
import Foundation
import PluginModel
import Testing

private let gain = 0
private let pan = 1
private let mute = 2

private func mixer(_ channels: Int, sampleRateHz: Double = 48_000) throws -> any Node {
  let node = Builtin.mixer.makeNode(
    channelCount: channels,
    NodeConfiguration(sampleRateHz: sampleRateHz, maximumFrameCount: 1_024))
  try node.activate()
  return node
}

/// Returns both outputs for a constant 1 on the only channel.
private func sides(_ node: any Node) throws -> [Float] {
  try node.activate()
  return render(node, [[1]], frames: 1, blocks: [1]).map { $0[0] }
}

@Suite struct MixerTests {
  @Test func `the ends of the pan are exact`() throws {
    let node = try mixer(1)
    node.setParameter(pan, to: -1)
    #expect(try sides(node) == [1, 0])
    node.setParameter(pan, to: 1)
    #expect(try sides(node) == [0, 1])
  }

  @Test func `the centre is the same on both sides, 3 dB down`() throws {
    let both = try sides(mixer(1))
    #expect(both[0] == both[1])
    #expect(abs(both[0] - Float(0.5).squareRoot()) < 1e-7)
  }

  @Test func `the power does not depend on the pan, and mirrored positions are mirrored`() throws {
    let node = try mixer(1)
    for step in 0 ... 20 {
      node.setParameter(pan, to: Float(step) / 20)
      let right = try sides(node)
      #expect(abs(right[0] * right[0] + right[1] * right[1] - 1) < 1e-6)
      node.setParameter(pan, to: -Float(step) / 20)
      let left = try sides(node)
      #expect(abs(left[0] - right[1]) < 1e-6 && abs(left[1] - right[0]) < 1e-6)
    }
  }

  @Test func `gain is in decibels, is clamped, and is off at the bottom`() throws {
    let node = try mixer(1)
    node.setParameter(pan, to: -1)
    for (decibels, linear) in [
      (0, 1), (-20, 0.1), (12, 3.981_072), (99, 3.981_072), (-89, 3.548e-5),
    ]
      as [(Float, Float)]
    {
      node.setParameter(gain, to: decibels)
      #expect(abs(try sides(node)[0] / linear - 1) < 1e-4)
    }
    node.setParameter(gain, to: -1_000)
    #expect(node.parameter(gain) == -90)
    #expect(try sides(node) == [0, 0])
  }

  @Test func `channels are summed, each with its own gain and pan`() throws {
    let node = try mixer(3)
    node.setParameter(pan, to: -1)
    node.setParameter(3 + pan, to: 1)
    node.setParameter(6 + pan, to: -1)
    node.setParameter(6 + gain, to: -20)
    try node.activate()
    let output = render(node, [ramp(50), ramp(50, 7), ramp(50, 100)], frames: 50, blocks: [16])
    for frame in 0 ..< 50 {
      #expect(abs(output[0][frame] - Float(frame) * 11) < 1e-3)
      #expect(output[1][frame] == Float(frame) * 7)
    }
  }

  @Test func `a muted channel is silent, even if its input is NaN`() throws {
    let node = try mixer(2)
    node.setParameter(mute, to: 1)
    node.setParameter(3 + pan, to: -1)
    try node.activate()
    let output = render(node, [[.nan, .infinity], [1, 2]], frames: 2, blocks: [2])
    #expect(output == [[1, 2], [0, 0]])
  }

  @Test(arguments: [44_100.0, 48_000, 192_000])
  func `a change is a linear ramp of 20 ms`(sampleRateHz: Double) throws {
    let node = try mixer(1, sampleRateHz: sampleRateHz)
    node.setParameter(pan, to: -1)
    try node.activate()
    node.setParameter(mute, to: 1)
    let length = Int(sampleRateHz * 0.02)
    let ones = [Float](repeating: 1, count: length + 10)
    let output = render(node, [ones], frames: length + 10, blocks: [64])[0]
    for frame in 0 ..< length {
      #expect(abs(output[frame] - (1 - Float(frame + 1) / Float(length))) < 1e-4)
    }
    #expect(output[length - 2] > 0)
    #expect(output[(length - 1)...].allSatisfy { $0 == 0 })
  }

  @Test(arguments: [[1], [3], [64], [1_024], [1, 500, 7]])
  func `the bits do not depend on the length of the blocks`(blocks: [Int]) throws {
    var noise = Noise()
    let input = (0 ..< 4).map { _ in noise.take(2_000) }
    func output(_ blocks: [Int]) throws -> [[Float]] {
      let node = try mixer(4)
      _ = render(node, input, frames: 100, blocks: [100])
      for channel in 0 ..< 4 {
        node.setParameter(channel * 3 + pan, to: Float(channel) / 3 - 0.5)
        node.setParameter(channel * 3 + gain, to: Float(channel) * 3 - 6)
      }
      node.setParameter(mute, to: 1)
      return render(node, input, frames: 2_000, blocks: blocks)
    }
    #expect(try output(blocks) == output([250]))
  }

  @Test func `a mixer starts with its settings, and reset applies them at once`() throws {
    let node = Builtin.mixer.makeNode(
      channelCount: 1, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 16))
    node.setParameter(pan, to: -1)
    #expect(try sides(node) == [1, 0])
    node.setParameter(pan, to: 1)
    node.reset()
    #expect(render(node, [[1]], frames: 1, blocks: [1]) == [[0], [1]])
  }

  @Test(arguments: [1, 2, 64])
  func `the description fits the node`(channels: Int) throws {
    let node = try mixer(channels)
    let plugin = Builtin.mixer.description(channelCount: channels)
    #expect(plugin.audioInputs.count == node.audioInputCount && node.audioInputCount == channels)
    #expect(plugin.audioOutputs.count == node.audioOutputCount && node.audioOutputCount == 2)
    #expect(Set(plugin.parameters.map(\.symbol)).count == channels * 3)
    for (index, parameter) in plugin.parameters.enumerated() {
      #expect(node.parameter(index) == parameter.defaultValue)
    }
  }

  private func ramp(_ count: Int, _ slope: Float = 1) -> [Float] {
    (0 ..< count).map { Float($0) * slope }
  }
}

@Suite struct `A mixer's values with a frame` {
  @Test func `jumps are smoothed, and ramps have no steps`() throws {
    let node = try mixer(1)
    node.setParameter(pan, to: -1)
    node.setParameter(gain, to: -60)
    try node.activate()
    let input = try #require(node.parameterInput)
    let ones = [Float](repeating: 1, count: 3_200)
    let captured = render(node, [ones], frames: 3_200, blocks: [32]) { frame in
      guard frame % 32 == 0 else { return }
      input.function(input.context, 0, Float(frame) / 3_200 * 60 - 60, false)
    }[0]
    for (one, next) in zip(captured, captured.dropFirst()) {
      #expect(next >= one && next < one * 1.04)
    }
    #expect(node.parameter(gain) > -1)
    input.function(input.context, 0, 0, true)
    let glide = render(node, [ones], frames: 960, blocks: [64])[0]
    #expect(glide[0] < 0.999 && glide[959] == 1)
    input.function(input.context, 3, 0, true)
  }
}
