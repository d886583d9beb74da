// HotPlugTests.swift: cards that disappear and return, busy or changed. SPDX-License-Identifier: MIT

import Testing

@Suite struct HotPlugTests {
  @Test(arguments: [0, 2, 7])
  func `a card is recognised by its id under another number`(number: Int) throws {
    try expect(
      "a card that returns as \(number)",
      ScriptedMachine("at 1 unplug Desk", "at 2 plug Desk \(number)", seconds: 4),
      DriverGuarantees(mendedAt: 2))
  }

  @Test func `a card is unplugged and returns twenty times in a row`() throws {
    var machine = ScriptedMachine(seconds: 13)
    for turn in 0 ..< 20 {
      let time = 1 + 0.5 * Double(turn)
      machine.script += "at \(time) unplug Desk\nat \(time + 0.2) plug Desk \(turn % 3)\n"
    }
    // Each time it is disconnected for 0.2 s, then connected for 0.3 s.
    try expect(
      "a card that goes and comes twenty times", machine, DriverGuarantees(interruptions: 20))
  }

  @Test func `another card in its slot is not opened`() throws {
    let machine = ScriptedMachine(
      script: [
        "card 0 id=Desk source=beacon", "card - id=Other", "at 1 unplug Desk",
        "at 1.1 plug Other 0",
        "at 2 plug Desk 1",
      ], input: "hw:Desk", output: "hw:Desk", seconds: 4)
    let outcome = try machine.run()
    #expect(DriverGuarantees(mendedAt: 2).complaints(outcome) == [])
    #expect(outcome.stream("Other", "playback")?.opens == 0)
    #expect(outcome.stream("Other", "capture")?.opens == 0)
  }

  @Test func `another card in its slot is not opened although the number was requested`() throws {
    let machine = ScriptedMachine(
      script: [
        "card 0 id=Desk source=beacon", "card - id=Other", "at 1 unplug Desk",
        "at 1.1 plug Other 0",
        "at 2 plug Desk 1",
      ], input: "hw:0", output: "hw:0", seconds: 4)
    let outcome = try machine.run()
    #expect(DriverGuarantees(mendedAt: 2).complaints(outcome) == [])
    #expect(outcome.stream("Other", "playback")?.starts == 0)
  }

  @Test(arguments: [("hw:0", "hw:2"), ("hw:Desk", "")])
  func `a report about a card that returned under another number uses the requested name`(
    asked: String, place: String
  ) throws {
    let outcome = try ScriptedMachine(
      script: [
        "card 0 id=Desk source=beacon", "at 1 unplug Desk", "at 1.5 plug Desk 2",
        "at 2.5 seize Desk", "at 2.5 rate Desk 52000", "at 4.5 unplug Desk",
      ], input: asked, output: asked, seconds: 6
    ).run()
    #expect(outcome.status == 0)
    let back = try #require(
      outcome.events.last { $0.devices == ["\(asked) running", "\(asked) running"] })
    #expect(back.places == [place, place])
    let reasons = Set(outcome.events.flatMap { $0.reasons ?? [] }).subtracting([""])
    #expect(reasons.contains { $0.hasPrefix("The device \(asked) is in use by ") }, "\(reasons)")
    #expect(reasons.allSatisfy { $0.contains(" \(asked) ") && !$0.contains("hw:2") }, "\(reasons)")
  }

  @Test func `a card that stays disconnected is reported, and the graph keeps running`() throws {
    let outcome = try ScriptedMachine("at 1 unplug Desk", seconds: 3).run()
    #expect(outcome.status == 0)
    let last = try #require(outcome.last)
    #expect(last.failure == nil)
    #expect(last.devices?.allSatisfy { $0.hasPrefix("hw:Desk missing") } == true)
  }

  @Test func `an unplugged microphone with its own clock is silent, and returns`()
    throws
  {
    let outcome = try ScriptedMachine(
      script: [
        "card 0 id=Mic source=counter directions=capture",
        "card 1 id=Desk source=silence directions=playback", "at 2 unplug Mic", "at 4 plug Mic 2",
      ], input: "hw:Mic", output: "hw:Desk", seconds: 6
    ).run()
    #expect(outcome.status == 0)
    // By the playback card's clock: audio, silence while the microphone is disconnected, audio again.
    let longest = outcome.stretches().filter { $0.kind == .silence }.max { $0.count < $1.count }
    let silence = try #require(longest)
    #expect(silence.count > 90_000 && silence.count < 110_000, "\(silence)")
    #expect(outcome.last?.devices == ["hw:Mic running", "hw:Desk running"])
    #expect(outcome.last?.failure == nil)
  }

  @Test func `missing features of a follower device are reported`() throws {
    var machine = ScriptedMachine(
      script: [
        "card 0 id=Mic source=counter directions=capture channels=1 period=512-512",
        "card 1 id=Desk source=silence directions=playback",
      ], input: "hw:Mic", output: "hw:Desk", seconds: 1)
    machine.options = ["--in-channels", "2"]
    let outcome = try machine.run()
    #expect(
      outcome.last?.notes == [
        "The device hw:Mic does not support 2 channels for capture. Using "
          + "1."
      ])
  }

  @Test func `a returned card that another program uses is opened when it is free`() throws {
    try expect(
      "a card that is seized",
      ScriptedMachine(
        "at 1 unplug Desk", "at 1.2 seize Desk", "at 1.3 plug Desk 0", "at 2 release Desk",
        seconds: 4), DriverGuarantees(mendedAt: 2))
  }

  @Test(arguments: [
    "snd_pcm_mmap_begin", "snd_pcm_mmap_commit", "snd_pcm_avail_update", "poll",
  ])
  func `a card may be unplugged at any call`(function: String) throws {
    for call in 1 ... 4 {
      try expect(
        "pulled at \(function)",
        ScriptedMachine("call \(call) \(function) after 1 do unplug Desk", "at 1.5 plug Desk 1"),
        DriverGuarantees(mendedAt: 1.5))
    }
  }

  @Test(arguments: [
    "snd_pcm_prepare", "snd_pcm_start", "snd_pcm_drop", "snd_pcm_link", "snd_pcm_unlink",
  ])
  func `a card may be unplugged while it restarts`(function: String) throws {
    for call in 1 ... 2 {
      try expect(
        "pulled at \(function)",
        ScriptedMachine(
          "at 1 xrun Desk", "call \(call) \(function) after 1 do unplug Desk",
          "at 1.5 plug Desk "
            + "1"),
        DriverGuarantees(mendedAt: 1.5))
    }
  }

  @Test func `a new rate of a card with a fixed rate is used`() throws {
    let outcome = try ScriptedMachine(
      "at 1 rate Desk 44100", "at 1.001 xrun Desk", seconds: 4
    ).run()
    #expect(outcome.status == 0)
    #expect(outcome.last?.failure == nil)
    #expect(outcome.last?.rate == 44_100)
    let final = try #require(outcome.stretches().last { $0.kind == .exact })
    #expect(Double(final.end) / 44_100 > 3.9)
  }

  @Test func `a rate that changes without a notice is used`() throws {
    let outcome = try ScriptedMachine("at 1 rate Desk 44100", seconds: 4).run()
    #expect(outcome.status == 0)
    #expect(outcome.last?.rate == 44_100)
  }
}
