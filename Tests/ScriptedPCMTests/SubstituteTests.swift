// SubstituteTests.swift: fallback devices for lost cards. SPDX-License-Identifier: MIT

import Testing

@Suite struct SubstituteTests {
  private func machine(_ lines: String..., keep: Bool = false, seconds: Double) -> ScriptedMachine {
    var machine = ScriptedMachine(
      script: ["card 0 id=Desk source=beacon", "card 1 id=Spare source=beacon"] + lines,
      input: "hw:Desk", output: "hw:Desk", seconds: seconds)
    machine.options = ["--otherwise", "hw:Spare", "--keep", keep ? "yes" : "no"]
    return machine
  }

  /// The last time at which a card played audio, in seconds by the card's clock.
  private func lastAudioFrame(_ card: String, _ outcome: Outcome) -> Double {
    Double(outcome.stretches(card).last { $0.kind == .exact }?.end ?? 0) / 48_000
  }

  @Test func `a device that returns replaces its fallback device`() throws {
    let outcome = try machine("at 1 unplug Desk", "at 3 plug Desk 4", seconds: 6).run()
    #expect(outcome.status == 0)
    // The fallback device fades out, and the original device fades in.
    for card in ["Desk", "Spare"] {
      for joint in outcome.stretches(card) where joint.kind == .other {
        #expect(joint.count < 960 && joint.step < 0.02 && joint.high < 1.0001, "\(card): \(joint)")
      }
    }
    let spare = outcome.stretches("Spare")
    let end = try #require(spare.lastIndex { $0.kind == .exact })
    #expect(spare[end + 1].kind == .other)
    #expect(lastAudioFrame("Spare", outcome) > 2.9 && lastAudioFrame("Spare", outcome) < 4.5)
    #expect(lastAudioFrame("Desk", outcome) > 5.8)
    #expect(outcome.last?.xruns == 2)
    #expect(outcome.stream("Spare", "playback")?.starts == 1)
  }

  @Test func `a fallback device stays in use if the rig says keep`() throws {
    let outcome = try machine("at 1 unplug Desk", "at 2 plug Desk 4", keep: true, seconds: 5).run()
    #expect(outcome.stream("Desk", "playback")?.opens == 1)
    #expect(lastAudioFrame("Spare", outcome) > 4.8)
    #expect(outcome.last?.xruns == 1)
  }

  @Test func `a returned device that is busy does not interrupt its fallback device`() throws {
    let outcome = try machine(
      "at 1 unplug Desk", "at 1.9 seize Desk", "at 2 plug Desk 4", "at 5 release Desk", seconds: 8
    ).run()
    let played = outcome.stretches("Spare").filter { $0.kind == .exact }
    #expect(played.count == 1)
    #expect(lastAudioFrame("Spare", outcome) > 4.9)
    #expect(lastAudioFrame("Desk", outcome) > 7.8)
    #expect(outcome.last?.xruns == 2)
  }

  @Test func `a returned device that cannot be configured leaves the fallback device in use`()
    throws
  {
    // The device refuses its parameters when it is configured after its return.
    let outcome = try machine(
      "at 1 unplug Desk", "at 3 plug Desk 4", "call 1 snd_pcm_hw_params after 2.9 fail EIO",
      seconds: 9
    ).run()
    #expect(outcome.status == 0)
    #expect(lastAudioFrame("Spare", outcome) > 8.8)
  }

  @Test func `a follower microphone returns without an interruption of the loudspeaker`() throws {
    var machine = ScriptedMachine(
      script: [
        "card 0 id=Mic directions=capture", "card 1 id=Desk directions=playback",
        "card 2 id=Spare directions=capture", "at 1 unplug Mic", "at 3 plug Mic 4",
      ], input: "hw:Mic", output: "hw:Desk", seconds: 7)
    machine.options = ["--otherwise", "hw:Spare"]
    let outcome = try machine.run()
    #expect(outcome.status == 0)
    #expect(outcome.last?.devices == ["hw:Mic running", "hw:Desk running"])
    #expect(outcome.last?.xruns == 0)
    #expect(outcome.stream("Spare", "capture")?.starts == 1)
    #expect(outcome.stream("Mic", "capture")?.starts == 2)
  }

  @Test func `a follower loudspeaker returns when its fallback is silent`() throws {
    var machine = ScriptedMachine(
      script: [
        "card 0 id=Desk source=beacon", "card 1 id=Side directions=playback",
        "card 2 id=Spare directions=playback", "at 1 unplug Side", "at 3 plug Side 4",
      ], input: "hw:Desk", output: "hw:Desk", seconds: 7)
    machine.options = ["--out", "hw:Side", "--otherwise", "hw:Spare"]
    let outcome = try machine.run()
    #expect(outcome.status == 0)
    #expect(outcome.last?.devices == ["hw:Desk running", "hw:Desk running", "hw:Side running"])
    #expect(outcome.last?.xruns == 0)
    #expect(outcome.stream("Spare", "playback")?.starts == 1)
    #expect(outcome.stream("Side", "playback")?.starts == 2)
    let silence = try #require(outcome.stretches("Spare").last)
    #expect(silence.kind == .silence && silence.count > 4_800, "\(silence)")
  }
}
