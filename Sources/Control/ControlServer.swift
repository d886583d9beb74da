// ControlServer.swift: a run's socket, at which others ask things of it. SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// Takes requests on threads of its own, and keeps them until the main thread answers.
///
/// So a request is met between two looks at the devices, by the one thread that may touch the nodes.
package final class ControlServer: Sendable {
  /// A request that waits.
  private final class Job: Sendable {
    let request: ControlRequest
    let reply = Mutex<ControlReply?>(nil)
    let isAnswered = DispatchSemaphore(value: 0)

    init(_ request: ControlRequest) { self.request = request }

    func answer(_ reply: ControlReply) {
      self.reply.withLock { $0 = reply }
      isAnswered.signal()
    }
  }

  private struct Inbox {
    var jobs: [Job] = []
    var isClosed = false
  }

  /// What the run is called; others name it so.
  package let name: String
  private let path: String
  private let socket: UnixSocket
  private let inbox = Mutex(Inbox())
  private let callerCount = Atomic<Int>(0)
  /// More than anybody needs; the next one is turned away.
  private static let mostCallers = 32
  /// How long a connection may be idle.
  private static let idleSeconds = 3_600

  /// Listens for a run under a name, or that name with a number where it is taken. [main]
  ///
  /// - Parameters:
  ///   - wish: what the run is to be called.
  ///   - environment: says where sockets lie.
  ///   - onArrival: called on a thread of the server's when there is something to answer.
  /// - Throws: `ControlError` where there is no place for a socket.
  package init(
    named wish: String,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    onArrival: @escaping @Sendable () -> Void
  ) throws(ControlError) {
    let folder = ControlFolder.ownFolder(environment)
    try ControlFolder.prepare(folder)
    (name, path, socket) = try Self.listen(as: wish, in: folder)
    // Ends with `stop`, which is called before the program ends.
    Thread.detachNewThread { self.takeCallers(onArrival) }
  }

  private static func listen(
    as wish: String, in folder: String
  ) throws(ControlError) -> (String, String, UnixSocket) {
    var number = 1
    while true {
      let name = number == 1 ? wish : "\(wish)-\(number)"
      let path = ControlFolder.socket(name, in: folder)
      switch UnixSocket.listen(at: path) {
      case .success(let socket): return (name, path, socket)
      case .failure(let fault) where fault.number == EADDRINUSE && number < 1_000:
        // What a run that was killed left behind is nobody's.
        if UnixSocket.connect(to: path) == nil, unlink(path) == 0 { continue }
        number += 1
      case .failure(let fault): throw .noSocket(path: path, reason: fault.reason)
      }
    }
  }

  /// Answers all that has been asked. [main]
  package func answer(_ meet: (ControlRequest) -> ControlReply) {
    serve { request, _ in meet(request) }
  }

  /// Answers what has been asked, some of it later: `meet` returns nil then, and calls what it was given
  /// once the answer is known, on any thread. [main]
  package func serve(
    _ meet: (ControlRequest, _ later: @escaping @Sendable (ControlReply) -> Void) -> ControlReply?
  ) {
    let jobs = inbox.withLock { inbox in
      defer { inbox.jobs = [] }
      return inbox.jobs
    }
    for job in jobs {
      if let reply = meet(job.request, { job.answer($0) }) { job.answer(reply) }
    }
  }

  /// Is reached no longer; who waits is told. [main]
  package func stop() {
    let isFirst = inbox.withLock { inbox in
      defer { inbox.isClosed = true }
      return !inbox.isClosed
    }
    guard isFirst else { return }
    unlink(path)
    socket.hangUp()
    answer { _ in Self.ending }
  }

  private static let ending = ControlReply(
    error: .init(message: "The run is ending, so nothing was done.", status: 1))

  // MARK: - Threads of its own

  private func takeCallers(_ onArrival: @escaping @Sendable () -> Void) {
    while let caller = socket.accept() {
      guard callerCount.add(1, ordering: .relaxed).newValue <= Self.mostCallers else {
        callerCount.subtract(1, ordering: .relaxed)
        continue
      }
      Thread.detachNewThread {
        self.serve(caller, onArrival)
        self.callerCount.subtract(1, ordering: .relaxed)
      }
    }
  }

  private func serve(_ caller: UnixSocket, _ onArrival: () -> Void) {
    caller.setPatience(seconds: Self.idleSeconds)
    var rest = Data()
    while let line = caller.readLine(&rest) {
      guard !line.isEmpty else { continue }
      let reply = reply(to: line, onArrival)
      guard let data = try? JSONEncoder().encode(reply), caller.send(line: data) else { return }
    }
  }

  private func reply(to line: Data, _ onArrival: () -> Void) -> ControlReply {
    let request: ControlRequest
    do {
      request = try JSONDecoder().decode(ControlRequest.self, from: line)
    } catch {
      let words = ControlRequest.Action.allCases.map { "\"\($0.rawValue)\"" }
      return ControlReply(
        error: .init(
          message: "This is no request; one is a JSON object on one line, whose \"do\" is one of"
            + " \(words.joined(separator: ", ")).", status: 2))
    }
    let job = Job(request)
    let isOpen = inbox.withLock { inbox in
      if !inbox.isClosed { inbox.jobs.append(job) }
      return !inbox.isClosed
    }
    guard isOpen else { return Self.ending }
    onArrival()
    job.isAnswered.wait()
    return job.reply.withLock { $0 } ?? Self.ending
  }
}
