// FeedbackSuppressionSessionTests.swift: a session with acoustic feedback. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import Foundation
import RealtimeKit
import RigTestSupport
import Session
import Testing

/// A driver whose input is its previous output block, amplified, with the resonances of a small room.
private final class Room: AudioDriver {
  let stream: StreamDescription
  var status: DriverStatus { DriverStatus() }
  private var renderer: Renderer?
  /// The last two inputs and outputs of each channel's resonance, the newest first.
  private var memories = [SIMD4<Double>](repeating: .zero, count: 2)

  init(_ request: StreamRequest) {
    func side(_ device: DeviceRequest) -> DeviceStream {
      DeviceStream(
        device: device.device, name: "", channelCount: 2, format: "FLOAT", sampleRateHz: 48_000,
        periodFrames: 960, bufferFrames: 960)
    }
    stream = StreamDescription(
      inputs: request.inputs.map(side), outputs: request.outputs.map(side), sampleRateHz: 48_000,
      periodFrames: 960, isLinked: true)
  }

  func start(_ renderer: Renderer) throws { self.renderer = renderer }
  func stop() {}

  /// Renders, with a click at the start, and returns the last block's peak.
  func render(seconds: Double, gain: Float) throws -> Float {
    let callback = try #require(renderer).callback
    var peak: Float = 0
    // The loop has feedback at 1 kHz, a resonance of the room. A period has 20 cycles of it.
    for block in 0 ..< Int(seconds * 50) {
      for channel in 0 ..< 2 {
        for frame in 0 ..< 960 {
          let tone = Float(sin(2 * .pi * Double(frame) / 48)) * (block == 4 ? 0.001 : 0)
          let played = block == 0 ? 0 : callback.outputs[channel][frame] * gain
          let captured = resound(played, channel)
          callback.inputs[channel][frame] = max(-1, min(1, captured + tone))
        }
      }
      callback.render(960)
      peak = (0 ..< 960).map { abs(callback.outputs[0][$0]) }.max() ?? 0
    }
    return peak
  }
}

extension Room {
  /// A band-pass with a bandwidth of a fifth of 1 kHz, and a gain of 1 in its centre.
  private func resound(_ sample: Float, _ channel: Int) -> Float {
    let turn = 2 * Double.pi * 1_000 / 48_000
    let width = sin(turn) / (2 * 5)
    let memory = memories[channel]
    let result =
      (width * (Double(sample) - memory[1]) + 2 * cos(turn) * memory[2] - (1 - width) * memory[3])
      / (1 + width)
    memories[channel] = [Double(sample), memory[0], result, memory[2]]
    return Float(result)
  }
}

@Suite struct FeedbackSuppressionSessionTests {
  private func run(
    _ line: String, input: String = "microphone", output: String = "loudspeaker"
  ) throws -> (peak: Float, report: LiveSession.Report) {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let rig = try workshop.rig(
      "input: \(input)\noutput: \(output)\n\(line)\nconnections: [in -> out]")
    var room: Room?
    let session = try LiveSession(PreparedRig(rig, workshop.library), workshop.library) {
      let made = Room($0)
      room = made
      return made
    }
    try session.start()
    let peak = try #require(room).render(seconds: 4, gain: 1.3)
    return (peak, try session.report())
  }

  @Test func `feedback is stopped and reported`() throws {
    let (peak, report) = try run("")
    #expect(peak < 0.1)
    let howl = try #require(report.feedbackEvents.first)
    #expect(howl.action == .notched)
    #expect(abs(howl.frequencyHz - 1_000) < 20)
  }

  @Test func `a rig with suppression off is not processed`() throws {
    let (peak, report) = try run("feedback_suppression: off")
    #expect(peak > 0.9)
    #expect(report.feedbackEvents.isEmpty)
  }

  /// The feedback of the room shows that nothing is analysed.
  @Test(arguments: ["dummy", "'-'", "'null'", "'plughw:null'"])
  func `a device without an acoustic path is not processed`(device: String) throws {
    for (input, output) in [(device, "loudspeaker"), ("microphone", device)] {
      let (peak, report) = try run("", input: input, output: output)
      #expect(peak > 0.9, "\(input) \(output)")
      #expect(report.feedbackEvents.isEmpty, "\(input) \(output)")
    }
  }
}
