// CallFaultTests.swift: every call of alsa-lib fails, one after the other. SPDX-License-Identifier: MIT

import Testing

@Suite struct CallFaultTests {
  static let errors = ["EPIPE", "ESTRPIPE", "EIO", "ENODEV", "EAGAIN", "EINTR", "EBADFD", "EINVAL"]
  /// Each error with mapped access and with copied access; two of them with planar access too.
  static let cases =
    errors.flatMap { error in ["mmap", "copy"].map { (error, $0) } }
    + ["EPIPE", "EIO"].flatMap { error in ["mmap-rows", "copy-rows"].map { (error, $0) } }
  /// Functions that cannot fail, or whose failure may end the process.
  private static let infallible: Set<String> = ["snd_pcm_state", "snd_pcm_close"]

  @Test(arguments: cases)
  func `one failing call does not end a running stream`(error: String, access: String) throws {
    let card = "source=beacon access=\(access) resume=yes"
    let events = ["at 1 xrun Desk", "at 1.5 suspend Desk", "at 1.6 wake Desk"]
    var machine = ScriptedMachine(card: card, seconds: 0.5)
    let before = try #require(machine.run().captured).calls
    machine.seconds = 3
    machine.script += events.joined(separator: "\n") + "\n"
    let script = machine.script
    let calls = try #require(machine.run().captured).calls
    let names = calls.keys.filter { !Self.infallible.contains($0) }.sorted()
    #expect(names.count > 8)
    for name in names {
      let count = (calls[name] ?? []).reduce(0, +) - (before[name] ?? []).reduce(0, +)
      for call in [1, 2] where call <= count {
        machine.script = script + "call \(call) \(name) after 0.9 fail \(error)\n"
        // The requested faults occur as well, so audio recovers a second after the last one.
        try expect("call \(call) of \(name): \(error)", machine, DriverGuarantees(mendedAt: 1.6))
      }
    }
  }

  @Test(arguments: errors)
  func `a failed start ends with a message or is repeated with success`(error: String) throws {
    var machine = ScriptedMachine(seconds: 1)
    let script = machine.script
    let calls = try #require(machine.run().captured).calls
    for name in calls.keys.filter({ !Self.infallible.contains($0) }).sorted() {
      let count = (calls[name] ?? []).reduce(0, +)
      for call in 1 ... min(2, count) {
        machine.script = script + "call \(call) \(name) fail \(error)\n"
        let complaints = Self.complaintsOfStart(try machine.run())
        guard let reason = Expected.failures[name] else {
          #expect(complaints == [], "call \(call) \(name) fail \(error)")
          continue
        }
        withKnownIssue(reason) { #expect(complaints == []) }
      }
    }
  }

  private static func complaintsOfStart(_ outcome: Outcome) -> [String] {
    if outcome.status == 0 { return DriverGuarantees(isAudible: false).complaints(outcome) }
    let isMessage =
      outcome.text.hasSuffix(".\n") || outcome.last?.failure?.hasSuffix(".") == true
    return outcome.status == 3 && isMessage
      ? [] : ["It ended with status \(outcome.status): \(outcome.text)"]
  }

  @Test(arguments: errors)
  func `a call that fails from some time on does not end the run`(error: String) throws {
    for name in ["snd_pcm_avail_update", "snd_pcm_mmap_begin", "snd_pcm_mmap_commit"] {
      let outcome = try ScriptedMachine("call 1 \(name) after 1 always fail \(error)").run()
      #expect(outcome.status == 0, "\(name) \(error): \(outcome.text)")
      #expect(outcome.last?.failure == nil)
      let opens = outcome.stream("Desk", "playback")?.opens ?? 0
      #expect(opens < 100, "\(name) \(error): opened \(opens) times in 2 s")
    }
  }
}
