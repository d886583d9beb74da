// SequencerStatusStore.swift: the state that the sequencer's thread reports. SPDX-License-Identifier: MIT

import Synchronization

/// How MIDI goes, counted since the start.
package struct SequencerStatus: Sendable, Equatable {
  /// Messages that arrived.
  package var receivedCount = 0
  /// Messages that were sent.
  package var sentCount = 0
  /// Messages that were lost, in either direction, for want of room.
  package var droppedCount = 0
  /// What is connected to our input at present, by name.
  package var sources: [String] = []
  /// What our output is connected to at present, by name.
  package var destinations: [String] = []

  /// Nothing so far.
  package init() {}
}

/// Written by the sequencer's thread, read by any.
final class SequencerStatusStore: Sendable {
  private struct Fields {
    var sources: [String] = []
    var destinations: [String] = []
    var notices: [String] = []
  }

  private let received = Atomic<Int>(0)
  private let sent = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  // Neither of the two threads is the audio thread, so they may wait for each other.
  private let words = Mutex(Fields())

  var status: SequencerStatus {
    var status = SequencerStatus()
    status.receivedCount = received.load(ordering: .relaxed)
    status.sentCount = sent.load(ordering: .relaxed)
    status.droppedCount = dropped.load(ordering: .relaxed)
    words.withLock { words in
      status.sources = words.sources
      status.destinations = words.destinations
    }
    return status
  }

  func count(received more: Int) { received.add(more, ordering: .relaxed) }
  func count(sent more: Int) { sent.add(more, ordering: .relaxed) }
  func count(dropped more: Int) { dropped.add(more, ordering: .relaxed) }

  func set(sources: [String], destinations: [String]) {
    words.withLock { words in
      words.sources = sources
      words.destinations = destinations
    }
  }

  /// A notice may be lost where nobody takes them: the list is short, and the newest ones count.
  func note(_ sentence: String) {
    words.withLock { words in
      words.notices.append(sentence)
      if words.notices.count > 100 { words.notices.removeFirst() }
    }
  }

  func takeNotices() -> [String] {
    words.withLock { words in
      defer { words.notices = [] }
      return words.notices
    }
  }
}
