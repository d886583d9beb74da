// BundleSchedule.swift: bundles that wait for their time. SPDX-License-Identifier: MIT

/// The messages of bundles with a time in the future, in the order of their times.
struct BundleSchedule<Sender> {
  /// How far ahead a bundle may be, in seconds.
  static var longestSeconds: Double { 60 }
  /// The messages that may wait.
  static var maximumMessageCount: Int { 4_096 }

  /// The messages of a bundle.
  struct Entry {
    let tag: OSCTimeTag
    let messages: [OSCMessage]
    let sender: Sender
  }

  /// The result of `add`.
  enum Outcome: Equatable {
    /// The time has come.
    case isDue
    case waits
    case tooFarAhead
    case full
  }

  private var entries: [Entry] = []
  /// The messages that wait.
  private(set) var messageCount = 0

  /// Adds messages, unless they are due at once or cannot wait.
  mutating func add(
    _ messages: [OSCMessage], at tag: OSCTimeTag, from sender: Sender, now: OSCTimeTag
  ) -> Outcome {
    guard tag != .immediate, tag > now else { return .isDue }
    guard tag.seconds(since: now) <= Self.longestSeconds else { return .tooFarAhead }
    guard messageCount + messages.count <= Self.maximumMessageCount else { return .full }
    // Behind those with the same time, so that the order of arrival stays.
    let index = entries.lastIndex { $0.tag <= tag }.map { $0 + 1 } ?? 0
    entries.insert(Entry(tag: tag, messages: messages, sender: sender), at: index)
    messageCount += messages.count
    return .waits
  }

  /// Returns and removes the bundles whose time has come.
  mutating func takeDue(at now: OSCTimeTag) -> [Entry] {
    let count = entries.firstIndex { $0.tag > now } ?? entries.count
    defer { entries.removeFirst(count) }
    let due = Array(entries[..<count])
    messageCount -= due.reduce(0) { $0 + $1.messages.count }
    return due
  }

  /// The time until the next bundle in seconds; nil if none waits.
  func pause(at now: OSCTimeTag) -> Double? {
    entries.first.map { max(0, $0.tag.seconds(since: now)) }
  }

  /// Forgets the bundles of a sender.
  mutating func remove(where isGone: (Sender) -> Bool) {
    entries.removeAll { isGone($0.sender) }
    messageCount = entries.reduce(0) { $0 + $1.messages.count }
  }
}
