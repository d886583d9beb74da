// FollowingTests.swift: an engine that follows a MIDI clock and sends one. SPDX-License-Identifier: MIT

import MIDIClock
import PluginModel
import RealtimeKit
import RenderGraph
import Testing

/// An engine in virtual time, without nodes.
final class ClockedEngine {
  static let frames = 256
  static let rateHz = 48_000.0
  let transport: Transport
  let engine: Engine
  /// The time at which the next block is rendered, in ns.
  private(set) var now = 1e9

  init(_ settings: TransportSettings = TransportSettings()) {
    transport = Transport(settings, sampleRateHz: Self.rateHz)
    engine = Engine(
      .init(
        inputChannelCount: 0, outputChannelCount: 2, maximumFrameCount: Self.frames,
        sampleRateHz: Self.rateHz, startsFadedOut: false), transport: transport)
    engine.setMIDIOutputDelay(frameCount: 0)
  }

  var position: TransportPosition { transport.pointer.pointee.position }
  var blockNanoseconds: Double { Double(Self.frames) * 1e9 / Self.rateHz }
  /// The time of arrival of a message that takes effect at the first frame of the last block, in ns.
  var arrivalTime: Double { now - 2 * blockNanoseconds }

  func render() {
    renderBlock(engine.pointer, Self.frames, startedAt: UInt64(now))
    now += blockNanoseconds
  }
}

@Suite struct `A transport that follows a MIDI clock` {
  /// Renders for some seconds while the clock ticks, and passes each block to a function.
  private func run(
    _ clocked: ClockedEngine, _ clock: inout SimulatedClock, seconds: Double, tempo: Double,
    publish: PublishedClock, each: (ClockedEngine) -> Void = { _ in }
  ) {
    let end = clocked.now + seconds * 1e9
    while clocked.now < end {
      // The ticks that have arrived before this block is rendered.
      while clock.time < clocked.now { clock.run(seconds: 1e-9, tempo: tempo) }
      publish.publish(clock.tracker.reading)
      clocked.render()
      each(clocked)
    }
  }

  @Test(arguments: Jitter.allCases)
  func `has the tempo of the clock to 0.05 BPM after two seconds, and its phase to 1 ms`(
    jitter: Jitter
  ) {
    for tempo in [87.3, 120, 174.01] {
      let clocked = ClockedEngine()
      let publish = PublishedClock()
      clocked.engine.follow(publish)
      var clock = SimulatedClock(jitter, seed: 3)
      run(clocked, &clock, seconds: 2, tempo: tempo, publish: publish)
      var (worstTempo, worstPhase) = (0.0, 0.0)
      run(clocked, &clock, seconds: 10, tempo: tempo, publish: publish) { clocked in
        let beat = (clocked.arrivalTime - 1e9) * tempo / 60e9
        worstTempo = max(worstTempo, abs(clocked.position.beatsPerMinute - tempo))
        worstPhase = max(worstPhase, abs(clocked.position.beat - beat) * 60e3 / tempo)
      }
      #expect(worstTempo < 0.05, "\(tempo) BPM")
      #expect(worstPhase < 1, "\(tempo) BPM")
    }
  }

