// PeriodMeasurement.swift: one setting of a device, under load for a while. SPDX-License-Identifier: MIT

package import AudioDriver
import Builtins
import RealtimeKit
import RenderGraph

/// Runs a device for a while with a rendering that takes its time, and counts what goes wrong.
package struct PeriodMeasurement {
  /// How hard it is tried.
  package struct Settings: Sendable {
    /// How long, in seconds.
    package var seconds = 10.0
    /// The share of each period that the rendering takes, 0 to below 1.
    package var load = 0.5

    /// The usual.
    package init() {}
  }

  /// After so many xruns a setting is given up early.
  package static let hopelessXrunCount = 5
  /// A stream that moves less than this share of its rate does not run, whatever the device says.
  private static let leastPace = 0.95
  private static let pauseSeconds = 0.05

  private let measured: MeasuredStream<CPULoadNode>
  private let settings: Settings

  /// What was negotiated with the devices.
  package var stream: StreamDescription { measured.stream }
  /// What pulls the blocks.
  package var driver: any AudioDriver { measured.driver }

  /// Gets ready to run an open driver. [main]
  package init(_ driver: any AudioDriver, _ settings: Settings) throws {
    self.settings = settings
    let periodCount = PeriodSetting(driver.stream).periodCount
    measured = try MeasuredStream(driver) {
      CPULoadNode(share: settings.load, periodCount: periodCount, $0)
    }
  }

  /// What the device was set to.
  package var setting: PeriodSetting { PeriodSetting(stream) }

  /// Runs it; nil where the user wants the end.
  ///
  /// `pause` waits for so many seconds, or less; it returns false where the user wants the end. [main]
  ///
  /// - Throws: what the driver has against its start.
  package func run(pause: (Double) -> Bool) throws -> PeriodResult? {
    let clock = ContinuousClock()
    // On a machine with one processor, a setting that takes all of its time could be ended by nobody.
    let starvation = StarvationWatchdog()
    defer { starvation.end() }
    try driver.start(measured.engine.renderer)
    defer { driver.stop() }
    // The time from the start to the first sound is the device's own affair.
    var began: (time: ContinuousClock.Instant, frames: Int)?
    var elapsed = 0.0
    while elapsed < settings.seconds, driver.status.xrunCount < Self.hopelessXrunCount,
      measured.failure == nil
    {
      guard pause(min(Self.pauseSeconds, max(0.001, settings.seconds - elapsed))) else {
        return nil
      }
      starvation.noteAlive()
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
    // Frames come by the period, so the last ones may be on their way.
    let pace =
      Double(frames + 2 * stream.periodFrames) / (max(seconds, 1e-3) * rateHz)
    var failure = measured.failure
    // What an xrun lost is known already.
    if failure == nil, status.xrunCount == 0, pace < Self.leastPace {
      failure = "The device runs at \(Int((pace * 100).rounded())) % of its rate."
    }
    return PeriodResult(
      setting: setting, seconds: seconds, xrunCount: status.xrunCount,
      worstLoad: measured.takeWorstLoad(),
      worstLatenessSeconds: measured.node.takeWorstLatenessSeconds(), failure: failure)
  }
}

extension PeriodSetting {
  /// What a device was set to.
  fileprivate init(_ stream: StreamDescription) {
    let frames = stream.periodFrames
    let buffer = stream.roundTripFrames ?? stream.outputs.first?.bufferFrames
    let count = (buffer ?? stream.inputs.first?.bufferFrames ?? 0) / max(1, frames)
    self.init(periodFrames: frames, periodCount: count)
  }
}
