// ControlServer.swift: a run's socket, at which others ask things of it. SPDX-License-Identifier: MIT

import Dispatch
import FoundationEssentials
import Glibc
import RealtimeKit
import Synchronization

/// Takes requests on threads of its own, and keeps them until the main thread answers.
///
/// So a request is met between two looks at the devices, by the one thread that may touch the nodes.
package final class ControlServer: Sendable {
  /// Examines a request on the connection's thread, before the main thread receives it; returns why it is
  /// refused, or nil.
  package typealias Check = @Sendable (ControlRequest) -> ControlReply.ErrorInfo?

  /// A request that waits.
  private final class PendingRequest: Sendable {
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
    var jobs: [PendingRequest] = []
    var isClosed = false
  }

  /// How long clients may take.
  struct Limits: Sendable {
    /// Until a request begins, in seconds.
    var idleSeconds = 3_600.0
    /// From a request's first byte to its end, and for a reply to be read, in seconds.
    var lineSeconds = 10.0
  }

  /// What the run is called; others name it so.
  package let name: String
  private let path: String
  private let socket: UnixSocket
  private let inbox = Mutex(Inbox())
  private let callers = CallerTable()
  private let limits: Limits
  private let check: Check

  /// Listens for a run under a name, or that name with a number where it is taken. [main]
  ///
  /// - Parameters:
  ///   - wish: what the run is to be called.
  ///   - environment: says where sockets lie.
  ///   - check: examines requests on the threads of their connections.
  ///   - onArrival: called on a thread of the server's when there is something to answer.
  /// - Throws: `ControlError` where there is no place for a socket.
  package convenience init(
    named wish: String,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    check: @escaping Check = { _ in nil },
    onArrival: @escaping @Sendable () -> Void
  ) throws(ControlError) {
    try self.init(
      named: wish, environment: environment, limits: Limits(), check: check, onArrival: onArrival)
  }

  init(
    named wish: String, environment: [String: String], limits: Limits,
    check: @escaping Check = { _ in nil }, onArrival: @escaping @Sendable () -> Void
  ) throws(ControlError) {
    self.limits = limits
    self.check = check
    let folder = SocketDirectory.ownFolder(environment)
    try SocketDirectory.prepare(folder)
    (name, path, socket) = try Self.listen(as: wish, in: folder)
    // Ends with `stop`, which is called before the program ends.
    _ = DetachedThread.start { self.takeCallers(onArrival) }
  }

  private static func listen(
    as wish: String, in folder: String
  ) throws(ControlError) -> (String, String, UnixSocket) {
    var number = 1
    while true {
      let name = number == 1 ? wish : "\(wish)-\(number)"
      let path = SocketDirectory.socket(name, in: folder)
      switch UnixSocket.listen(at: path) {
      case .success(let socket): return (name, path, socket)
      case .failure(let fault) where fault.number == EADDRINUSE && number < 1_000:
        // What a run that was killed left behind is nobody's.
        if isAbandoned(path), unlink(path) == 0 { continue }
        number += 1
      case .failure(let fault): throw .noSocket(path: path, reason: fault.reason)
      }
    }
  }

  /// Whether nobody listens at a path, as opposed to a process that is stopped.
  private static func isAbandoned(_ path: String) -> Bool {
    guard case .failure(let fault) = UnixSocket.connect(to: path, seconds: 0.1) else {
      return false
    }
    return fault.number == ECONNREFUSED
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
    while let socket = socket.accept() {
      guard let user = socket.peer?.user, user == geteuid() || user == 0 else {
        refuse(socket, "This run belongs to another user; only that user and root control it.")
        continue
      }
      guard let caller = callers.admit(socket) else {
        refuse(socket, "The run is busy with \(CallerTable.limit) other requests; try again later.")
        continue
      }
      _ = DetachedThread.start {
        self.serve(caller, onArrival)
        self.callers.remove(caller)
      }
    }
  }

  /// A new connection has room for a short line, so this does not wait.
  private func refuse(_ socket: UnixSocket, _ message: String) {
    guard
      let data = try? JSONEncoder().encode(ControlReply(error: .init(message: message, status: 1)))
    else { return }
    _ = socket.send(line: data, seconds: 0)
  }

  private func serve(_ caller: Caller, _ onArrival: () -> Void) {
    var rest = Data()
    while true {
      let read = caller.socket.readLine(
        &rest, idleSeconds: limits.idleSeconds, lineSeconds: limits.lineSeconds,
        longestBytes: UnixSocket.longestRequestBytes)
      switch read {
      case .line(let line) where line.isEmpty: continue
      case .line(let line):
        guard caller.begin() else { return }
        let reply = reply(to: line, onArrival)
        caller.end()
        guard send(reply, to: caller) else { return }
      case .tooLong:
        let megabytes = UnixSocket.longestRequestBytes >> 20
        let message = "The request is longer than \(megabytes) MiB, so the connection was closed."
        _ = send(ControlReply(error: .init(message: message, status: 2)), to: caller)
        return
      case .ended, .late: return
      }
    }
  }

  private func send(_ reply: ControlReply, to caller: Caller) -> Bool {
    guard let data = try? JSONEncoder().encode(reply) else { return false }
    return caller.socket.send(line: data, seconds: limits.lineSeconds)
  }

  private func reply(to line: Data, _ onArrival: () -> Void) -> ControlReply {
    let request: ControlRequest
    do {
      request = try ControlRequest(line: line)
    } catch {
      return ControlReply(error: .init(message: error.message, status: 2))
    }
    if let fault = check(request) { return ControlReply(error: fault) }
    let job = PendingRequest(request)
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
