// RigMapTests.swift: the lines of `midi.map`. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import Manifests
@testable import RigPlanning
@testable import RigSchema

@Suite struct `A MIDI mapping` {
  private func error(_ text: String) -> String? {
    do throws(RigMapError) {
      _ = try RigMap(text)
      return nil
    } catch { return error.description }
  }

  @Test(arguments: [
    "banana", "cc 128 -> a.gain", "cc -> a.gain", "cc14 32 -> a.gain", "nrpn 16384 -> a.gain",
    "note 128 -> a.gain", "program 0 -> a.gain", "cc 1 bank 3 -> a.gain", "knob 1 -> a.gain",
    "cc 1 channel 17 -> a.gain", "cc 1 channel -> a.gain", "cc 1 from -> a.gain", "cc 1 -> a",
    "cc 1 -> ", "cc 1 -> a.gain 0", "cc 1 -> a.gain 0..", "cc 1 -> a.gain pickpu",
    "cc 1 -> a.gain jump pickup", "cc 1 -> a.gain steps", "cc 1 -> a.gain steps 1",
    "cc 1 -> a.gain linear log", "cc 1 -> record sing", "cc 1 -> scene", "-> a.gain", "",
  ])
  func `with an error gives one message about it`(_ text: String) throws {
    let sentence = try #require(error(text))
    #expect(sentence.hasSuffix(".") || sentence.hasSuffix("?"))
    #expect(!sentence.contains("\n"))
  }

