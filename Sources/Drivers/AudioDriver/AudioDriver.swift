// AudioDriver.swift: the protocol of drivers, which clock the graph. SPDX-License-Identifier: MIT

package import RealtimeKit

/// Calls a renderer block by block: at the rate of a sound card, a clock or a network, or as fast
/// as files and pipes allow.
///
/// A driver is created open: its initialiser negotiates with the device and throws if that fails.
/// `stream` describes the result. A renderer of that format is then passed to `start`. A driver has
/// no information about what it renders.
package protocol AudioDriver: AnyObject {
  /// The negotiated stream. [main]
  var stream: StreamDescription { get }
  /// Starts to call the renderer on the driver's thread. [main]
  ///
  /// The renderer's format must have the channel counts and rate of `stream`, and blocks of at
  /// least a period. A driver that was stopped can be started again, with another renderer.
  func start(_ renderer: Renderer) throws
  /// Stops after the current block and waits for it; has no effect if not started. [main]
  func stop()
  /// Completes what the devices have received, after the last `stop`. [main]
  ///
  /// Does nothing by default.
  func close()
  /// The current status. [main]
  var status: DriverStatus { get }

  /// Does work that the audio thread cannot do, such as closing lost devices and reopening them.
  ///
  /// Called about ten times a second while the driver runs. Does nothing by default. [main]
  func supervise()
  /// Messages about system settings that make audio unreliable, with the fix.
  ///
  /// Complete after `start` has returned. Empty by default. [main]
  var warnings: [String] { get }
  /// Messages about the input after the driver has ended.
  ///
  /// Empty by default. [main]
  var endNotes: [String] { get }
  /// The capability to follow devices that change their rate; nil by default, for a driver with a
  /// fixed rate. [main]
  var rateFollowing: (any RateFollowing)? { get }
}

extension AudioDriver {
  package func close() {}
  package func supervise() {}
  package var warnings: [String] { [] }
  package var endNotes: [String] { [] }
  package var rateFollowing: (any RateFollowing)? { nil }
}

/// The capability of a driver whose devices may return with another rate than the renderer's.
package protocol RateFollowing: AnyObject {
  /// The rate that the devices require, in Hz, if it differs from the renderer's and the request
  /// specifies no rate.
  ///
  /// The driver must then be started with a renderer of that rate. Otherwise nil. [main]
  var deviceRateHz: Int? { get }
  /// Continues with the current renderer at its rate.
  ///
  /// The devices are resampled. [main]
  func keepGraphRate()
}

/// An error of a driver that opens a device.
package protocol DriverOpenError: Error {
  /// Whether another period could help.
  var isAboutPeriod: Bool { get }
}
