// AudioDriver.swift: the protocol of what clocks the graph. SPDX-License-Identifier: MIT

package import RealtimeKit

/// Calls a renderer block by block: at the rate of a sound card, a clock or a network, or as fast
/// as files and pipes allow.
///
/// A driver is created open: its initialiser negotiates with the device and throws if that fails.
/// `stream` describes the result. A renderer of that format is then passed to `start`. A driver has
/// no information about what it renders.
package protocol AudioDriver: AnyObject {
  /// What was negotiated. [main]
  var stream: StreamDescription { get }
  /// Starts to call the renderer, on a thread of the driver's own.
  ///
  /// The renderer's format must have `stream`'s channel counts and rate, and blocks of a period at least. A driver that
  /// was stopped can be started again, with another renderer. [main]
  func start(_ renderer: Renderer) throws
  /// Ends after the block under way and waits for that; harmless if not started. [main]
  func stop()
  /// How it goes. [main]
  var status: DriverStatus { get }

  /// Does what the audio thread cannot: closes a device that was lost, and opens it again when it is back. To be called
  /// about ten times a second while the driver runs. Does nothing by default. [main]
  func supervise()
  /// Problems of the machine's set-up that put audio at risk, one sentence each, with the remedy; complete once `start`
  /// has returned. None by default. [main]
  var warnings: [String] { get }
  /// What is worth knowing of the input once the driver has ended, one sentence each. None by default. [main]
  var endNotes: [String] { get }
  /// The ability to follow devices that change their rate; nil by default, for a driver whose rate is fixed. [main]
  var rateFollowing: (any RateFollowing)? { get }
}

extension AudioDriver {
  package func supervise() {}
  package var warnings: [String] { [] }
  package var endNotes: [String] { [] }
  package var rateFollowing: (any RateFollowing)? { nil }
}

/// What a driver can do whose devices may come back at another rate than the renderer's.
package protocol RateFollowing: AnyObject {
  /// The rate that the devices now insist on, in Hz, if that is not the renderer's and the request left the rate open:
  /// the driver is to be started with a renderer of that rate. Nil otherwise. [main]
  var deviceRateHz: Int? { get }
  /// Continues with the current renderer at its rate.
  ///
  /// The devices are resampled. [main]
  func keepGraphRate()
}

/// An error of a driver as it opens a device.
package protocol DriverOpenError: Error {
  /// Whether another period could help.
  var isAboutPeriod: Bool { get }
}
