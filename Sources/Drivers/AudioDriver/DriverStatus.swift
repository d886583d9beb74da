// DriverStatus.swift: the status of a driver. SPDX-License-Identifier: MIT

/// The status of a driver, with counts since its start.
package struct DriverStatus: Sendable, Equatable {
  /// Whether blocks are being rendered.
  package var isRunning = false
  /// The number of underruns and overruns of the device.
  package var xrunCount = 0
  /// The audio that was lost in them, in seconds.
  package var lostSeconds = 0.0
  /// The number of samples that were clipped at the device.
  package var clippedSampleCount = 0
  /// The status of each device, inputs first, in the order of the request.
  package var devices: [DeviceStatus] = []
  /// The message why it stopped; nil while it runs or after `stop`.
  package var failure: String?
  /// Whether a stream failed, not a device.
  package var isStreamFailure = false
  /// Whether the input and its tail have ended.
  package var hasEnded = false

  /// Creates the status of a driver that has not run yet.
  package init() {}
}

/// The status of one device of a driver.
package struct DeviceStatus: Sendable, Equatable {
  /// The state of a device.
  package enum State: String, Sendable {
    /// Audio is flowing.
    case running
    /// The device is missing.
    ///
    /// It will be reopened when it returns.
    case missing
    /// The device is present and waits for another device that shares its clock.
    case waiting
    /// The device is present but cannot be opened or does not run.
    ///
    /// The driver retries.
    case unavailable
  }

  /// The requested name.
  package var device: String
  /// Whether the device captures; otherwise it plays.
  package var isInput: Bool
  /// The state of the device.
  package var state: State
  /// The fallback device that replaces it; nil if it was opened itself, or nothing was opened yet.
  package var fallbackName: String?
  /// The name that leads to the device now, as `hw:2`, if its card returned under another number.
  ///
  /// Nil if the requested name leads to it.
  package var currentName: String?
  /// The readable name of the device that was opened last; empty before.
  package var name = ""
  /// A message: why the device does not run.
  package var reason: String?
  /// The difference of its clock from the first device's, in parts per million; positive is faster.
  ///
  /// Nil if it is the first device, shares its clock, or is not measured yet.
  package var driftPPM: Double?
  /// The surplus of frames in its buffer, which stays near 0 while it is in step.
  ///
  /// Nil under the same conditions.
  package var excessFrames: Double?
  /// The number of times that a device with an independent clock was resynchronised.
  package var resyncCount = 0

  /// Creates the status of a running device.
  package init(device: String, isInput: Bool, state: State = .running, reason: String? = nil) {
    self.device = device
    self.isInput = isInput
    self.state = state
    self.reason = reason
  }
}
