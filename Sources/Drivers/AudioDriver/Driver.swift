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
  /// Does what the audio thread cannot: closes a device that was lost, and opens it again when it is
  /// back. To be called about ten times a second while it runs. [main]
  func attend()
  /// Goes on with the engine that it has, at its rate, where `status` demands another one. [main]
  func keepRate()
  /// How it goes. [main]
  var status: DriverStatus { get }
}

extension Driver {
  /// Nothing to do for one that never demands another rate. [main]
  package func keepRate() {}
}
