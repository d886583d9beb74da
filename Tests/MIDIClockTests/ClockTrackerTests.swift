// ClockTrackerTests.swift: tests of ClockTracker.swift and TickRegression.swift. SPDX-License-Identifier: MIT

import MIDIClock
import PluginModel
import TestRandom
import Testing

@Suite struct `The tempo of a MIDI clock` {
  @Test(arguments: Jitter.allCases)
  func `is exact to 0.05 BPM after two seconds, and its phase to 1 ms`(jitter: Jitter) {
    for tempo in [40, 87.3, 120, 125, 174.01, 240, 300] {
      for seed in 1 ... 20 {
        var clock = SimulatedClock(jitter, seed: UInt64(seed))
        clock.run(seconds: 2, tempo: tempo)
        clock.reset()
        clock.run(seconds: 8, tempo: tempo)
        #expect(clock.worstTempo < 0.05, "\(tempo) BPM, seed \(seed)")
        #expect(clock.worstPhaseMilliseconds < 1, "\(tempo) BPM, seed \(seed)")
      }
    }
  }

  @Test(arguments: [(120, 121), (120, 124), (120, 140), (120, 60), (60, 180), (140.0, 90.0)])
  func `follows a step within three seconds`(from: Double, to: Double) {
    for seed in 1 ... 20 {
      var clock = SimulatedClock(.uniform, seed: UInt64(seed))
      clock.run(seconds: 5, tempo: from)
      clock.run(seconds: 3, tempo: to)
      clock.reset()
      clock.run(seconds: 5, tempo: to)
      #expect(clock.worstTempo < 0.05, "seed \(seed)")
      #expect(clock.worstPhaseMilliseconds < 1, "seed \(seed)")
    }
  }

  @Test func `follows a ramp of 5 BPM a second within 5 ms`() {
    for seed in 1 ... 20 {
      var clock = SimulatedClock(.uniform, seed: UInt64(seed))
      clock.run(seconds: 4, tempo: 120)
      clock.reset()
      for step in 1 ... 40 { clock.run(seconds: 0.1, tempo: 120 + Double(step) / 2) }
      #expect(clock.worstPhaseMilliseconds < 5, "seed \(seed)")
      clock.run(seconds: 3, tempo: 140)
      clock.reset()
      clock.run(seconds: 3, tempo: 140)
      #expect(clock.worstTempo < 0.05, "seed \(seed)")
    }
  }

  @Test func `ignores lost, repeated and late ticks`() {
    for seed in 1 ... 20 {
      var faults = Random(seed: UInt64(seed) &+ 1_000)
      var clock = SimulatedClock(.uniform, seed: UInt64(seed))
      clock.run(seconds: 2, tempo: 120)
      clock.reset()
      clock.run(seconds: 20, tempo: 120) { tracker, time, _ in
        switch Double.random(in: 0 ..< 1, using: &faults) {
        case ..<0.05: break
        case ..<0.1:
          tracker.receive([0xf8], at: time)
          tracker.receive([0xf8], at: time + 300_000)
        case ..<0.13: tracker.receive([0xf8], at: time + 15_000_000)
        default: tracker.receive([0xf8], at: time)
        }
      }
      #expect(clock.worstTempo < 0.05, "seed \(seed)")
      #expect(clock.worstPhaseMilliseconds < 1, "seed \(seed)")
    }
  }

  @Test func `is unknown before ticks are regular`() {
    var tracker = ClockTracker(quartersPerMinute: 97)
    for time in [1, 1, 1, 2, 90, 91, 500, 501] {
      tracker.receive([0xf8], at: UInt64(time) * 1_000_000)
    }
    #expect(tracker.quartersPerMinute == nil)
    #expect(tracker.reading.quartersPerMinute == 97)
    #expect(tracker.state == .locking)
  }
}

