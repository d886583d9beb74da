// LinkInputTests.swift: an engine that follows an Ableton Link session. SPDX-License-Identifier: MIT

import MIDIClock
import PluginModel
import RenderGraph
import Testing

/// A session in virtual time, whose reports arrive every 50 ms.
private final class SimulatedSession {
  let input = LinkInput()
  let clocked: ClockedEngine
  /// The delay of the audio, in frames.
  let delayFrames: Int
  var tempo: Double
  var isPlaying: Bool
  var peers = 0
  var change = 1_000_000_000.0
  /// A time and its position, in ns and quarter notes.
  var anchor = (time: 1e9, quarters: 0.0)
  /// How late a report arrives, in ns.
  var lateness: (Int) -> Double = { _ in 0 }
  private var nextReport = 1e9
  private var reportCount = 0

  init(
    tempo: Double, _ settings: TransportSettings = TransportSettings(), delayFrames: Int = 0
  ) {
    (self.tempo, isPlaying, self.delayFrames) = (tempo, settings.isRolling, delayFrames)
    clocked = ClockedEngine(settings)
    clocked.engine.setMIDIOutputDelay(frameCount: delayFrames)
    clocked.engine.follow(input.published, whenAudible: true)
    _ = input.begin(
      at: 0, quartersPerMinute: settings.beatsPerMinute, isRolling: settings.isRolling, now: 1)
  }

  func quarters(at time: Double) -> Double {
    anchor.quarters + (time - anchor.time) * tempo / 60e9
  }

  func setTempo(_ tempo: Double) {
    anchor = (clocked.now, quarters(at: clocked.now))
    self.tempo = tempo
    report()
  }

  func play(_ isPlaying: Bool, at time: Double) {
    (self.isPlaying, change) = (isPlaying, time)
    if isPlaying { anchor = (time, 0) }
    report()
  }

  func report(_ line: String? = nil) {
    let time = clocked.now
    let text =
      "state \(UInt64(time)) \(quarters(at: time)) \(tempo) \(isPlaying ? 1 : 0) \(UInt64(change)) \(peers)"
    input.receive(line ?? text, at: UInt64(time + lateness(reportCount)))
    reportCount += 1
  }

  func run(seconds: Double, each: () -> Void = {}) {
    let end = clocked.now + seconds * 1e9
    while clocked.now < end {
      if clocked.now >= nextReport {
        report()
        nextReport += 50e6
      }
      clocked.render()
      each()
    }
  }

  /// The time at which the first frame of the last block is audible, in ns.
  var audibleTime: Double {
    clocked.now - clocked.blockNanoseconds + Double(delayFrames) * 1e9 / ClockedEngine.rateHz
  }
  /// The difference between the transport and the session, in ms.
  var phaseMilliseconds: Double {
    (clocked.position.beat - quarters(at: audibleTime)) * 60e3 / tempo
  }
}

@Suite struct `A transport that follows Ableton Link` {
  @Test(arguments: [0, 64, 512, 4_096])
  func `has its tempo to 0.05 BPM after two seconds, and its audible phase to 1 ms`(delay: Int) {
    for tempo in [40, 87.3, 120, 174.01, 300] {
      let session = SimulatedSession(tempo: tempo, delayFrames: delay)
      session.anchor.quarters = 17.3
      session.run(seconds: 2)
      session.run(seconds: 5) {
        #expect(abs(session.clocked.position.beatsPerMinute - tempo) < 0.05)
        #expect(abs(session.phaseMilliseconds) < 1)
      }
    }
  }

  @Test func `follows a tempo that another program sets`() {
    let session = SimulatedSession(tempo: 120)
    session.run(seconds: 2)
    for tempo in [121, 90, 180.5] {
      session.setTempo(tempo)
      session.run(seconds: 2)
      #expect(abs(session.clocked.position.beatsPerMinute - tempo) < 0.05)
      #expect(abs(session.phaseMilliseconds) < 1)
    }
  }

