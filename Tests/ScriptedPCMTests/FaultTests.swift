// FaultTests.swift: faults of cards, single and many at the same time. SPDX-License-Identifier: MIT

import Testing

@Suite struct FaultTests {
  /// An event during a running stream.
  struct Fault: CustomTestStringConvertible, Sendable {
    let name: String
    let lines: [String]
    var card = "source=beacon"
    var mendedAt = 1.0
    var seconds = 4.0
    var callsPerSecond = 20_000.0
    var isAudible = true

    var testDescription: String { name }
  }

  static let xruns: [Fault] = [
    Fault(name: "an xrun on both sides", lines: ["at 1 xrun Desk"]),
    Fault(name: "an xrun of linked capture", lines: ["at 1 xrun Desk capture"]),
    Fault(name: "an xrun of linked playback", lines: ["at 1 xrun Desk playback"]),
    Fault(
      name: "an xrun of capture alone", lines: ["at 1 xrun Desk capture"],
      card: "source=beacon link=no"),
    Fault(
      name: "an xrun of playback alone", lines: ["at 1 xrun Desk playback"],
      card: "source=beacon link=no"),
    Fault(
      name: "an xrun where samples are copied", lines: ["at 1 xrun Desk"],
      card: "source=beacon access=copy"),
    Fault(
      name: "an xrun where rows are copied", lines: ["at 1 xrun Desk"],
      card: "source=beacon access=copy-rows"),
    Fault(
      name: "ten xruns during the start",
      lines: ["at 1 xrun Desk", "call 1 snd_pcm_start after 0.99 times 10 do xrun Desk"]),
    Fault(
      name: "xruns while samples are moved",
      lines: ["call 1 snd_pcm_mmap_begin after 1 times 5 do xrun Desk"]),
    Fault(
      name: "xruns while samples are handed over",
      lines: ["call 1 snd_pcm_mmap_commit after 1 times 5 do xrun Desk"]),
    Fault(
      name: "100 xruns, 20 ms apart",
      lines: (0 ..< 100).map { "at \(1 + 0.02 * Double($0)) xrun Desk" }, mendedAt: 3),
    Fault(
      name: "100 xruns, 3 ms apart",
      lines: (0 ..< 100).map { "at \(1 + 0.003 * Double($0)) xrun Desk" }, mendedAt: 1.3),
  ]

  static let delays: [Fault] = [
    Fault(name: "an interrupt late by a period", lines: ["at 1 late Desk 0.004"], isAudible: false),
    Fault(name: "an interrupt later than the buffer is long", lines: ["at 1 late Desk 0.03"]),
    Fault(name: "a stopped process", lines: ["at 1 stall 3"], mendedAt: 4, seconds: 6),
    Fault(name: "a process stopped for a moment", lines: ["at 1 stall 0.02"]),
    Fault(name: "a late wake-up", lines: ["call 1 poll after 1 slow 0.1"], mendedAt: 1.1),
    Fault(
      name: "a device that stops for a while", lines: ["at 1 freeze Desk", "at 1.3 thaw Desk"],
      mendedAt: 1.3),
    Fault(name: "a device that stops for ever", lines: ["at 1 freeze Desk"], seconds: 6),
    Fault(
      name: "a capture side that stops for ever", lines: ["at 1 freeze Desk capture"], seconds: 6),
    Fault(
      name: "a playback side that stops for ever", lines: ["at 1 freeze Desk playback"],
      seconds: 6),
    Fault(
      name: "poll interrupted 5 times", lines: ["call 1 poll times 5 fail EINTR"], isAudible: false),
    Fault(
      name: "poll interrupted 100 times", lines: ["call 1 poll times 100 fail EINTR"],
      isAudible: false),
  ]

  static let sleep: [Fault] = ["no", "yes", "xrun"].flatMap { resume in
    [
      Fault(
        name: "a sleep, resume \(resume)", lines: ["at 1 suspend Desk", "at 1.4 wake Desk"],
        card: "source=beacon resume=\(resume)", mendedAt: 1.4),
      Fault(
        name: "a long sleep, resume \(resume)", lines: ["at 1 suspend Desk", "at 13 wake Desk"],
        card: "source=beacon resume=\(resume)", mendedAt: 13, seconds: 16),
      Fault(
        name: "a sleep that is over at once, resume \(resume)",
        lines: ["at 1 suspend Desk", "at 1 wake Desk"], card: "source=beacon resume=\(resume)"),
    ]
  }

