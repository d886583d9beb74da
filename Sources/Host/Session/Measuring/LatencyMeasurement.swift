// LatencyMeasurement.swift: round-trip latency through devices and a cable. SPDX-License-Identifier: MIT

package import AudioDriver
package import Builtins
import FoundationEssentials
import Glibc
import RenderGraph

/// Measures the time from the graph to the playback device, through a cable, and back from the capture device.
///
/// Repeats the measurement until two rounds agree.
package final class LatencyMeasurement {
  /// The settings of a measurement.
  package struct Settings: Sendable {
    /// The peak level of the test signal, in dBFS.
    package var levelDecibels = -12.0
    /// The number of rounds, at least 2.
    package var roundCount = 3
    /// The output of the device, from 1, for the message about the cable.
    package var outputNumber = 1
    /// The input of the device, from 1, for the message about the cable.
    package var inputNumber = 1

    /// Creates the default settings.
    package init() {}
  }

  /// The result of one round.
  package enum Round: Sendable, Equatable {
    /// The signal was received.
    case measured(LatencyReading)
    /// The signal was not received.
    case silent
    /// Xruns shifted the input against the output, so the round is invalid.
    case disturbed(xrunCount: Int)
  }

  /// The result of all rounds.
  package struct Outcome: Sendable, Equatable {
    /// The round-trip latency in frames: the median of the rounds that agree.
    package var frames: Double
    /// The latency in frames that the device settings imply; nil if the driver does not report it.
    package var impliedFrames: Int?
    /// The polarity, gain and confidence of that round.
    package var reading: LatencyReading
    /// The number of rounds that agree.
    package var agreeingCount: Int
    /// The results of all rounds, in order.
    package var rounds: [Round]
  }

  /// The largest difference of rounds that agree, in frames.
  package static let toleranceFrames = 1.0
  /// The time to listen beyond the implied latency, in seconds: for converters, long cables and rooms.
  private static let spareSeconds = 0.5
  /// The lead time before the first round, in seconds: some cards mute their output at the start.
  private static let settlingSeconds = 0.2
  private static let pauseSeconds = 0.02

  private let measured: MeasuredStream<LatencyProbe>
  private let analysis: LatencyAnalysis
  private let settings: Settings

  /// The parameters of the opened devices.
  package var stream: StreamDescription { measured.stream }
  /// The engine that pulls blocks.
  package var driver: any AudioDriver { measured.driver }

  /// Prepares memory and test signal for an open driver; the stream is not started. [main]
  package init(_ driver: any AudioDriver, _ settings: Settings = Settings()) throws {
    let stream = driver.stream
    guard stream.inputChannelCount > 0, stream.outputChannelCount > 0 else {
      throw LatencyError.missingDirection
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

  /// Runs the rounds and closes the device. [main]
  ///
  /// `pause` waits for at most the given seconds, and returns false if the user stops the measurement. `report`
  /// receives each round.
  ///
  /// - Throws: `LatencyError`, or errors of the driver at its start.
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
      if readings.isEmpty { throw noSignal }
      // Repeat the rounds once, in case of a single disturbance.
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
    return analysis.reading(of: measured.node.recording).map(Round.measured) ?? .silent
  }

  private func wait(_ pause: (Double) -> Bool) throws {
    guard pause(Self.pauseSeconds) else { throw LatencyError.interrupted }
    driver.supervise()
    if let reason = measured.failure { throw LatencyError.deviceLost(reason: reason) }
  }

  /// Throws if more than a few rounds, and more than half of them, are invalid.
  private func checkDisturbance(_ rounds: [Round]) throws {
    let xruns = rounds.compactMap { round in
      if case .disturbed(let count) = round { count } else { nil }
    }
    guard xruns.count > max(2 * settings.roundCount, 5) else { return }
    throw LatencyError.disturbed(roundCount: xruns.count, xrunCount: xruns.reduce(0, +))
  }

  private var noSignal: LatencyError {
    .noSignal(
      output:
        "output \(settings.outputNumber) of \(stream.output?.device ?? "the playback device")",
      input: "input \(settings.inputNumber) of \(stream.input?.device ?? "the capture device")")
  }

  // MARK: - Agreement

  /// Returns the largest group of at least two rounds that agree; nil if there is none.
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
      if case .measured(let reading) = round { reading } else { nil }
    }
  }

  fileprivate var undisturbedCount: Int {
    count { round in
      if case .disturbed = round { false } else { true }
    }
  }
}
