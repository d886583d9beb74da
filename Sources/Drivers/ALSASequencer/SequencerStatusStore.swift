// SequencerStatusStore.swift: the status that the sequencer thread reports.
// SPDX-License-Identifier: MIT

import ErrorModel
import Synchronization

/// The MIDI status, with counts since the start.
package struct SequencerStatus: Sendable, Equatable {
  /// The number of received messages.
  package var receivedCount = 0
  /// The number of sent messages.
  package var sentCount = 0
  /// The number of messages that were dropped in either direction because a buffer was full.
  package var droppedCount = 0
  /// The names of the connected sources.
  package var sources: [String] = []
  /// The names of the connected destinations.
  package var destinations: [String] = []

  /// Creates the status at the start.
  package init() {}
}

/// A status that the sequencer thread writes and any thread reads.
final class SequencerStatusStore: Sendable {
  private struct Fields {
    var sources: [String] = []
    var destinations: [String] = []
  }

  let notices = NoticeQueue()
  private let received = Atomic<Int>(0)
  private let sent = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  // Neither thread is the audio thread, so they may wait for each other.
  private let fields = Mutex(Fields())

  var status: SequencerStatus {
    var status = SequencerStatus()
    status.receivedCount = received.load(ordering: .relaxed)
    status.sentCount = sent.load(ordering: .relaxed)
    status.droppedCount = dropped.load(ordering: .relaxed)
    fields.withLock { fields in
      status.sources = fields.sources
      status.destinations = fields.destinations
    }
    return status
  }

  func count(received more: Int) { received.add(more, ordering: .relaxed) }
  func count(sent more: Int) { sent.add(more, ordering: .relaxed) }
  func count(dropped more: Int) { dropped.add(more, ordering: .relaxed) }

  func set(sources: [String], destinations: [String]) {
    fields.withLock { fields in
      fields.sources = sources
      fields.destinations = destinations
    }
  }
}
