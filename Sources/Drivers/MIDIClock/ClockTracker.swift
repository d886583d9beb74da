// ClockTracker.swift: tempo and position of a MIDI clock. SPDX-License-Identifier: MIT

package import PluginModel

/// Follows the messages of a MIDI clock by the times of their arrival.
///
/// The clock sends 24 ticks per quarter note. `TickRegression` gives tempo and phase. A tick gets the number whose time on
/// the line is nearest, so that lost and repeated ticks do not move the position. Ticks in regular distances that do not
/// fit the line are a new tempo.
package struct ClockTracker: Sendable {
  /// The state of the clock.
  package enum State: String, Sendable {
    /// No tick has arrived, or the clock was stopped and sends none.
    case waiting
    /// Ticks arrive; the tempo is not exact yet.
    case locking
    /// Tempo and phase are exact.
    case locked
    /// The ticks have ended without a stop.
    case lost
  }

  /// Ticks per quarter note.
  package static let ticksPerQuarter = 24.0
  /// Ticks after which the tempo is exact: a quarter note.
  private static let lockedTickCount = 24
  /// The number of ticks that show a new tempo.
  private static let runLength = 5
  /// The shortest time between ticks, in ns: 1000 beats per minute.
  private static let minimumPeriod = 2.5e6
  /// After this number of ticks beside the line its phase is wrong.
  private static let maximumOutlierCount = 6

  /// The state of the clock.
  package private(set) var state = State.waiting
  /// Tempo and position.
  package private(set) var reading = ClockReading()

  private var line: TickRegression?
  /// The time from which times are counted; nil before the first tick.
  private var origin: UInt64?
  private var lastIndex = 0
  private var lastArrival: UInt64 = 0
  /// The last ticks as they arrived, repeated ones included.
  private var run: [(index: Int, time: Double)] = []
  private var outlierCount = 0
  /// The number of ticks since the clock was absent.
  private var tickCount = 0
  /// The number of the tick that is the beginning of the song.
  private var songStart = 0
  /// The position of the next tick in the song while the clock is stopped, or before a jump.
  private var nextSongTick = 0
  /// Whether the next tick is at `nextSongTick`.
  private var startsAtNextTick = false

  /// Creates a tracker that has received nothing.
  ///
  /// - Parameter quartersPerMinute: the tempo until the clock's own is known.
  package init(quartersPerMinute: Double = 120) {
    reading.quartersPerMinute = quartersPerMinute
  }

  /// The tempo in quarter notes per minute; nil before it is known.
  package var quartersPerMinute: Double? { line == nil ? nil : reading.quartersPerMinute }

  /// Processes a message: clock, start, continue, stop, song position; ignores others.
  ///
  /// - Parameters:
  ///   - message: a complete message.
  ///   - time: when it arrived, CLOCK_MONOTONIC in ns.
  package mutating func receive(_ message: [UInt8], at time: UInt64) {
    switch message.first {
    case 0xf8: tick(at: time)
    case 0xfa: (nextSongTick, startsAtNextTick) = (0, true)
    case 0xfb: resume()
    case 0xfc: stop(at: time)
    case 0xf2 where message.count == 3: locate(Int(message[1]) | Int(message[2]) << 7, at: time)
    default: break
    }
  }

  /// Detects that the ticks have ended.
  ///
  /// - Parameter now: CLOCK_MONOTONIC in ns.
  /// - Returns: true once, when the clock is lost.
  package mutating func poll(at now: UInt64) -> Bool {
    guard state == .locking || state == .locked, now > lastArrival else { return false }
    let pause = max(500e6, 6 * (line?.period ?? 0))
    guard Double(now - lastArrival) > pause else { return false }
    // A clock may send ticks only while it rolls.
    let isLost = reading.isRolling || reading.changeCount == 0
    state = isLost ? .lost : .waiting
    return isLost
  }

  // MARK: - Start, stop, song position

  private mutating func resume() {
    if !reading.isRolling { startsAtNextTick = true }
  }

  private mutating func stop(at time: UInt64) {
    if reading.isRolling { nextSongTick = lastIndex + 1 - songStart }
    startsAtNextTick = false
    stand(at: time)
  }

  /// Moves to a position in sixteenth notes.
  private mutating func locate(_ sixteenths: Int, at time: UInt64) {
    nextSongTick = sixteenths * 6
    if reading.isRolling {
      startsAtNextTick = true
    } else if reading.changeCount > 0 {
      stand(at: time)
    }
  }

  private mutating func stand(at time: UInt64) {
    reading.isRolling = false
    reading.quarters = Double(nextSongTick) / Self.ticksPerQuarter
    (reading.time, reading.changeTime) = (time, time)
    reading.changeCount &+= 1
  }

  private mutating func start(at index: Int, _ time: Double) {
    startsAtNextTick = false
    songStart = index - nextSongTick
    reading.isRolling = true
    reading.changeTime = absolute(time)
    reading.changeCount &+= 1
  }

  // MARK: - Ticks

  private mutating func tick(at arrival: UInt64) {
    let origin = origin ?? arrival
    self.origin = origin
    let time = Double(Int64(bitPattern: arrival &- origin))
    if state == .waiting || state == .lost {
      state = .locking
      tickCount = 0
      // The number of the tick and the period stay, so that bars stay aligned after a short absence.
      follow(from: expectedIndex(time), time)
    } else {
      follow(time)
    }
    lastArrival = arrival
    tickCount += 1
    if tickCount >= Self.lockedTickCount, line != nil { state = .locked }
    updateReading(time)
  }

  private mutating func follow(_ time: Double) {
    var index = expectedIndex(time)
    if startsAtNextTick, isOutlier(max(index, lastIndex + 1), time) {
      // Many sequencers begin a new grid when they start.
      follow(from: lastIndex + 1, time)
      return
    }
    if startsAtNextTick { index = max(index, lastIndex + 1) }
    run.append((max(index, lastIndex), time))
    if run.count > Self.runLength { run.removeFirst() }
    if let ticks = newTempo() {
      line = TickRegression(ticks)
      outlierCount = 0
      if startsAtNextTick { start(at: ticks[ticks.count - 1].index, time) }
      lastIndex = ticks[ticks.count - 1].index
      return
    }
    guard index > lastIndex else { return }
    lastIndex = index
    add(index, time)
    if startsAtNextTick { start(at: index, line?.time(of: index) ?? time) }
  }

  /// Begins a line with this tick, and the period so far.
  private mutating func follow(from index: Int, _ time: Double) {
    lastIndex = index
    outlierCount = 0
    run = [(index, time)]
    if let period = line?.period {
      line = TickRegression(period: period)
      line?.add(index, time)
    }
    if startsAtNextTick { start(at: index, time) }
  }

  private mutating func add(_ index: Int, _ time: Double) {
    guard let line else { return }
    if line.count >= TickRegression.minimumFreeCount, isOutlier(index, time) {
      outlierCount += 1
      if outlierCount >= Self.maximumOutlierCount { follow(from: index, time) }
      return
    }
    outlierCount = 0
    self.line?.add(index, time)
  }

  /// Whether a tick is farther from the line than jitter moves it.
  private func isOutlier(_ index: Int, _ time: Double) -> Bool {
    guard let line, line.count > 0 else { return false }
    return abs(time - line.time(of: index)) > max(3e6, 0.15 * line.period, 5 * line.deviation)
  }

  /// Returns the number of a tick at a time; the last number or a lower one for a repeated tick.
  private func expectedIndex(_ time: Double) -> Int {
    guard let line, line.count > 0 else { return origin == nil ? 0 : lastIndex + 1 }
    let last = line.ticks[line.ticks.count - 1].index
    return last + Int(((time - line.lastTime) / line.period).rounded())
  }

  /// Returns the last ticks, numbered one by one, if their distances are regular but not those of the line.
  private func newTempo() -> [(index: Int, time: Double)]? {
    guard run.count == Self.runLength else { return nil }
    let distances = zip(run, run.dropFirst()).map { $1.time - $0.time }
    guard let minimum = distances.min(), let maximum = distances.max() else { return nil }
    let mean = (run[run.count - 1].time - run[0].time) / Double(distances.count)
    guard mean >= Self.minimumPeriod, minimum > 0.3 * mean,
      maximum - minimum <= max(3e6, 0.25 * mean)
    else { return nil }
    if let line {
      let change = abs(mean - line.period)
      if change <= max(0.8e6, 0.02 * line.period, 1.8 * line.deviation) { return nil }
      // Jitter alone does not move ticks that are counted one by one away from the line.
      let isCounted = run[run.count - 1].index - run[0].index == distances.count
      let last = run[run.count - 1]
      let tolerance = max(2.5e6, 4 * line.deviation)
      if isCounted, line.count > 0, abs(last.time - line.time(of: last.index)) < tolerance {
        return nil
      }
    }
    return run.enumerated().map { (run[0].index + $0.offset, $0.element.time) }
  }

  // MARK: - Reading

  private mutating func updateReading(_ arrival: Double) {
    let time = line.map { $0.count > 0 ? $0.time(of: lastIndex) : arrival } ?? arrival
    if let line { reading.quartersPerMinute = 60e9 / (Self.ticksPerQuarter * line.period) }
    guard reading.isRolling || reading.changeCount == 0 else { return }
    reading.time = absolute(time)
    reading.quarters = Double(lastIndex - songStart) / Self.ticksPerQuarter
  }

  private func absolute(_ time: Double) -> UInt64 {
    (origin ?? 0) &+ UInt64(bitPattern: Int64(time.rounded()))
  }
}