  @Test func `starts on the frame of the first tick`() {
    var settings = TransportSettings()
    settings.isRolling = false
    let clocked = ClockedEngine(settings)
    let publish = PublishedClock()
    clocked.engine.follow(publish)
    var clock = SimulatedClock()
    clock.tracker = ClockTracker()
    run(clocked, &clock, seconds: 3, tempo: 120, publish: publish)
    #expect(clocked.position.speed == 0)
    #expect(abs(clocked.position.beatsPerMinute - 120) < 1e-3)
    clock.tracker.receive([0xfa], at: UInt64(clock.time) - 1)
    let start = clock.time
    var isFirst = true
    run(clocked, &clock, seconds: 1, tempo: 120, publish: publish) { clocked in
      guard clocked.position.speed > 0 else { return }
      let frames = (clocked.arrivalTime - start) * ClockedEngine.rateHz / 1e9
      if isFirst { #expect(-Double(ClockedEngine.frames) < frames && frames <= 0) }
      isFirst = false
      #expect(abs(Double(clocked.position.frame) - frames) <= 1)
      #expect(abs(clocked.position.beat - frames / 24_000) < 1 / 24_000)
    }
    #expect(!isFirst)
  }

  @Test func `stops, moves to a song position and continues there`() {
    let clocked = ClockedEngine()
    let publish = PublishedClock()
    clocked.engine.follow(publish)
    var clock = SimulatedClock()
    run(clocked, &clock, seconds: 2, tempo: 120, publish: publish)
    clock.tracker.receive([0xfc], at: UInt64(clocked.now))
    clock.tracker.receive([0xf2, 32, 0], at: UInt64(clocked.now))
    run(clocked, &clock, seconds: 0.5, tempo: 120, publish: publish)
    #expect(clocked.position.speed == 0)
    #expect(clocked.position.beat == 8)
    #expect(clocked.position.bar == 2)
    clock.tracker.receive([0xfb], at: UInt64(clocked.now))
    let start = clock.time
    run(clocked, &clock, seconds: 0.5, tempo: 120, publish: publish)
    #expect(clocked.position.speed == 1)
    #expect(abs(clocked.position.beat - 8 - (clocked.arrivalTime - start) * 2e-9) < 1e-3)
  }

  @Test func `has continuous beats and few changes while it is locked`() {
    let clocked = ClockedEngine()
    let publish = PublishedClock()
    clocked.engine.follow(publish)
    var clock = SimulatedClock(.usb)
    run(clocked, &clock, seconds: 10, tempo: 121.7, publish: publish)
    let changes = clocked.position.changeCount
    var last = clocked.position
    run(clocked, &clock, seconds: 20, tempo: 121.7, publish: publish) { clocked in
      let beats = Double(ClockedEngine.frames) * last.beatsPerMinute / (60 * ClockedEngine.rateHz)
      #expect(abs(clocked.position.beat - last.beat - beats) < 1e-9)
      last = clocked.position
    }
    #expect(clocked.position.changeCount - changes < 40)
  }

  @Test func `keeps its position before the first start, and takes only the tempo`() {
    let clocked = ClockedEngine()
    let publish = PublishedClock()
    clocked.engine.follow(publish)
    var clock = SimulatedClock()
    clock.tracker = ClockTracker()
    run(clocked, &clock, seconds: 1, tempo: 90, publish: publish)
    let before = clocked.position
    run(clocked, &clock, seconds: 1, tempo: 90, publish: publish)
    #expect(abs(clocked.position.beatsPerMinute - 90) < 0.01)
    #expect(abs(clocked.position.beat - before.beat - 1.5) < 0.02)
  }

  @Test func `continues after the clock is lost, and takes another tempo`() {
    let clocked = ClockedEngine()
    let input = ClockInput(device: "Box", quartersPerMinute: 120)
    clocked.engine.follow(input.published)
    input.receive([0xfa], from: "Box", at: 990_000_000)
    for tick in 0 ..< 100 {
      input.receive([0xf8], from: "Box", at: 1_000_000_000 + UInt64(tick) * 25_000_000)
    }
    for _ in 0 ..< 500 { clocked.render() }
    #expect(abs(clocked.position.beatsPerMinute - 100) < 0.05)
    input.poll(at: 10_000_000_000)
    clocked.transport.setTempo(77)
    let before = clocked.position
    for _ in 0 ..< 500 { clocked.render() }
    #expect(clocked.position.beatsPerMinute == 77)
    #expect(clocked.position.speed == 1)
    let beats = 500 * Double(ClockedEngine.frames) / ClockedEngine.rateHz * 77 / 60
    #expect(abs(clocked.position.beat - before.beat - beats) < 0.01)
  }

  @Test func `counts beats of the time signature`() {
    var settings = TransportSettings()
    (settings.beatsPerBar, settings.beatUnit) = (6, 8)
    let clocked = ClockedEngine(settings)
    let publish = PublishedClock()
    clocked.engine.follow(publish)
    var clock = SimulatedClock()
    run(clocked, &clock, seconds: 3, tempo: 120, publish: publish)
    #expect(abs(clocked.position.beatsPerMinute - 240) < 0.01)
    #expect(abs(clocked.position.beat - (clocked.arrivalTime - 1e9) * 4e-9) < 0.01)
  }
}

@Suite struct `The clock of a transport` {
  /// Returns and clears the messages, with their times in frames from the start.
  private func take(_ ring: UnsafePointer<MessageRing>) -> [(frame: Double, bytes: [UInt8])] {
    var messages: [(Double, [UInt8])] = []
    var scratch = [UInt8](repeating: 0, count: ring.pointee.maximumByteCount)
    while let time = ring.pointee.nextTime() {
      let count = scratch.withUnsafeMutableBytes { buffer in
        buffer.baseAddress.map { ring.pointee.take(into: $0) } ?? 0
      }
      messages.append(((Double(time) - 1e9) * 48e-6, Array(scratch[..<count])))
    }
    return messages
  }

