// LV2TimeTests.swift: tests of LV2Time.swift: musical time sent to plugins. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import RenderGraph
import Testing

@Suite struct `LV2 time` {
  /// Readouts of the fixture, in their order.
  private enum Fact: Int {
    case messages
    case breaches
    case frame
    case bar
    case barBeat
    case beat
    case tempo
    case speed
    case beatsPerBar
    case beatUnit
    case rate
  }

  private func withClock(
    _ settings: TransportSettings = TransportSettings(),
    _ body: (EngineFixture, Transport, (Fact) -> Float) throws -> Void
  ) throws {
    let directory = try BundleDirectory(["clock"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:clock", inBundle: directory.bundle("clock"))
    let transport = Transport(settings, sampleRateHz: 48_000)
    let stage = try EngineFixture(plugin, transport: transport)
    try body(stage, transport) { stage.node.readout($0.rawValue) }
    withExtendedLifetime(directory) {}
  }

  @Test func `ports that the host drives are not parameters, and are named`() throws {
    try withClock { stage, _, _ in
      #expect(stage.node.description.parameters.isEmpty)
      #expect(
        stage.node.description.transportFacts == [
          "position", "speed", "beatsPerMinute", "bar", "barBeat",
        ])
    }
  }

  @Test(arguments: [1, 100, 512])
  func `a position is sent at the start, to every port, and not again while time advances`(
    block: Int
  ) throws {
    var settings = TransportSettings()
    settings.beatsPerMinute = 90
    settings.beatsPerBar = 6
    settings.beatUnit = 8
    try withClock(settings) { stage, _, fact in
      stage.render(5_000, blocks: [block])
      #expect(fact(.messages) == 1)
      #expect(fact(.breaches) == 0)
      #expect(
        [fact(.frame), fact(.bar), fact(.barBeat), fact(.beat), fact(.tempo), fact(.speed)]
          == [0, 0, 0, 0, 90, 1])
      #expect([fact(.beatsPerBar), fact(.beatUnit), fact(.rate)] == [6, 8, 48_000])
    }
  }

  @Test func `a jump and a change of tempo are sent with the position at that time`() throws {
    try withClock { stage, transport, fact in
      stage.render(48_000)
      transport.setTempo(60)
      stage.render(512)
      #expect(fact(.messages) == 2)
      // Two beats in the second at 120.
      #expect([fact(.beat), fact(.barBeat), fact(.tempo), fact(.frame)] == [2, 2, 60, 48_000])
      transport.locate(frame: 48_000 * 9)
      stage.render(512)
      #expect(fact(.messages) == 3)
      #expect(
        [fact(.beat), fact(.bar), fact(.barBeat), fact(.frame)] == [9, 2, 1, 48_000 * 9])
      transport.setRolling(false)
      stage.render(512)
      #expect([fact(.messages), fact(.speed)] == [4, 0])
      let frame = fact(.frame)
      transport.setRolling(true)
      stage.render(512)
      #expect([fact(.messages), fact(.speed), fact(.frame)] == [5, 1, frame])
      #expect(fact(.breaches) == 0)
    }
  }

  @Test func `designated ports are set in every block`() throws {
    try withClock { stage, transport, _ in
      // Half a second, and therefore one beat, in each checked block.
      var shown: [Float] = []
      for _ in 0 ..< 10 {
        shown.append(stage.render(480, blocks: [480])[0])
        stage.render(24_000 - 480, blocks: [480])
      }
      let expected = (0 ..< 10).map { beat in
        let bar = beat / 4
        return Float(1_120_000 + 10 * bar + beat % 4)
      }
      #expect(shown == expected)
      transport.setRolling(false)
      transport.setTempo(33)
      #expect(stage.render(480)[0] == Float(33_000 + 20 + 2))
    }
  }

  @Test func `without musical time a designated port has its default`() throws {
    let directory = try BundleDirectory(["clock"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:clock", inBundle: directory.bundle("clock"))
    let stage = try EngineFixture(plugin)
    #expect(stage.render(64)[0] == 7_000_000)
    #expect(stage.node.readout(Fact.messages.rawValue) == 0)
    withExtendedLifetime(directory) {}
  }

  @Test func `a plugin after a delay gets the time of its input`() throws {
    try withClock { stage, _, fact in
      stage.node.setInputLatency(frameCount: 24_000)
      stage.render(512)
      #expect(
        [fact(.frame), fact(.beat), fact(.bar), fact(.barBeat)] == [-24_000, -1, -1, 3])
      #expect(fact(.breaches) == 0)
    }
  }

  @Test func `an instance gets the position again after a reset`() throws {
    try withClock { stage, _, fact in
      stage.render(24_000)
      stage.node.reset()
      stage.render(512)
      #expect(fact(.messages) == 2)
      #expect(fact(.beat) == 1)
    }
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/lib/lv2/eg-metro.lv2/metro.so")),
    arguments: [120.0, 90.0, 200.0])
  func `the metronome of the specification clicks on the beat`(tempo: Double) throws {
    var settings = TransportSettings()
    settings.beatsPerMinute = tempo
    let plugin = try LV2Scanner.plugin(
      "http://lv2plug.in/plugins/eg-metro", inBundle: "/usr/lib/lv2/eg-metro.lv2")
    let stage = try EngineFixture(plugin, transport: Transport(settings, sampleRateHz: 48_000))
    let sound = stage.render(48_000 * 6)
    // A beat starts after 10 ms of silence.
    var beats: [Int] = []
    var silent = 480
    for (frame, sample) in sound.enumerated() {
      if abs(sample) > 1e-4 {
        if silent >= 480 { beats.append(frame) }
        silent = 0
      } else {
        silent += 1
      }
    }
    let period = 60 / tempo * 48_000
    #expect(beats.count == Int((Double(sound.count) / period).rounded(.up)))
    for (index, beat) in beats.enumerated() {
      // The click fades in from zero, and the plugin counts beats in whole frames.
      #expect(abs(Double(beat) - Double(index) * period) < 64, "beat \(index) at \(beat)")
    }
  }
}
