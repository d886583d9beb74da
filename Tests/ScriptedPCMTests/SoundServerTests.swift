// SoundServerTests.swift: the special behaviour of sound servers. SPDX-License-Identifier: MIT

import Testing

@Suite struct SoundServerTests {
  /// A plug-in that behaves like a server: after a start, `ahead` seconds of mixed audio precede new playback,
  /// and captured audio waits until it is read.
  private func server(
    _ card: String, _ lines: String..., ahead: Double = 0, seconds: Double
  ) -> ScriptedMachine {
    ScriptedMachine(
      script: ["card 0 id=Desk source=beacon link=no keeps=yes ahead=\(ahead) \(card)"] + lines,
      input: "plughw:Desk", output: "plughw:Desk", seconds: seconds)
  }

  /// The delay from input to output in frames, at the end of a run.
  private func roundTrip(_ outcome: Outcome) -> Int? {
    outcome.stretches().last { $0.kind == .exact && $0.count > 48_000 }.map { $0.at - $0.source }
  }

  @Test(arguments: [0.5, 1.5, 2.2], ["", "periods=2", "channels=2"])
  func `a server that is slow to play after an xrun is not opened again`(
    ahead: Double, card: String
  ) throws {
    let outcome = try server(card, "at 4 xrun Desk playback", ahead: ahead, seconds: 10).run()
    let last = try #require(outcome.last)
    #expect(outcome.status == 0)
    #expect(last.failure == nil)
    let playback = try #require(outcome.stream("Desk", "playback"))
    #expect([playback.opens, playback.starts] == [1, 2])
    // The graph keeps running from the first start. The xrun is one interruption, and so is the start.
    #expect(Double(last.frames) > (10 - ahead - 0.1) * 48_000)
    #expect(last.xruns == 2)
    #expect(abs(last.lost - 2 * ahead) < 0.1)
    #expect(try #require(roundTrip(outcome)) <= playback.buffer + playback.period)
  }

  /// alsa-lib's plug-in for JACK reports nothing when its server is killed: the stream stops.
  @Test(arguments: [("", 1), ("", 2), ("rates=44100", 1)])
  func `a JACK server that was killed is opened again within a second`(
    rates: String, instances: Int
  ) throws {
    // Opening it again ends the freeze.
    let freezes = (1 ... instances).map { "at \(2 * $0) freeze Desk\n" }.joined()
    var machine = ScriptedMachine(
      script: [
        "card 0 id=Desk source=beacon link=no keeps=yes name=ALSA_<->_JACK_PCM_I/O_Plugin \(rates)"
      ], input: "plughw:Desk", output: "plughw:Desk", seconds: 8)
    machine.script += freezes
    let outcome = try machine.run()
    let last = try #require(outcome.last)
    #expect(last.failure == nil)
    #expect(last.devices == ["plughw:Desk running", "plughw:Desk running"])
    #expect(outcome.stream("Desk", "playback")?.opens == 1 + instances)
    #expect(last.lost < 0.8 * Double(instances))
  }

  @Test func `a JACK server of a follower device that was killed is opened again within a second`()
    throws
  {
    let outcome = try ScriptedMachine(
      script: [
        "card 0 id=Desk source=beacon",
        "card 1 id=Side directions=playback name=ALSA_<->_JACK_PCM_I/O_Plugin", "at 10 freeze Side",
      ], input: "hw:Desk", output: "hw:Desk", seconds: 15, options: ["--out", "plughw:Side"]
    ).run()
    let last = try #require(outcome.last)
    #expect(outcome.stream("Side", "playback")?.opens == 2)
    #expect(last.devices?.allSatisfy { $0.hasSuffix(" running") } == true)
    let played = outcome.stretches("Side")
    let first = try #require(played.first)
    #expect(try #require(played.last).at - first.at - first.count < 48_000)
  }

  @Test func `a server may need time to play after each of ten xruns`() throws {
    var machine = server("", ahead: 1, seconds: 26)
    machine.script += (1 ... 10).map { "at \(2 * $0 + 1) xrun Desk\n" }.joined()
    let outcome = try machine.run()
    let last = try #require(outcome.last)
    #expect(last.devices == ["plughw:Desk running", "plughw:Desk running"])
    #expect(outcome.stream("Desk", "playback")?.opens == 1)
    #expect(last.frames > 24 * 48_000)
  }

  @Test func `a server that never plays after an xrun is closed, and the graph keeps running`()
    throws
  {
    let outcome = try server(
      "", "at 2 xrun Desk playback",
      "call 1 snd_pcm_start playback after 1 always do freeze Desk playback", seconds: 9
    ).run()
    let last = try #require(outcome.last)
    #expect(last.failure == nil)
    #expect(last.frames > Int(8.5 * 48_000))
    let reasons = outcome.events.flatMap { $0.reasons ?? [] }
    #expect(reasons.contains { $0.contains("but transferred no audio for 3 seconds") })
  }

  @Test(arguments: [0.2, 0.53, 0.8], ["", "periods=2"])
  func `input captured while a server did not play is dropped`(
    pause: Double, card: String
  ) throws {
    let outcome = try server(
      card, "at 2 freeze Desk playback", "at \(2 + pause) thaw Desk", seconds: 5
    ).run()
    let playback = try #require(outcome.stream("Desk", "playback"))
    #expect([playback.opens, playback.starts] == [1, 1])
    #expect(outcome.last?.xruns == 1)
    #expect(try #require(roundTrip(outcome)) <= playback.buffer + playback.period)
  }

  @Test(arguments: [0.8, 2.5], ["", " playback"])
  func `the graph does not wait for a server that has stopped`(
    pause: Double, direction: String
  ) throws {
    let outcome = try server(
      "", "at 2 freeze Desk\(direction)", "at \(2 + pause) thaw Desk", seconds: 6
    ).run()
    let playback = try #require(outcome.stream("Desk", "playback"))
    #expect(playback.opens == 1)
    let last = try #require(outcome.last)
    #expect(last.frames > Int(5.8 * 48_000))
    #expect(last.xruns == 1)
    #expect(abs(last.lost - pause) < 0.1)
    #expect(try #require(roundTrip(outcome)) <= playback.buffer + playback.period)
  }

  @Test func `drift correction applies to a server that is slow to play`() throws {
    let outcome = try ScriptedMachine(
      script: [
        "card 0 id=Desk source=beacon", "card 1 id=Side directions=playback ahead=2.2 ppm=40",
      ], input: "hw:Desk", output: "hw:Desk", seconds: 40, options: ["--out", "plughw:Side"]
    ).run()
    let last = try #require(outcome.last)
    #expect(outcome.stream("Side", "playback")?.opens == 1)
    #expect(last.devices?.allSatisfy { $0.hasSuffix(" running") } == true)
    #expect(abs(try #require(last.drift?.last ?? nil) - 40) < 5)
  }
}