  @Test(arguments: [(120.0, 4), (97.3, 4), (240.0, 8)])
  func `starts receivers and ticks 24 times per quarter note, to the frame`(
    tempo: Double, unit: Int
  ) {
    var settings = TransportSettings()
    (settings.beatsPerMinute, settings.beatUnit) = (tempo, unit)
    let clocked = ClockedEngine(settings)
    let ring = clocked.engine.sendClock()
    for _ in 0 ..< 1_000 { clocked.render() }
    let messages = take(ring)
    #expect(messages.first?.bytes == [0xfa])
    let ticks = messages.dropFirst()
    #expect(ticks.allSatisfy { $0.bytes == [0xf8] })
    let quarterFrames = 48_000 * 60 / tempo * Double(unit) / 4
    #expect(ticks.count == Int((256_000 / (quarterFrames / 24)).rounded(.up)))
    for (number, tick) in ticks.enumerated() {
      #expect(abs(tick.frame - Double(number) * quarterFrames / 24) <= 1)
    }
  }

  @Test func `ticks while the transport is stopped, and starts receivers with it`() {
    var settings = TransportSettings()
    settings.isRolling = false
    let clocked = ClockedEngine(settings)
    let ring = clocked.engine.sendClock()
    for _ in 0 ..< 100 { clocked.render() }
    var messages = take(ring)
    #expect(messages.count == 26)
    #expect(messages.allSatisfy { $0.bytes == [0xf8] })
    clocked.transport.setRolling(true)
    clocked.render()
    messages = take(ring)
    #expect(messages.map(\.bytes) == [[0xfa], [0xf8]])
    #expect(messages.allSatisfy { abs($0.frame - 25_600) <= 1 })
    clocked.transport.setRolling(false)
    clocked.render()
    #expect(take(ring).first?.bytes == [0xfc])
  }

  @Test func `stops, locates and continues receivers at the next sixteenth note after a jump`() {
    let clocked = ClockedEngine()
    let ring = clocked.engine.sendClock()
    for _ in 0 ..< 10 { clocked.render() }
    _ = take(ring)
    // 33.1 sixteenth notes of 6000 frames.
    clocked.transport.locate(frame: 198_600)
    for _ in 0 ..< 30 { clocked.render() }
    let messages = take(ring)
    #expect(messages.prefix(2).map(\.bytes) == [[0xfc], [0xf2, 34, 0]])
    let start = messages.firstIndex { $0.bytes == [0xfb] } ?? 0
    #expect(abs(messages[start].frame - (2_560 + 5_400)) <= 1)
    #expect(messages[start + 1].bytes == [0xf8])
    #expect(messages[start + 1].frame == messages[start].frame)
  }

  @Test func `continues without a song position beyond the last one`() {
    let clocked = ClockedEngine()
    let ring = clocked.engine.sendClock()
    clocked.transport.locate(frame: 6_000 * 20_000)
    clocked.render()
    #expect(take(ring).map(\.bytes) == [[0xfb], [0xf8]])
  }

  @Test func `is continuous through a change of tempo`() {
    let clocked = ClockedEngine()
    let ring = clocked.engine.sendClock()
    for _ in 0 ..< 100 { clocked.render() }
    clocked.transport.setTempo(60)
    for _ in 0 ..< 100 { clocked.render() }
    let ticks = take(ring).filter { $0.bytes == [0xf8] }
    let beats = 25_600 / 24_000.0 + 25_600 / 48_000.0
    #expect(ticks.count == Int((beats * 24).rounded(.up)))
  }

  @Test func `passes on the clock that the engine follows`() {
    let clocked = ClockedEngine()
    let publish = PublishedClock()
    clocked.engine.follow(publish)
    let ring = clocked.engine.sendClock()
    var clock = SimulatedClock(.uniform)
    var tracker = ClockTracker()
    for _ in 0 ..< 4_000 {
      while clock.time < clocked.now { clock.run(seconds: 1e-9, tempo: 133) }
      publish.publish(clock.tracker.reading)
      clocked.render()
      for message in take(ring) {
        tracker.receive(message.bytes, at: UInt64(1e9 + message.frame / 48e-6))
      }
    }
    #expect(abs(tracker.reading.quartersPerMinute - 133) < 0.05)
    // Sent one block after the arrival of the same tick.
    let time = clocked.now - clocked.blockNanoseconds
    let beat = (time - 1e9 - clocked.blockNanoseconds) * 133 / 60e9
    #expect(abs(tracker.reading.quarters(at: UInt64(time)) - beat) * 60e3 / 133 < 1)
  }
}
