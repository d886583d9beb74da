// LatencyMeasurement.swift: the round trip through devices and a cable, in rounds. SPDX-License-Identifier: MIT

package import AudioDriver
package import Builtins
import FoundationEssentials
import Glibc
import RenderGraph

/// Measures how long a sound takes from the graph to the playback device, through a cable, and back
/// from the capture device: several times, until two rounds agree.
package final class LatencyMeasurement {
  /// How it is measured.
  package struct Settings: Sendable {
    /// The peak of what is played, in dBFS.
    package var levelDecibels = -12.0
    /// Rounds that are measured, at least 2.
    package var roundCount = 3
    /// The device's output that is played to, counted from 1; for the sentence that asks for a cable.
    package var outputNumber = 1
    /// The device's input that is listened to, likewise.
    package var inputNumber = 1

    /// The usual.
    package init() {}
  }

  /// What came of one round.
  package enum Round: Sendable, Equatable {
    /// The signal came back.
    case heard(LatencyReading)
    /// It did not.
    case silent
    /// Xruns moved what was heard against what was played, so that it says nothing.
    case disturbed(xrunCount: Int)
  }

  /// What came of all of them.
  package struct Outcome: Sendable, Equatable {
    /// Frames from playing to capturing: the middle one of the rounds that agree.
    package var frames: Double
    /// Frames that the settings of the devices imply; nil where the driver does not say.
    package var impliedFrames: Int?
    /// That round's polarity, gain, confidence.
    package var reading: LatencyReading
    /// How many rounds agree.
    package var agreeingCount: Int
    /// All rounds, in order.
    package var rounds: [Round]
  }

  /// Rounds agree that lie within so many frames.
  package static let toleranceFrames = 1.0
  /// Listened to beyond what the settings imply, in seconds: converters, long cables, rooms.
  private static let spareSeconds = 0.5
  /// Sound that flows before the first round, in seconds: some cards mute for a moment.
  private static let settlingSeconds = 0.2
  private static let pauseSeconds = 0.02

  private let measured: MeasuredStream<LatencyProbe>
  private let analysis: LatencyAnalysis
  private let settings: Settings

  /// What was negotiated with the devices.
  package var stream: StreamDescription { measured.stream }
  /// What pulls the blocks.
  package var driver: any AudioDriver { measured.driver }

  /// Gets memory and signal ready for an open driver; no sound flows yet. [main]
  package init(_ driver: any AudioDriver, _ settings: Settings = Settings()) throws {
    let stream = driver.stream
    guard stream.inputChannelCount > 0, stream.outputChannelCount > 0 else {
      throw LatencyError.oneWay
    }
    self.settings = settings
    let signal = SweepSignal(
      sampleRateHz: stream.sampleRateHz, levelDecibels: settings.levelDecibels)
    let longest =
      2 * (stream.roundTripFrames ?? 0) + Int(Self.spareSeconds * stream.sampleRateHz)
    analysis = LatencyAnalysis(signal, longestFrames: longest)
    measured = try MeasuredStream(driver) { _ in
      LatencyProbe(signal, longestFrames: longest)
    }
  }

  /// Plays and listens until the rounds are done, and closes the device.
  ///
  /// `pause` waits for so many seconds, or less; it returns false where the user wants the end.
  /// `report` hears of each round. [main]
  ///
  /// - Throws: `LatencyError`, or what the driver has against its start.
  package func run(
    pause: (Double) -> Bool, report: (Int, Round) -> Void
  ) throws -> Outcome {
    try driver.start(measured.engine.renderer)
    defer { driver.stop() }
    try settle(pause)
    var rounds: [Round] = []
    var wanted = settings.roundCount
    while true {
      let round = try measureRound(pause)
      rounds.append(round)
      report(rounds.count, round)
      try checkDisturbance(rounds)
      if rounds.undisturbedCount < wanted { continue }
      let readings = rounds.readings
      if let outcome = outcome(of: readings, rounds) { return outcome }
      if readings.isEmpty { throw nothingCameBack }
      // Once more as many, in case a door was slammed.
      guard wanted == settings.roundCount else {
        throw LatencyError.unsteady(frames: readings.map(\.frames))
      }
      wanted *= 2
    }
  }

  // MARK: - Rounds

  private func settle(_ pause: (Double) -> Bool) throws {
    let frames = Int(Self.settlingSeconds * stream.sampleRateHz)
    while measured.renderedFrames < frames { try wait(pause) }
  }

  private func measureRound(_ pause: (Double) -> Bool) throws -> Round {
    let before = driver.status.xrunCount
    measured.node.begin()
    while !measured.node.isDone { try wait(pause) }
    let count = driver.status.xrunCount - before
    if count > 0 { return .disturbed(xrunCount: count) }
    return analysis.reading(of: measured.node.recording).map(Round.heard) ?? .silent
  }

  private func wait(_ pause: (Double) -> Bool) throws {
    guard pause(Self.pauseSeconds) else { throw LatencyError.interrupted }
    driver.supervise()
    if let reason = measured.failure { throw LatencyError.deviceLost(reason: reason) }
  }

  /// Gives up where more rounds are spoilt than not, and more than a few.
  private func checkDisturbance(_ rounds: [Round]) throws {
    let xruns = rounds.compactMap { round in
      if case .disturbed(let count) = round { count } else { nil }
    }
    guard xruns.count > max(2 * settings.roundCount, 5) else { return }
    throw LatencyError.disturbed(roundCount: xruns.count, xrunCount: xruns.reduce(0, +))
  }

  private var nothingCameBack: LatencyError {
    .nothingCameBack(
      output:
        "output \(settings.outputNumber) of \(stream.output?.device ?? "the playback device")",
      input: "input \(settings.inputNumber) of \(stream.input?.device ?? "the capture device")")
  }

  // MARK: - Agreement

  /// The largest group of rounds that agree, of at least two; nil where there is none.
  private func outcome(of readings: [LatencyReading], _ rounds: [Round]) -> Outcome? {
    let sorted = readings.sorted { $0.frames < $1.frames }
    let groups = sorted.indices.map { first in
      sorted[first...].prefix { $0.frames - sorted[first].frames <= Self.toleranceFrames }
    }
    guard let group = groups.max(by: { $0.count < $1.count }), group.count >= 2 else { return nil }
    let middle = group[group.startIndex + (group.count - 1) / 2]
    return Outcome(
      frames: middle.frames, impliedFrames: stream.roundTripFrames, reading: middle,
      agreeingCount: group.count, rounds: rounds)
  }
}

extension [LatencyMeasurement.Round] {
  fileprivate var readings: [LatencyReading] {
    compactMap { round in
      if case .heard(let reading) = round { reading } else { nil }
    }
  }

  fileprivate var undisturbedCount: Int {
    count { round in
      if case .disturbed = round { false } else { true }
    }
  }
}
