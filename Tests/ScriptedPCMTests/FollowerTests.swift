// FollowerTests.swift: cards with their own clocks, and their faults. SPDX-License-Identifier: MIT

import Testing

@Suite struct FollowerTests {
  /// A follower in one direction, and a primary device.
  private func machine(
    _ direction: String, _ card: String = "", _ lines: String..., leader: String = "",
    seconds: Double
  ) -> ScriptedMachine {
    let isInput = direction == "capture"
    let source = isInput ? "source=silence" : ""
    var machine = ScriptedMachine(
      script: [
        "card 0 id=Desk directions=playback \(leader)",
        "card 1 id=Guest \(source) directions=\(direction) \(card)",
      ] + lines, input: isInput ? "hw:Guest" : nil, output: "hw:Desk", seconds: seconds)
    if !isInput { machine.options = ["--out", "hw:Guest"] }
    return machine
  }

  /// Returns the final drift of the follower.
  private func drift(_ outcome: Outcome) throws -> Double {
    let last = try #require(outcome.last)
    return try #require(last.drift?.compactMap(\.self).first, "\(outcome.text)")
  }

  // MARK: - Positions

  @Test(arguments: ["capture", "playback"], [1, 48, 192])
  func `a coarse hardware position is not mistaken for drift, at any beat frequency of the clocks`(
    direction: String, step: Int
  ) throws {
    let outcome = try machine(direction, "ppm=20 granularity=\(step)", seconds: 60).run()
    #expect(outcome.status == 0)
    #expect(outcome.last?.xruns == 0)
    #expect(outcome.last?.resynchronised == [0, 0])
    #expect(abs(try drift(outcome) - 20) < 0.1)
    let excess = outcome.excessFrames(from: 20)
    #expect(!excess.isEmpty && excess.allSatisfy { abs($0) < 0.5 }, "\(excess)")
  }

  @Test func `a primary device with periods in bursts does not change the follower's delay`() throws
  {
    var machine = machine("capture", "ppm=20", leader: "granularity=192", seconds: 60)
    machine.options = ["--period", "64", "--periods", "16"]
    let outcome = try machine.run()
    #expect(outcome.last?.xruns == 0)
    #expect(abs(try drift(outcome) - 20) < 0.1)
    let excess = outcome.excessFrames(from: 20)
    #expect(!excess.isEmpty && excess.allSatisfy { abs($0) < 0.5 }, "\(excess)")
  }

  @Test func `the render time of a block is not measured as drift`() throws {
    // From 30 s on, serving the microphone takes 2 ms, and this also delays the other player.
    let outcome = try ScriptedMachine(
      script: [
        "card 0 id=Desk directions=playback", "card 1 id=Guest directions=playback ppm=20",
        "card 2 id=Mic source=silence directions=capture ppm=-20",
        "call 1 snd_pcm_mmap_begin capture after 30 always hang 0.002",
      ], input: "hw:Mic", output: "hw:Desk", seconds: 50, options: ["--out", "hw:Guest"]
    ).run()
    #expect(outcome.last?.xruns == 0)
    let excess = outcome.excessFrames(from: 20)
    #expect(!excess.isEmpty && excess.allSatisfy { abs($0) < 1 }, "\(excess)")
  }

  // MARK: - Another rate

  @Test(arguments: ["capture", "playback"], [(48_000, -81_250.0, 44_100), (48_000, 1e6, 96_000)])
  func `a card at another rate than stated is reported, and used at its real rate`(
    direction: String, rates: (says: Int, partsPerMillion: Double, runs: Int)
  ) throws {
    let outcome = try machine(
      direction, "ppm=\(Int(rates.partsPerMillion)) rates=\(rates.says)", seconds: 30
    ).run()
    #expect(outcome.status == 0)
    let message =
      "The device hw:Guest runs at \(rates.runs) Hz but reports \(rates.says) Hz. "
      + "Fix its clock source or set the rate explicitly."
    let reported = outcome.events.filter {
      $0.event == "devices" && ($0.reasons ?? []).contains(message)
    }
    #expect(reported.count == 1, "\(outcome.text)")
    let last = try #require(outcome.last)
    #expect(last.devices?.allSatisfy { $0.hasSuffix(" running") } == true)
    // The restarts were at the earlier rate. There were none since.
    #expect(last.resynchronised == reported.first?.resynchronised)
    #expect(abs(try drift(outcome)) < 1)
    #expect(last.xruns == reported.first?.xruns)
    #expect(outcome.stream("Guest", direction)?.opens == 2)
    #expect(outcome.stream("Desk", "playback")?.starts == 1)
  }