  @Test func `starts at the beginning on the frame of the session's start, and stops with it`() {
    var settings = TransportSettings()
    settings.isRolling = false
    let session = SimulatedSession(tempo: 100, settings)
    session.run(seconds: 1)
    #expect(session.clocked.position.speed == 0)
    let start = session.clocked.now + 700e6
    session.play(true, at: start)
    var isFirst = true
    session.run(seconds: 2) {
      let position = session.clocked.position
      guard position.speed > 0 else { return #expect(session.audibleTime < start) }
      let frames = (session.audibleTime - start) * ClockedEngine.rateHz / 1e9
      if isFirst { #expect(-Double(ClockedEngine.frames) < frames && frames <= 0) }
      isFirst = false
      #expect(abs(Double(position.frame) - frames) <= 1)
    }
    #expect(!isFirst)
    session.play(false, at: session.clocked.now)
    let stop = session.quarters(at: session.clocked.now)
    session.run(seconds: 1)
    #expect(session.clocked.position.speed == 0)
    #expect(abs(session.clocked.position.beat - stop) < 1e-4)
  }

  @Test func `stops where it is if the session was stopped long before`() {
    let session = SimulatedSession(tempo: 120)
    session.run(seconds: 5)
    session.play(false, at: 2e9)
    let stop = session.quarters(at: session.clocked.now)
    session.run(seconds: 1)
    #expect(session.clocked.position.speed == 0)
    #expect(abs(session.clocked.position.beat - stop) < 1e-3)
  }

  @Test func `counts beats of the time signature`() {
    var settings = TransportSettings()
    (settings.beatsPerBar, settings.beatUnit, settings.beatsPerMinute) = (6, 8, 200)
    let session = SimulatedSession(tempo: 100, settings)
    session.run(seconds: 3)
    let position = session.clocked.position
    #expect(abs(position.beatsPerMinute - 200) < 0.05)
    #expect(abs(position.beat - 2 * session.quarters(at: session.audibleTime)) < 1e-3)
  }

  @Test func `keeps tempo, phase and state under invalid lines, which are reported once`() {
    let session = SimulatedSession(tempo: 133)
    session.run(seconds: 2)
    let before = session.input.published.pointer.pointee.read()
    for line in ["", "state", "state 1 2 nan 1 5 6", String(repeating: "x", count: 4_000)] {
      session.report(line)
    }
    #expect(session.input.published.pointer.pointee.read() == before)
    session.run(seconds: 1)
    #expect(abs(session.phaseMilliseconds) < 0.2)
    #expect(
      session.input.takeNotices().map { "\($0)" } == [
        "outboard-link sent an invalid line, which was ignored."
          + " Install the version that belongs to this program."
      ])
  }

  @Test func `has a tempo that is set here at once, and ignores earlier reports`() {
    let session = SimulatedSession(tempo: 120)
    session.run(seconds: 1)
    let old = "state \(UInt64(session.clocked.now)) 2.0 120 1 1000000000 0"
    session.run(seconds: 0.01)
    session.input.setTempo(90, at: UInt64(session.clocked.now))
    session.input.receive(old, at: UInt64(session.clocked.now))
    let reading = session.input.published.pointer.pointee.read()
    #expect(reading?.quartersPerMinute == 90)
    let quarters = reading?.quarters(at: UInt64(session.clocked.now)) ?? 0
    #expect(abs(quarters - session.quarters(at: session.clocked.now)) < 1e-6)
  }

  @Test func `continues without the process, takes another tempo, and is in phase again later`() {
    let session = SimulatedSession(tempo: 140)
    session.peers = 1
    session.run(seconds: 2)
    #expect(
      session.input.status == ClockStatus(device: "link", state: .locked, peers: 1))
    session.input.end(isExpected: false)
    #expect(session.input.status.state == .lost)
    let before = session.clocked.position
    for _ in 0 ..< 500 { session.clocked.render() }
    let blocks = 500 * Double(ClockedEngine.frames) / ClockedEngine.rateHz
    #expect(abs(session.clocked.position.beat - before.beat - blocks * 140 / 60) < 1e-3)
    // A new process continues from here. Its changes are counted from its start.
    let now = session.clocked.now
    let position = session.input.begin(
      at: nil, quartersPerMinute: 140, isRolling: true, now: UInt64(now))
    #expect(abs(position - session.quarters(at: now)) < 1e-6)
    session.change = now
    let changes = session.clocked.position.changeCount
    session.run(seconds: 1)
    #expect(session.input.status.state == .locked)
    #expect(abs(session.phaseMilliseconds) < 1)
    #expect(session.clocked.position.changeCount - changes <= 2)
    session.input.end(isExpected: false)
    session.clocked.transport.setTempo(77)
    for _ in 0 ..< 500 { session.clocked.render() }
    #expect(session.clocked.position.beatsPerMinute == 77)
  }

  @Test func `is announced when there are other programs`() {
    let session = SimulatedSession(tempo: 120)
    session.run(seconds: 1)
    #expect(session.input.status == ClockStatus(device: "link", state: .waiting, peers: 0))
    #expect(session.input.takeNotices().isEmpty)
    session.peers = 2
    session.run(seconds: 1)
    #expect(session.input.status == ClockStatus(device: "link", state: .locked, peers: 2))
    #expect(session.input.takeNotices().map { "\($0)" } == ["The tempo is shared by Ableton Link."])
  }
}
