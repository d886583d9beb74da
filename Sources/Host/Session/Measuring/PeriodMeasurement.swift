// PeriodMeasurement.swift: test of one device setting under load. SPDX-License-Identifier: MIT

package import AudioDriver
import Builtins
import RealtimeKit
import RenderGraph

/// Runs a device under a simulated load and counts faults.
package struct PeriodMeasurement {
  /// The settings of a test.
  package struct Settings: Sendable {
    /// The duration in seconds.
    package var seconds = 10.0
    /// The simulated load as a fraction of each period, 0 to below 1.
    package var load = 0.5

    /// Creates the default settings.
    package init() {}
  }

  /// The number of xruns after which a setting fails early.
  package static let maximumXrunCount = 5
  /// The minimum measured rate as a fraction of the nominal rate.
  ///
  /// A slower stream fails.
  private static let minimumRateRatio = 0.95
  private static let pauseSeconds = 0.05

  private let measured: MeasuredStream<CPULoadNode>
  private let settings: Settings

  /// The parameters of the opened devices.
  package var stream: StreamDescription { measured.stream }
  /// The engine that pulls blocks.
  package var driver: any AudioDriver { measured.driver }

  /// Prepares the test of an open driver. [main]
  package init(_ driver: any AudioDriver, _ settings: Settings) throws {
    self.settings = settings
    let periodCount = PeriodSetting(driver.stream).periodCount
    measured = try MeasuredStream(driver) {
      CPULoadNode(load: settings.load, periodCount: periodCount, $0)
    }
  }

  /// The actual setting of the device.
  package var setting: PeriodSetting { PeriodSetting(stream) }

  /// Runs the test; returns nil if the user stops it. [main]
  ///
  /// `pause` waits for at most the given seconds, and returns false if the user stops the test.
  ///
  /// - Throws: errors of the driver at its start.
  package func run(pause: (Double) -> Bool) throws -> PeriodResult? {
    let clock = ContinuousClock()
    // On a single CPU, a setting that uses all CPU time could not be stopped.
    let starvation = StarvationWatchdog()
    defer { starvation.end() }
    try driver.start(measured.engine.renderer)
    defer { driver.stop() }
    // The start-up time of the device is not measured.
    var began: (time: ContinuousClock.Instant, frames: Int)?
    var elapsed = 0.0
    while elapsed < settings.seconds, driver.status.xrunCount < Self.maximumXrunCount,
      measured.failure == nil
    {
      guard pause(min(Self.pauseSeconds, max(0.001, settings.seconds - elapsed))) else {
        return nil
      }
      starvation.feedWatchdog()
      driver.supervise()
      if began == nil, measured.renderedFrames > 0 { began = (clock.now, measured.renderedFrames) }
      if let began { elapsed = began.time.duration(to: clock.now) / .seconds(1) }
    }
    let frames = measured.renderedFrames - (began?.frames ?? 0)
    return trial(elapsed, frames)
  }

  private func trial(_ seconds: Double, _ frames: Int) -> PeriodResult {
    let status = driver.status
    let rateHz = measured.engine.settings.sampleRateHz
    // Frames arrive per period, so the last period can be missing.
    let rateDeviation =
      Double(frames + 2 * stream.periodFrames) / (max(seconds, 1e-3) * rateHz)
    var failure = measured.failure
    // Losses by xruns are counted separately.
    if failure == nil, status.xrunCount == 0, rateDeviation < Self.minimumRateRatio {
      failure = "The device runs at \(Int((rateDeviation * 100).rounded())) % of its rate."
    }
    return PeriodResult(
      setting: setting, seconds: seconds, xrunCount: status.xrunCount,
      worstLoad: measured.takeWorstLoad(),
      worstLatenessSeconds: measured.node.takeMaximumLatenessSeconds(), failure: failure)
  }
}

extension PeriodSetting {
  /// Returns the setting of a device.
  fileprivate init(_ stream: StreamDescription) {
    let frames = stream.periodFrames
    let buffer = stream.roundTripFrames ?? stream.outputs.first?.bufferFrames
    let count = (buffer ?? stream.inputs.first?.bufferFrames ?? 0) / max(1, frames)
    self.init(periodFrames: frames, periodCount: count)
  }
}
