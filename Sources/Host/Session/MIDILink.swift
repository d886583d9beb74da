// MIDILink.swift: what carries MIDI to and from a session. SPDX-License-Identifier: MIT

package import RenderGraph

/// Something that moves MIDI between devices and an engine, as a driver moves sound.
///
/// It is made open, its devices checked; who is connected is known once it has started.
package protocol MIDILink: AnyObject {
  /// Begins to move messages to and from the engine, which must outlive it or be replaced by another
  /// `start`. [main]
  func start(_ engine: Engine) throws
  /// Ends that; harmless when not started. [main]
  func stop()
  /// How it goes. [any]
  var status: MIDIStatus { get }
  /// Devices that came and went since the last call, one sentence each. [main]
  func takeNotices() -> [String]
}

/// How MIDI goes, counted since its start.
package struct MIDIStatus: Sendable, Equatable {
  /// Messages that arrived.
  package var receivedCount: Int
  /// Messages that were sent.
  package var sentCount: Int
  /// Messages that were lost for want of room.
  package var droppedCount: Int
  /// What is heard at present, by name; nil where the rig takes no MIDI.
  package var sources: [String]?
  /// What is played at present, by name; nil where the rig sends no MIDI.
  package var destinations: [String]?

  /// All of it.
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