@Suite struct `The state of a MIDI clock` {
  @Test func `is waiting, locking, locked and lost`() {
    var clock = SimulatedClock()
    #expect(clock.tracker.state == .waiting)
    clock.run(seconds: 0.2, tempo: 120)
    #expect(clock.tracker.state == .locking)
    clock.run(seconds: 0.5, tempo: 120)
    #expect(clock.tracker.state == .locked)
    let now = UInt64(clock.time)
    var isLost = clock.tracker.poll(at: now)
    #expect(!isLost)
    isLost = clock.tracker.poll(at: now + 1_000_000_000)
    #expect(isLost)
    #expect(clock.tracker.state == .lost)
    #expect(abs(clock.tracker.reading.quartersPerMinute - 120) < 1e-6)
    // It is reported once.
    isLost = clock.tracker.poll(at: now + 2_000_000_000)
    #expect(!isLost)
  }

  @Test func `a clock that returns is in phase, and its bars are aligned`() {
    var clock = SimulatedClock(.uniform)
    clock.run(seconds: 5, tempo: 120)
    clock.run(seconds: 5, tempo: 120) { _, _, _ in }
    _ = clock.tracker.poll(at: UInt64(clock.time))
    #expect(clock.tracker.state == .lost)
    clock.run(seconds: 0.2, tempo: 120)
    clock.reset()
    clock.run(seconds: 2, tempo: 120)
    #expect(clock.worstPhaseMilliseconds < 1)
    #expect(clock.tracker.state == .locked)
  }

  @Test func `a clock that ends after a stop is not lost`() {
    var clock = SimulatedClock()
    clock.run(seconds: 2, tempo: 120)
    clock.tracker.receive([0xfc], at: UInt64(clock.time))
    let isLost = clock.tracker.poll(at: UInt64(clock.time) + 5_000_000_000)
    #expect(!isLost)
    #expect(clock.tracker.state == .waiting)
    #expect(abs(clock.tracker.reading.quartersPerMinute - 120) < 1e-6)
  }
}

@Suite struct `The position of a MIDI clock` {
  @Test func `is unknown before a start`() {
    var tracker = ClockTracker()
    for tick in 0 ..< 100 { tracker.receive([0xf8], at: UInt64(tick) * 20_000_000) }
    #expect(tracker.reading.changeCount == 0)
    #expect(abs(tracker.reading.quartersPerMinute - 125) < 1e-6)
  }

  @Test func `is zero at the first tick after a start`() {
    var clock = SimulatedClock()
    clock.run(seconds: 2, tempo: 120)
    clock.tracker.receive([0xfa], at: UInt64(clock.time) - 5_000_000)
    let changes = clock.tracker.reading.changeCount
    clock.tracker.receive([0xf8], at: UInt64(clock.time))
    let reading = clock.tracker.reading
    #expect(reading.changeCount == changes + 1)
    #expect(reading.isRolling)
    #expect(abs(Int64(reading.changeTime) - Int64(clock.time)) < 1_000)
    #expect(abs(reading.quarters(at: reading.changeTime)) < 1e-6)
  }

  @Test func `begins at the tick itself if a start begins another grid`() {
    var clock = SimulatedClock()
    clock.run(seconds: 2, tempo: 120)
    // Sequencers restart their ticks: this one is 8 ms after the last tick, which is no tick of the old grid.
    let time = UInt64(clock.time - 60e9 / (24 * 120) + 8e6)
    clock.tracker.receive([0xfa], at: time)
    clock.tracker.receive([0xf8], at: time)
    #expect(clock.tracker.reading.changeTime == time)
    for tick in 1 ... 48 {
      clock.tracker.receive([0xf8], at: time + UInt64(Double(tick) * 60e9 / (24 * 120)))
    }
    #expect(abs(clock.tracker.reading.quarters(at: time)) < 1e-4)
    #expect(abs(clock.tracker.reading.quartersPerMinute - 120) < 0.01)
  }

