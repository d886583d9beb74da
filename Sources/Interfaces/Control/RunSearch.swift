// RunSearch.swift: finds sessions, and sends a command to all of them. SPDX-License-Identifier: MIT

import Dispatch
import FoundationEssentials
import Glibc
package import HostModel
import RealtimeKit
import Synchronization

/// The runs that are listening.
package struct RunSearch {
  /// A session that was found.
  struct Run: Sendable {
    let name: String
    /// The connection; nil if the session does not accept it in time.
    let socket: UnixSocket?
  }

  /// The reply of a session.
  package struct Answer: Sendable {
    /// The run's name.
    package let name: String
    /// The process; nil if it is not known.
    package let process: Int?
    /// The reply, or why there is none.
    package let reply: Result<Reply, ControlError>
  }

  /// Sorted by name.
  let runs: [Run]
  /// Messages about ignored directories or sockets.
  package let remarks: [String]

  /// The limit for an answer to `sendToAll`, in seconds.
  package static let answerSeconds = 5.0

  /// Connects to all runs at once, or to those of one name. [any]
  ///
  /// Takes as long as the slowest connection, at most `ControlClient.connectSeconds`.
  package init(
    _ environment: [String: String] = ProcessInfo.processInfo.environment,
    named wanted: String? = nil
  ) {
    var (entries, remarks) = SocketDirectory.sockets(environment)
    if let wanted { entries = entries.filter { $0.name == wanted } }
    var runs: [Run] = []
    for (entry, outcome) in zip(entries, Self.concurrently(entries, Self.connect)) {
      switch outcome {
      case .success(let run): runs.append(run)
      case .failure(.otherUser(let user)):
        remarks.append("\(entry.path) is ignored because a process of user \(user) uses it.")
      case .failure(.abandoned): break
      }
    }
    (self.runs, self.remarks) = (runs, remarks)
  }

  /// Names of the runs, sorted. [any]
  package var names: [String] { runs.map(\.name) }

  /// Sends a command to every run at once, and waits for each for at most `seconds`. [any]
  package func sendToAll(_ command: Command, seconds: Double = answerSeconds) -> [Answer] {
    Self.concurrently(runs) { run in
      let process = run.socket?.peer.map { Int($0.process) }
      let reply = Result { () throws(ControlError) in
        guard let socket = run.socket else {
          throw .noResponse(name: run.name, seconds: ControlClient.connectSeconds, process: nil)
        }
        return try ControlClient(run.name, socket).send(command, seconds: seconds)
      }
      return Answer(name: run.name, process: process, reply: reply)
    }
  }

  private enum SearchError: Error {
    /// The process that made the socket has ended.
    case abandoned
    case otherUser(user: uid_t)
  }

  private static func connect(_ entry: SocketDirectory.Entry) -> Result<Run, SearchError> {
    switch UnixSocket.connect(to: entry.path, seconds: ControlClient.connectSeconds) {
    case .success(let socket):
      guard let user = socket.peer?.user else { return .failure(.abandoned) }
      // The directory was checked, but only the kernel knows the listener.
      guard [geteuid(), 0, entry.owner].contains(user) else {
        return .failure(.otherUser(user: user))
      }
      return .success(Run(name: entry.name, socket: socket))
    case .failure(let fault):
      guard fault.number == EAGAIN else { return .failure(.abandoned) }
      return .success(Run(name: entry.name, socket: nil))
    }
  }

  /// Runs a call for each element on a separate thread and returns the results in order.
  private static func concurrently<Element: Sendable, Value: Sendable>(
    _ elements: [Element], _ call: @escaping @Sendable (Element) -> Value
  ) -> [Value] {
    let values = Shared<Value>(elements.count)
    let group = DispatchGroup()
    for (index, element) in elements.enumerated() {
      group.enter()
      _ = DetachedThread.start {
        let value = call(element)
        values.slots.withLock { $0[index] = value }
        group.leave()
      }
    }
    group.wait()
    return values.slots.withLock { $0.compactMap { $0 } }
  }

  private final class Shared<Value: Sendable>: Sendable {
    let slots: Mutex<[Value?]>
    init(_ count: Int) { slots = Mutex([Value?](repeating: nil, count: count)) }
  }
}