  @Test func `suggests the nearest word`() {
    for range in ["", "0..60 % ", "0..60 "] {
      #expect(error("cc 1 -> a.gain \(range)pickpu") == "pickpu is unknown. Did you mean pickup?")
    }
    #expect(
      error("cc 1 -> a.gain jump pickup") == "jump and pickup exclude each other. Remove one.")
    #expect(error("cc 1 channel 17 -> a.gain") == "channel needs a number from 1 to 16, not 17.")
  }

  @Test(arguments: [
    "cc 21 -> reverb.mix", "cc14 1 channel 3 from nanoKONTROL2 SLIDER/KNOB -> reverb.mix 0..60 %",
    "nrpn 16383 -> eq.gain -12..12 dB scale", "bend -> a.gain",
    "note 60 -> a.bypass toggle feedback",
    "program 5 bank 129 -> scene Chorus 2", "cc 64 -> next scene", "cc 65 -> previous scene",
    "cc 1 -> voice -> hall.gain -40..0 dB", "cc 7 -> a.gain relative offset log steps 25",
    "note 36 -> record toggle tape", "note 37 -> play next", "cc 2 -> undo", "cc 3 -> redo",
    "cc 8 -> MDA Ambience.mix 0..60 %", "cc 8 -> in -> MDA Amp 1.2.gain", "cc 9 -> a.1st",
    "cc 4 -> a.gain momentary linear", "cc 5 -> band/reverb.wet 100..0 % jump",
  ])
  func `is written as it was read`(_ text: String) throws {
    #expect(try RigMap(text).description == text)
  }

  @Test func `has its parts`() throws {
    let map = try RigMap("cc 21 channel 2 from nano KONTROL -> reverb.mix 0 .. 60 % pickup")
    #expect(map.source == .init(.controller(21), channel: 2, device: "nano KONTROL"))
    #expect(map.target == "reverb.mix" && map.mode == .pickup)
    #expect(map.range == .init(low: "0", high: "60 %"))
    #expect(try RigMap("cc 1 -> a.b relative").mode == .relative(.twos))
  }

  // MARK: - In a rig

  private func rig(_ lines: String...) throws -> RigDescription {
    try RigReader.read(
      text: """
        outboard: 1
        input: default
        output: default
        midi:
          input: Keystation
          map:\(lines.isEmpty ? " []" : "")
        \(lines.map { "    - \"\($0)\"" }.joined(separator: "\n"))
        nodes:
          a: {plugin: a}
        connections: [in -> a -> out]
        scenes:
          low: {}
          high: {}
        """, file: "rig.yaml")
  }

  private func plan(_ lines: String...) throws -> [MapPlan] {
    var rig = try rig()
    rig.maps = try lines.map { try RigMap($0) }
    var description = stereo("a")
    description.parameters = [
      Parameter(symbol: "gain", name: "Gain", unit: "dB", minimum: -80, maximum: 12),
      Parameter(
        symbol: "cutoff", name: "Cutoff", unit: "Hz", minimum: 20, maximum: 20_000,
        scale: .logarithmic),
    ]
    return try RigPlan(rig, plugins: [description], inputChannelCount: 2, outputChannelCount: 2)
      .maps
  }

  @Test func `is kept by the writer`() throws {
    let rig = try rig("cc 21 -> a.gain -20..0 dB pickup", "note 60 -> next scene")
    let again = try RigReader.read(text: RigWriter.text(of: rig), file: "rig.yaml")
    #expect(again.maps.map(\.description) == rig.maps.map(\.description))
    #expect(again.midi == rig.midi)
    #expect(again.maps.count == 2)
  }

  @Test func `with an error is reported with its line`() {
    let error = #expect(throws: ManifestError.self) {
      try rig("cc 21 -> a.gain", "cc 200 -> a.gain")
    }
    let message = error.map { "\($0)" } ?? ""
    #expect(message.contains("rig.yaml:8: midi.map[2]"))
  }

  @Test func `resolves its target and range in the target's unit`() throws {
    let maps = try plan(
      "cc 1 -> a.gain", "cc 1 -> A.gain -20..0", "cc 2 -> a.cutoff 100 Hz..1 kHz",
      "cc 3 -> a.wet 0..50 %", "cc 4 -> a.bypass", "cc 5 -> in -> a.gain", "note 1 -> scene 2",
      "note 2 -> scene LOW", "cc 6 -> a.gain 0..-20 dB")
    #expect(maps.map(\.scale.low) == [-80, -20, 100, 0, 0, -60, 0, 0, 0])
    #expect(maps.map(\.scale.high) == [12, 0, 1_000, 50, 1, 6, 1, 1, -20])
    #expect(
      maps.map(\.scale.isLogarithmic) == [false, false, true] + Array(repeating: false, count: 6))
    #expect(maps[5].target == .gain(connection: "in -> a"))
  }

  @Test func `names the nearest target`() {
    func message(_ line: String) -> String {
      do {
        _ = try plan(line)
        return ""
      } catch { return "\(error)" }
    }
    #expect(message("cc 1 -> a.gian").contains("Did you mean gain?"))
    #expect(message("cc 1 -> b.gain").contains("b"))
    #expect(message("cc 1 -> scene hihg").contains("Did you mean high?"))
    #expect(message("cc 1 -> scene 3").contains("no such scene: 3"))
    #expect(message("cc 1 -> a.gain 0..60 %").contains("%"))
    #expect(message("cc 1 -> a.gain 0..60").contains("the end 60 of the range is not between"))
    #expect(message("cc 1 -> a.gain log").contains("log needs a range above 0"))
    #expect(message("cc 1 -> a -> out.pan").contains("a connection has only a gain"))
    #expect(message("cc 1 -> in -> b.gain").contains("no connection leads from in to b"))
  }

  @Test func `has exact ends, and follows its curve`() {
    var scale = MapScale(low: 20, high: 20_000)
    scale.isLogarithmic = true
    #expect(scale.value(at: 0) == 20 && scale.value(at: 1) == 20_000)
    #expect(abs(scale.value(at: 1.0 / 3) - 200) < 1e-9)
    for step in 0 ... 100 {
      let position = Double(step) / 100
      #expect(abs(scale.position(of: scale.value(at: position)) - position) < 1e-12)
    }
    scale.stepCount = 4
    #expect(
      Set((0 ... 127).map { scale.value(at: Double($0) / 127).rounded() }) == [
        20, 200, 2_000, 20_000,
      ])
    #expect(MapScale(low: 6, high: -60).position(of: -27) == 0.5)
    #expect(MapScale(low: 0, high: 1).position(of: -.infinity) == 0)
  }
}