  @Test(arguments: ["capture", "playback"])
  func `a card at an unusual rate is refused instead of played at a wrong pitch`(direction: String)
    throws
  {
    let outcome = try machine(direction, "ppm=100000 rates=48000", seconds: 10).run()
    #expect(outcome.status == 0)
    let reasons = outcome.last?.reasons ?? []
    #expect(
      reasons.contains { $0.contains(" runs at 52") && $0.contains(" but reports 48000 Hz.") },
      "\(reasons)")
    #expect(outcome.stream("Guest", direction)?.opens == 1)
    #expect(outcome.stream("Desk", "playback")?.starts == 1)
  }

  // MARK: - A clock that cannot be followed

  @Test(arguments: ["capture", "playback"], [-29_000, -25_000, 25_000, 29_000])
  func `a clock beyond the range is reported with its deviation`(
    direction: String, partsPerMillion: Int
  ) throws {
    let outcome = try machine(
      direction, "ppm=\(partsPerMillion) rates=48000", seconds: 30
    ).run()
    #expect(outcome.status == 0)
    let reported = outcome.events.filter { $0.event == "devices" }.flatMap { $0.reasons ?? [] }
      .filter { !$0.isEmpty }
    let message = try #require(reported.first, "\(outcome.text)")
    #expect(reported.allSatisfy { $0 == message }, "\(reported)")
    let words = message.split(separator: " ")
    #expect(message.hasPrefix("The clock of hw:Guest is "), "\(message)")
    #expect(words.contains(partsPerMillion > 0 ? "faster" : "slower"))
    let measured = try #require(words.compactMap { Int($0) }.first)
    #expect(abs(measured - abs(partsPerMillion)) <= 600, "\(message)")
    // It is closed then, and not tried again at once. The other device is not affected.
    #expect(outcome.last?.devices?.contains("hw:Guest unavailable") == true)
    #expect(outcome.stream("Guest", direction)?.opens == 1)
    #expect(outcome.stream("Desk", "playback")?.starts == 1)
  }

  @Test(arguments: ["capture", "playback"])
  func `a device with a clock out of range is tried again after a minute`(direction: String) throws
  {
    let outcome = try machine(direction, "ppm=25000 rates=48000", seconds: 80).run()
    #expect(outcome.stream("Guest", direction)?.opens == 2)
    #expect(outcome.last?.devices?.contains("hw:Guest unavailable") == true)
  }

  @Test(arguments: ["capture", "playback"], [-17_000, 17_000])
  func `drift correction applies to a clock near the limit of the range`(
    direction: String, partsPerMillion: Int
  ) throws {
    let outcome = try machine(direction, "ppm=\(partsPerMillion) rates=48000", seconds: 60).run()
    #expect(outcome.status == 0)
    #expect(outcome.last?.devices?.allSatisfy { $0.hasSuffix(" running") } == true)
    #expect(abs(try drift(outcome) - Double(partsPerMillion)) < 20)
  }

  @Test(arguments: ["capture", "playback"])
  func `repeated interruptions of the primary device cause no report about the follower's clock`(
    direction: String
  ) throws {
    var machine = machine(direction, "ppm=20", seconds: 30)
    for turn in 0 ..< 250 { machine.script += "at \(1 + 0.1 * Double(turn)) xrun Desk\n" }
    let outcome = try machine.run()
    #expect(outcome.last?.xruns ?? 0 > 200)
    #expect(!outcome.text.contains("The clock of"))
  }

  @Test func `drift correction applies to a rate that changes without a notice`() throws {
    let outcome = try machine("capture", "", "at 2 rate Guest 44100", seconds: 30).run()
    #expect(outcome.stream("Guest", "capture")?.rate == 44_100)
    #expect(abs(try drift(outcome)) < 1)
  }

  // MARK: - Faults

  @Test(
    arguments: ["capture", "playback"],
    ["xrun Desk", "stall 0.1", "stall 0.02"])
  func `repeated faults of the primary device do not close or reopen a follower`(
    direction: String, event: String
  ) throws {
    var machine = machine(direction, "ppm=20", seconds: 14)
    let pause = event.hasPrefix("stall") ? 0.5 : 0.1
    for turn in 0 ..< Int(10 / pause) {
      machine.script += "at \(1 + pause * Double(turn)) \(event)\n"
    }
    let outcome = try machine.run()
    #expect(outcome.last?.xruns ?? 0 > 15)
    #expect(outcome.stream("Guest", direction)?.opens == 1)
    #expect(outcome.events.allSatisfy { $0.reasons == $0.reasons?.map { _ in "" } })
  }

  @Test(arguments: [("capture", "overrun"), ("playback", "underrun")])
  func `a card with repeated xruns is opened again, and this is reported`(
    direction: String, word: String
  ) throws {
    var machine = machine(direction, seconds: 8)
    for turn in 0 ..< 20 { machine.script += "at \(1 + 0.2 * Double(turn)) xrun Guest\n" }
    let outcome = try machine.run()
    let reasons = outcome.events.flatMap { $0.reasons ?? [] }
    #expect(
      reasons.contains {
        $0.hasPrefix(
          "The device hw:Guest had an \(word) and "
            + "")
      }, "\(reasons)")
    #expect(!reasons.contains { $0.contains("failed to") })
    #expect(outcome.stream("Guest", direction)?.opens == 2)
    #expect(outcome.last?.devices?.allSatisfy { $0.hasSuffix(" running") } == true)
  }

  @Test(
    arguments: ["capture", "playback"], ["snd_pcm_drop", "snd_pcm_prepare"])
  func `a card that is slow to restart does not delay others`(
    direction: String, call: String
  ) throws {
    let outcome = try machine(
      direction, "", "at 2 xrun Guest", "call 1 \(call) \(direction) after 2 hang 0.2", seconds: 4
    ).run()
    #expect(outcome.status == 0)
    #expect(outcome.last?.xruns == 1)
    #expect(outcome.stream("Guest", direction)?.starts == 2)
    #expect(outcome.stream("Guest", direction)?.opens == 1)
    #expect(outcome.stream("Desk", "playback")?.starts == 1)
  }

  @Test(arguments: ["capture", "playback"], ["no", "yes", "xrun"])
  func `a card in suspend is opened again when it resumes`(direction: String, resume: String) throws
  {
    for end in [2.0, 3, 7] {
      let outcome = try machine(
        direction, "resume=\(resume)", "at 2 suspend Guest", "at \(end) wake Guest", seconds: 10
      ).run()
      #expect(outcome.last?.devices?.allSatisfy { $0.hasSuffix(" running") } == true)
      #expect(outcome.last?.xruns == 1)
      #expect(outcome.stream("Desk", "playback")?.starts == 1)
    }
  }

  @Test(arguments: ["capture", "playback"])
  func `a card that pauses is neither lost nor at another rate`(
    direction: String
  ) throws {
    let outcome = try machine(
      direction, "", "at 2 freeze Guest", "at 3.8 thaw Guest", seconds: 6
    ).run()
    #expect(outcome.last?.devices?.allSatisfy { $0.hasSuffix(" running") } == true)
    #expect(outcome.events.allSatisfy { $0.reasons == $0.reasons?.map { _ in "" } })
    #expect(outcome.last?.resynchronised?.contains(1) == true)
    #expect(outcome.stream("Guest", direction)?.opens == 1)
    #expect(outcome.stream("Desk", "playback")?.starts == 1)
  }

  @Test(arguments: ["capture", "playback"])
  func `a card that cannot be restarted is closed and reported`(direction: String) throws {
    let outcome = try machine(
      direction, "", "at 2 xrun Guest", "call 1 snd_pcm_start \(direction) after 2 always fail EIO",
      seconds: 6
    ).run()
    #expect(outcome.status == 0)
    let reasons = outcome.last?.reasons ?? []
    #expect(reasons.contains { $0.contains("failed to start") }, "\(reasons)")
    let opens = outcome.stream("Guest", direction)?.opens ?? 0
    #expect(opens > 1 && opens < 20, "\(opens)")
    #expect(outcome.stream("Desk", "playback")?.starts == 1)
  }
}

extension Outcome {
  /// The minimum and maximum excess of each ten seconds, from the given second on.
  fileprivate func excessFrames(from seconds: Int) -> [Double] {
    text.split(separator: "\n").filter { $0.hasPrefix("excess ") }.flatMap { line in
      let values = line.split(separator: " ").dropFirst().compactMap { Double($0) }
      return (values.first ?? 0) >= Double(seconds) ? Array(values.dropFirst()) : []
    }
  }
}
