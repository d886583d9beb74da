// MIDILink.swift: protocol for MIDI input and output of a session. SPDX-License-Identifier: MIT

package import ErrorModel
package import RenderGraph

/// Transports MIDI between devices and an engine, as a driver transports audio.
///
/// The link is created open, with its devices checked. The connected devices are known after the start.
package protocol MIDILink: AnyObject {
  /// Starts to transport messages. [main]
  ///
  /// The engine must live until `stop` or until another `start` replaces it.
  func start(_ engine: Engine) throws
  /// Stops the transport; has no effect if it is not started. [main]
  func stop()
  /// The current status. [any]
  var status: MIDIStatus { get }
  /// Returns the notices about devices that were connected or disconnected since the last call. [main]
  func takeNotices() -> [HostNotice]
}

/// MIDI status, with counts since the start.
package struct MIDIStatus: Sendable, Equatable {
  /// The number of received messages.
  package var receivedCount: Int
  /// The number of sent messages.
  package var sentCount: Int
  /// The number of messages dropped because a buffer was full.
  package var droppedCount: Int
  /// The names of the connected sources; nil if the rig takes no MIDI.
  package var sources: [String]?
  /// The names of the connected destinations; nil if the rig sends no MIDI.
  package var destinations: [String]?

  /// Creates a status.
  package init(
    receivedCount: Int, sentCount: Int, droppedCount: Int, sources: [String]?,
    destinations: [String]?
  ) {
    self.receivedCount = receivedCount
    self.sentCount = sentCount
    self.droppedCount = droppedCount
    self.sources = sources
    self.destinations = destinations
  }
}
