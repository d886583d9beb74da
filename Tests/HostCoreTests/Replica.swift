// Replica.swift: a client that updates its copy of the state by changes. SPDX-License-Identifier: MIT

import HostModel

/// A client's copy of the state, and the changes that it should not have received.
struct Replica {
  private(set) var client = ClientID(0)
  private(set) var snapshot: Snapshot?
  /// What must not happen, in words.
  private(set) var faults: [String] = []
  /// How many changes came as events, and in replies.
  private(set) var eventCount = 0
  private(set) var replyCount = 0
  private var lastReply: UInt64 = 0

  mutating func take(_ message: EventMessage) {
    guard case .changed(let changed) = message.event else { return }
    if changed.client == client { faults.append("its own change \(changed.revision) came back") }
    eventCount += 1
    apply(changed)
  }

  mutating func take(_ reply: Reply) {
    if case .subscribed(let subscribed)? = reply.result {
      client = subscribed.client
      if let whole = subscribed.snapshot { snapshot = whole }
      return
    }
    guard let change = reply.change else { return }
    if change.client != client {
      faults.append("a reply has the change of \(change.client as Any)")
    }
    // Commands that were published together have the same change.
    guard change.revision != lastReply else { return }
    lastReply = change.revision
    replyCount += 1
    apply(change)
  }

  private mutating func apply(_ changed: Event.Changed) {
    guard let before = snapshot?.revision else { return }
    if !(snapshot?.apply(changed) ?? true) {
      faults.append("change \(changed.revision) follows \(before)")
    }
  }
}
