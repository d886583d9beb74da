// HungCallTests.swift: calls of alsa-lib that hang. SPDX-License-Identifier: MIT

import Testing

@Suite struct HungCallTests {
  static let functions = [
    "snd_pcm_avail_update", "snd_pcm_mmap_begin", "snd_pcm_mmap_commit",
  ]
  private static func unanswering(_ device: String) -> String {
    "The device \(device) does not respond. It will be reopened when it "
      + "responds. If it is a sound server, restart it."
  }

  /// A plug-in on the scripted card.
  ///
  /// For a card itself these functions only read memory.
  private func plugIn(_ event: String, seconds: Double = 3) -> ScriptedMachine {
    ScriptedMachine(
      script: ["card 0 id=Desk source=beacon", event], input: "plughw:Desk", output: "plughw:Desk",
      seconds: seconds)
  }

  @Test(arguments: functions)
  func `the graph keeps running while a device's call hangs, and uses the device afterwards`(
    function: String
  )
    throws
  {
    for call in 1 ... 3 {
      let machine = plugIn("call \(call) \(function) after 1 hang 5", seconds: 9)
      let outcome = try machine.run()
      #expect(DriverGuarantees(mendedAt: 6).complaints(outcome) == [], "call \(call)")
      // Except for the two seconds until the device is abandoned, and the frames that the device had
      // lost by then.
      #expect(try #require(outcome.last).frames > 6 * 48_000)
    }
  }

  @Test(arguments: ["snd_pcm_drop", "snd_pcm_prepare", "snd_pcm_start"])
  func `a device may hang while it restarts`(function: String) throws {
    let machine = ScriptedMachine("at 1 xrun Desk", "call 1 \(function) after 1 hang 4", seconds: 8)
    #expect(DriverGuarantees(mendedAt: 5).complaints(try machine.run()) == [])
  }

  @Test func `a device that hangs forever is reported, and the run continues`() throws {
    let machine = plugIn("call 1 snd_pcm_avail_update after 1 hang 1000", seconds: 6)
    let outcome = try machine.run()
    #expect(outcome.status == 0)
    let reported = outcome.events.flatMap { $0.reasons ?? [] }
    #expect(reported.contains(Self.unanswering("plughw:Desk")))
    let last = try #require(outcome.last)
    #expect(last.failure == nil)
    #expect(last.frames > 3 * 48_000)
    #expect(last.xruns == 1)
    #expect(last.lost > 4.9)
    #expect(last.took < 0.2)
  }

  @Test func `a stop is quick while a call hangs`() throws {
    let machine = plugIn("call 1 snd_pcm_avail_update after 1 hang 1000", seconds: 1.5)
    let outcome = try machine.run()
    #expect(outcome.status == 0)
    let last = try #require(outcome.last)
    #expect(last.took > 1 && last.took < 3)
  }

  @Test func `a device that hangs at the start is an error`() throws {
    let outcome = try ScriptedMachine("call 1 snd_pcm_start hang 1000", seconds: 6).run()
    #expect(outcome.status == 3)
    #expect(outcome.last?.failure == Self.unanswering("hw:Desk"))
  }

  @Test func `a call that hangs for less than two seconds is waited for`() throws {
    let machine = plugIn("call 1 snd_pcm_avail_update after 1 hang 1.5")
    let outcome = try machine.run()
    #expect(DriverGuarantees(mendedAt: 2.5).complaints(outcome) == [])
    #expect(outcome.stream("Desk", "playback")?.opens == 1)
  }

  @Test func `a process that was suspended in a call keeps its device`() throws {
    let machine = plugIn("call 1 snd_pcm_avail_update after 1 do stall 5", seconds: 8)
    let outcome = try machine.run()
    #expect(DriverGuarantees(mendedAt: 6).complaints(outcome) == [])
    #expect(outcome.stream("Desk", "playback")?.opens == 1)
  }

  @Test(arguments: ["capture", "playback"])
  func `a hung device with its own clock does not affect others`(direction: String) throws {
    let isInput = direction == "capture"
    let machine = ScriptedMachine(
      script: [
        "card 0 id=Mic source=counter directions=capture",
        "card 1 id=Desk source=beacon", "card 2 id=Side directions=playback",
        "call 1 snd_pcm_avail \(direction) after 2 hang 6",
      ], input: isInput ? "hw:Mic" : "hw:Desk", output: "hw:Desk", seconds: 11)
    var more = machine
    more.options = isInput ? ["--in", "hw:Desk"] : ["--out", "hw:Side"]
    let outcome = try more.run()
    #expect(outcome.status == 0)
    let last = try #require(outcome.last)
    #expect(last.failure == nil)
    #expect(last.devices?.allSatisfy { $0.hasSuffix(" running") } == true, "\(outcome.text)")
    // Two seconds are lost, then the others continue, plus about 100 ms.
    #expect(last.frames > 8 * 48_000)
    let states = outcome.events.compactMap(\.devices)
    let hung = isInput ? "hw:Mic" : "hw:Side"
    #expect(
      states.contains { $0.contains("\(hung) unavailable") && $0.contains("hw:Desk running") })
  }
}