  static let shortMoves: [Fault] = [
    Fault(
      name: "windows of one frame", lines: ["call 1 snd_pcm_mmap_begin after 1 always short 1"],
      callsPerSecond: 400_000, isAudible: false),
    Fault(
      name: "reads of one frame", lines: ["call 1 snd_pcm_readi after 1 always short 1"],
      card: "source=beacon access=copy", callsPerSecond: 400_000, isAudible: false),
    Fault(
      name: "writes of one frame", lines: ["call 1 snd_pcm_writei after 1 always short 1"],
      card: "source=beacon access=copy", callsPerSecond: 400_000, isAudible: false),
    Fault(
      name: "reads of one frame of rows", lines: ["call 1 snd_pcm_readn after 1 always short 1"],
      card: "source=beacon access=copy-rows", callsPerSecond: 400_000, isAudible: false),
    Fault(
      name: "writes of one frame of rows", lines: ["call 1 snd_pcm_writen after 1 always short 1"],
      card: "source=beacon access=copy-rows", callsPerSecond: 400_000, isAudible: false),
    Fault(
      name: "silence in parts of one frame", lines: ["call 1 snd_pcm_writei times 1000 short 1"],
      card: "source=beacon access=copy", isAudible: false),
    Fault(
      name: "a window handed over in part", lines: ["call 1 snd_pcm_mmap_commit after 1 short 1"]),
    Fault(
      name: "one frame at a time for a while",
      lines: ["call 1 snd_pcm_avail_update after 1 times 20 short 1"], isAudible: false),
  ]

  @Test(arguments: xruns + delays + sleep + shortMoves)
  func `audio recovers after the fault`(after fault: Fault) throws {
    var machine = ScriptedMachine(card: fault.card, seconds: fault.seconds)
    machine.script += fault.lines.joined(separator: "\n") + "\n"
    try expect(
      fault.name, machine,
      DriverGuarantees(
        mendedAt: fault.mendedAt, callsPerSecond: fault.callsPerSecond, isAudible: fault.isAudible))
  }

  @Test(arguments: [0.05, 0.5, 3])
  func `a suspended process counts one interruption with any number of devices`(
    seconds: Double
  ) throws {
    var machine = ScriptedMachine(
      script: [
        "card 0 id=Desk source=beacon", "card 1 id=Monitor directions=playback",
        "card 2 id=Hall directions=playback", "at 2 stall \(seconds)",
      ], input: "hw:Desk", output: "hw:Desk", seconds: 4 + seconds)
    machine.options = ["--out", "hw:Monitor", "--out", "hw:Hall"]
    let outcome = try machine.run()
    #expect(DriverGuarantees(mendedAt: 2 + seconds, interruptions: 1).complaints(outcome) == [])
    #expect(outcome.last?.xruns == 1)
  }

  @Test func `xruns of each of two devices are counted separately`() throws {
    var machine = ScriptedMachine(
      script: [
        "card 0 id=Desk source=beacon", "card 1 id=Monitor directions=playback",
        "at 2 xrun Monitor", "at 3 xrun Desk", "at 4 xrun Monitor",
      ], input: "hw:Desk", output: "hw:Desk", seconds: 5)
    machine.options = ["--out", "hw:Monitor"]
    #expect(try machine.run().last?.xruns == 3)
  }

  @Test func `a device that never delivers a period ends with a message`() throws {
    let outcome = try ScriptedMachine("call 1 snd_pcm_start do freeze Desk").run()
    #expect(outcome.status == 3)
    let failure = try #require(outcome.last?.failure)
    #expect(failure.hasPrefix("The device hw:Desk was opened for "))
    #expect(failure.contains("but transferred no audio for 2 seconds"))
  }

  @Test(arguments: ["EPERM", "ENOSYS", "EBADFD"])
  func `streams that cannot be linked run unlinked`(error: String) throws {
    let machine = ScriptedMachine("call 1 snd_pcm_link always fail \(error)")
    let outcome = try machine.run()
    #expect(DriverGuarantees(isAudible: false).complaints(outcome) == [])
    #expect(outcome.last?.linked == false)
  }
}
