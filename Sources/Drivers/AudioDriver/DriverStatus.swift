// DriverStatus.swift: how a driver goes. SPDX-License-Identifier: MIT

/// How a driver goes, counted since its start.
package struct DriverStatus: Sendable, Equatable {
  /// Whether blocks are being pulled.
  package var isRunning = false
  /// The number of underruns and overruns of the device.
  package var xrunCount = 0
  /// Sound that was lost in them, in seconds.
  package var lostSeconds = 0.0
  /// Samples that were clipped at the device.
  package var clippedSampleCount = 0
  /// Each device, inputs first, in the order of the request.
  package var devices: [DeviceStatus] = []
  /// Why it stopped by itself, as one sentence; nil while it runs or after `stop`.
  package var failure: String?
  /// Whether that was a stream's fault, not a device's.
  package var isStreamFailure = false
  /// Whether it has come to its end in good order: the input has ended, and what followed it rung out.
  package var hasEnded = false

  /// A driver that has not yet run.
  package init() {}
}

/// How one device of a driver goes.
package struct DeviceStatus: Sendable, Equatable {
  /// Whether sound flows.
  package enum State: String, Sendable {
    /// Sound flows.
    case running
    /// The device is missing.
    ///
    /// It will be reopened when it returns.
    case missing
    /// The device is present and waits for another device that shares its clock.
    case waiting
    /// The device is present but cannot be opened or does not run. The driver retries.
    case unavailable
  }

  /// The name that was asked for.
  package var device: String
  /// Whether it captures; else it plays.
  package var isInput: Bool
  /// Whether sound flows.
  package var state: State
  /// The fallback device that was opened in its place; nil if it was opened itself, or nothing was yet.
  package var fallbackName: String?
  /// The name that leads to the device now, as `hw:2`, if its card returned under another number.
  ///
  /// Nil if the requested name leads to it.
  package var currentName: String?
  /// What a person calls the device that was opened last; empty before.
  package var name = ""
  /// The reason why the device does not run, as one sentence.
  package var reason: String?
  /// By how much its clock is faster than the first device's, in parts per million; nil where it is
  /// the first, shares its clock, or is not yet known.
  package var driftPPM: Double?
  /// By how many of its frames too much is held to keep it in step, which stays near 0.
  ///
  /// Nil as above.
  package var excessFrames: Double?
  /// The number of times that a device with an independent clock was resynchronised.
  package var resyncCount = 0

  /// A device that runs.
  package init(device: String, isInput: Bool, state: State = .running, reason: String? = nil) {
    self.device = device
    self.isInput = isInput
    self.state = state
    self.reason = reason
  }
}
