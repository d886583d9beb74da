// GainLaneSessionTests.swift: automation lanes of wet level, bypass and connections. SPDX-License-Identifier: MIT

import AudioFiles
import Foundation
import RenderGraph
import RigPlanning
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized) struct `A rig with automated bypass and gains` {
  private let workshop: RigTestEnvironment

  init() throws {
    workshop = try RigTestEnvironment(modules: ["gain", "delay", "limiter", "oscillator"])
  }

  /// The left channel.
  private func rendered(_ text: String, block: Int = 256, seconds: Double = 1) throws -> [Float] {
    let rig = try PreparedRig(try workshop.rig(text), workshop.library)
    var request = RenderRequest(output: "\(workshop.path)/out-\(block).wav")
    request.format = .float
    request.seconds = seconds
    request.blockFrames = block
    request.replaces = true
    request.tailSeconds = 0
    _ = try RenderSession(rig, workshop.library, request).run { _ in true }
    var reader = try AudioFileReader(path: request.output)
    let count = reader.frameCount ?? 0
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: count * reader.channelCount)
    defer { memory.deallocate() }
    let rows = (0 ..< reader.channelCount).map { memory + $0 * count }
    let got = try rows.withUnsafeBufferPointer {
      try reader.read(into: try #require($0.baseAddress), frameCount: count)
    }
    return Array(UnsafeBufferPointer(start: rows[0], count: got))
  }

  /// A tone through a gain of -20 dB.
  private func text(_ lanes: String, _ node: String = "", connection: String = "") -> String {
    """
    nodes:
      tone: {plugin: outboard.oscillator, parameters: {waveform: Sine, frequency: 100, level: -20}}
      low: {plugin: outboard.gain, parameters: {gain: -20}\(node)}
    connections:
      - tone -> low
      - {from: low, to: out\(connection)}
    automation:
    \(lanes)
    """
  }

  /// The highest level of some milliseconds, linear.
  private func peak(_ sound: [Float], _ from: Int, _ to: Int) -> Float {
    sound[(from * 48) ..< (to * 48)].map(abs).max() ?? 0
  }

  @Test func `automated bypass fades between a node's output and its input without a step`() throws
  {
    let sound = try rendered(
      text("  - {parameter: low.wet, points: [[0.2, 100 %], [0.6, 0 %], [0.8, 50 %, step]]}"))
    let own = peak(sound, 50, 190)
    #expect(abs(peak(sound, 700, 790) / own - 10) < 0.1)
    #expect(abs(peak(sound, 900, 990) / own - 5.5) < 0.1)
    #expect(abs(peak(sound, 390, 410) / own - 5.5) < 0.4)
    let steps = zip(sound.dropFirst(4_800), sound.dropFirst(4_801)).map { abs($1 - $0) }
    // The steepest slope of the tone.
    #expect((steps.max() ?? 1) < 1.05 * 2 * Float.pi * 100 / 48_000 * 10 * own)
  }

  @Test func `automated bypass of a part of the time fades at both ends`() throws {
    let sound = try rendered(
      text("  - {parameter: low.bypass, points: [[0, off], [0.4, on], [0.7, off]]}"))
    let own = peak(sound, 100, 390)
    #expect(abs(peak(sound, 455, 690) / own - 10) < 0.1)
    #expect(abs(peak(sound, 755, 990) / own - 1) < 0.01)
    // The fade begins in the frame of the point.
    let plain = try rendered(
      text("  - {parameter: low.bypass, points: [[0, off]]}"))
    #expect(
      sound[..<19_200] == plain[..<19_200] && sound[19_200 ..< 19_300] != plain[19_200 ..< 19_300])
  }

  @Test func `automated gain of a connection moves in equal decibel steps, also from silence`()
    throws
  {
    let sound = try rendered(
      text(
        "  - {parameter: \"low -> out.gain\", points: [[0, off], [0.2, 0], [0.4, 0], [0.8, -40 dB]]}"
      ))
    let full = peak(sound, 210, 390)
    #expect(sound[0] == 0 && abs(peak(sound, 95, 105) / full - 0.51) < 0.05)
    #expect(abs(peak(sound, 595, 605) / full - 0.1) < 0.02)
    #expect(abs(peak(sound, 850, 990) / full - 0.01) < 0.001)
  }

  @Test(arguments: [16, 441, 1_024])
  func `automated gain renders the same bits in blocks of any length`(block: Int) throws {
    let text = """
      nodes:
        tone: {plugin: outboard.oscillator, parameters: {waveform: Saw}}
        late: {plugin: outboard.limiter}
        echo: {plugin: outboard.delay, wet: 30 %}
      connections:
        - tone -> late -> echo
        - {from: echo, to: out, gain: -6 dB}
        - {from: tone, to: out}
        - {from: echo, to: late, delay: 120 ms, gain: -12 dB}
      transport: {tempo: 133}
      automation:
        - {parameter: late.wet, time_unit: beats, loop_length: 1.7, points: [[0, 20], [0.333, 90], [1.1, 10, exponential]]}
        - {parameter: echo.wet, points: [[0.1, 0], [0.77, 100]]}
        - {parameter: echo.bypass, loop_length: 0.31, points: [[0, off], [0.1, on], [0.123, off]]}
        - {parameter: "tone -> out.gain", points: [[0, off], [0.5, -3], [0.6, off, step], [0.9, 0]]}
        - {parameter: "echo -> late.gain", loop_length: 0.5, points: [[0, -40], [0.4, -9]]}
      """
    let sound = try rendered(text, block: block)
    #expect(try sound == rendered(text, block: 64))
    #expect(sound.contains { abs($0) > 0.01 })
  }

  @Test func `the bypass path of a node with delay is aligned`() throws {
    // The bypass signal is the same signal at the same time, so any mix of the two is the same.
    func sound(_ points: String) throws -> [Float] {
      try rendered(
        """
        nodes:
          tone: {plugin: outboard.oscillator, parameters: {waveform: Sine, frequency: 100, level: -20}}
          late: {plugin: outboard.limiter}
        connections: [tone -> late -> out]
        automation:
          - {parameter: late.wet, points: \(points)}
        """)
    }
    let (still, moved) = (try sound("[[0, 100]]"), try sound("[[0, 100], [0.3, 0], [0.5, 80]]"))
    #expect(zip(still, moved).allSatisfy { abs($0 - $1) < 1e-4 } && peak(still, 100, 900) > 0.01)
  }

  private func session(_ text: String) throws -> LiveSession {
    let live = "input: {device: in, channels: 2}\noutput: {device: out, channels: 2}\nperiod: 64\n"
    let session = try LiveSession(
      PreparedRig(try workshop.rig(live + text), workshop.library), workshop.library
    ) { try UnhurriedDriver(request: $0) }
    try session.start()
    return session
  }

  private func wait(_ session: LiveSession, until isRight: (Float) -> Bool) throws {
    let deadline = Deadline()
    while !isRight(try session.report().outputPeaks.max() ?? 0) {
      try deadline.rest(0.01)
    }
  }

  @Test func `a manual value remains until the next point, also through edits`() throws {
    let lanes = "  - {parameter: low.wet, points: [[0, 100 %]]}"
    let session = try session(text(lanes))
    defer { session.stop() }
    // A tenth of -20 dBFS, and the source's own value.
    try wait(session) { $0 > 0.008 && $0 < 0.0125 }
    let notes = try session.set("low", to: [("wet", "0")])
    #expect(notes == ["low.wet is automated. Its lane sets it again at the next point."])
    try wait(session) { $0 > 0.08 && $0 < 0.125 }
    let gains = session.graph.gains.map(\.node)
    #expect(gains.count == 4)
    _ = try session.set("low", to: [("gain", "-26")])
    #expect(session.graph.gains.map(\.node).elementsEqual(gains) { $0 === $1 })
    _ = try session.undo()
    #expect(session.graph.gains.map(\.node).elementsEqual(gains) { $0 === $1 })
  }
}
