// OpenChannels.swift: the open connections of the server. SPDX-License-Identifier: MIT

package import NIOCore
import Synchronization

/// The open connections; beyond a limit the oldest one without a token is closed. [any]
///
/// So connections that send nothing never keep a user out.
package final class OpenChannels: Sendable {
  private struct Entry {
    let channel: any Channel
    var isSignedIn = false
  }

  private let limit: Int
  /// In the order of their begin.
  private let entries = Mutex<[Entry]>([])

  /// A list with this limit.
  package init(limit: Int) { self.limit = limit }

  /// Adds a connection; false if all others have signed in.
  package func admit(_ channel: any Channel) -> Bool {
    let (isAdmitted, closed) = entries.withLock { entries -> (Bool, (any Channel)?) in
      var closed: (any Channel)?
      if entries.count >= limit {
        guard let index = entries.firstIndex(where: { !$0.isSignedIn }) else { return (false, nil) }
        closed = entries.remove(at: index).channel
      }
      entries.append(Entry(channel: channel))
      return (true, closed)
    }
    closed?.close(promise: nil)
    if isAdmitted { channel.closeFuture.whenComplete { _ in self.remove(channel) } }
    return isAdmitted
  }

  private func remove(_ channel: any Channel) {
    entries.withLock { $0.removeAll { $0.channel === channel } }
  }

  /// Records that a connection has a token.
  package func signIn(_ channel: any Channel) {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.channel === channel }) else { return }
      entries[index].isSignedIn = true
    }
  }

  /// The number of connections.
  package var count: Int { entries.withLock { $0.count } }

  /// Closes all connections.
  package func closeAll() {
    for entry in entries.withLock({ $0 }) { entry.channel.close(promise: nil) }
  }
}
