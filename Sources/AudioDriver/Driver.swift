// Driver.swift: what calls the program. SPDX-License-Identifier: MIT

package import RenderGraph

/// Something that pulls blocks through an engine: a sound card, a clock, a file.
///
/// A driver is made open: its initialiser negotiates with the device and throws if it cannot.
/// What was got stands in `stream`; an engine of that shape is then made and handed to `start`.
package protocol Driver: AnyObject {
  /// What was negotiated. [main]
  var stream: StreamDescription { get }
  /// Begins to pull blocks through the engine, on a thread of its own. The engine must have
  /// `stream`'s channel counts, and outlive the driver. [main]
  func start(_ engine: Engine) throws
  /// Ends the pulling and waits until the last block is done; harmless when not started. [main]
  func stop()
  /// How it goes. [any]
  var status: DriverStatus { get }
}

/// How a driver goes, counted since its start.
package struct DriverStatus: Sendable, Equatable {
  /// Whether blocks are being pulled.
  package var isRunning: Bool
  /// Times that the device ran out of sound to play or room to record.
  package var xrunCount: Int
  /// Sound that was lost in them, in seconds.
  package var lostSeconds: Double
  /// Samples that were clipped at the device.
  package var clippedSampleCount: Int
  /// Why it stopped by itself, as one sentence; nil while it runs or after `stop`.
  package var failure: String?

  /// A driver that has not yet run.
  package init() {
    isRunning = false
    xrunCount = 0
    lostSeconds = 0
    clippedSampleCount = 0
    failure = nil
  }
}