  @Test func `stands after a stop, and continues at the next tick`() {
    var clock = SimulatedClock()
    clock.run(seconds: 2, tempo: 120)
    let ticks = clock.tick
    clock.tracker.receive([0xfc], at: UInt64(clock.time) - 1_000_000)
    #expect(!clock.tracker.reading.isRolling)
    #expect(clock.tracker.reading.quarters == Double(ticks) / 24)
    // The clock ticks although the song is stopped.
    clock.run(seconds: 1, tempo: 120)
    #expect(clock.tracker.reading.quarters == Double(ticks) / 24)
    clock.tracker.receive([0xfb], at: UInt64(clock.time) - 1_000_000)
    clock.tracker.receive([0xf8], at: UInt64(clock.time))
    #expect(clock.tracker.reading.isRolling)
    #expect(
      abs(clock.tracker.reading.quarters(at: UInt64(clock.time)) - Double(ticks) / 24) < 1e-6)
  }

  @Test func `is the song position after a continue`() {
    var clock = SimulatedClock()
    clock.run(seconds: 2, tempo: 120)
    clock.tracker.receive([0xfc], at: UInt64(clock.time) - 3_000_000)
    // 2 + 3 * 128 sixteenth notes.
    clock.tracker.receive([0xf2, 2, 3], at: UInt64(clock.time) - 2_000_000)
    #expect(clock.tracker.reading.quarters == 96.5)
    clock.tracker.receive([0xfb], at: UInt64(clock.time) - 1_000_000)
    clock.tracker.receive([0xf8], at: UInt64(clock.time))
    #expect(abs(clock.tracker.reading.quarters(at: UInt64(clock.time)) - 96.5) < 1e-6)
  }

  @Test func `jumps while it rolls at the tick after a song position`() {
    var clock = SimulatedClock()
    clock.run(seconds: 2, tempo: 120)
    clock.tracker.receive([0xf2, 16, 0], at: UInt64(clock.time) - 1_000_000)
    clock.tracker.receive([0xf8], at: UInt64(clock.time))
    #expect(abs(clock.tracker.reading.quarters(at: UInt64(clock.time)) - 4) < 1e-6)
  }

  @Test func `ignores other and incomplete messages`() {
    var tracker = ClockTracker()
    let before = tracker.reading
    for message: [UInt8] in [[], [0xf2], [0xf2, 1], [0x90, 60, 100], [0xfe], [0xff], [0xf1, 0]] {
      tracker.receive(message, at: 1_000)
    }
    #expect(tracker.reading == before)
    #expect(tracker.state == .waiting)
  }
}

@Suite struct `A clock input` {
  private func play(_ input: ClockInput, from source: String, ticks: Range<Int>) {
    for tick in ticks { input.receive([0xf8], from: source, at: UInt64(tick) * 20_000_000) }
  }

  @Test func `reports the clock, its loss and its return once each`() {
    let input = ClockInput(device: "Digitakt", quartersPerMinute: 100)
    #expect(input.status == ClockStatus(device: "Digitakt", state: .waiting))
    play(input, from: "Digitakt:MIDI 1", ticks: 0 ..< 100)
    #expect(
      input.takeNotices().map { "\($0)" } == [
        "The tempo follows the MIDI clock of Digitakt:MIDI 1."
      ])
    input.poll(at: 5_000_000_000)
    input.poll(at: 6_000_000_000)
    #expect(
      input.takeNotices().map { "\($0)" } == [
        "The MIDI clock of Digitakt:MIDI 1 is lost. The tempo stays at 125.0 quarter notes per minute."
      ])
    #expect(input.status.state == .lost)
    play(input, from: "Digitakt:MIDI 1", ticks: 400 ..< 500)
    #expect(
      input.takeNotices().map { "\($0)" } == [
        "The tempo follows the MIDI clock of Digitakt:MIDI 1."
      ])
  }

  @Test func `follows one of two ports that send a clock`() {
    let input = ClockInput(device: "Box", quartersPerMinute: 100)
    for tick in 0 ..< 100 {
      input.receive([0xf8], from: "Box:1", at: UInt64(tick) * 20_000_000)
      input.receive([0xf8], from: "Box:2", at: UInt64(tick) * 20_000_000 + 9_000_000)
    }
    let reading = input.published.pointer.pointee.read()
    #expect(abs((reading?.quartersPerMinute ?? 0) - 125) < 1e-6)
  }
}
