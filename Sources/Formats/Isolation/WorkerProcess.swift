// WorkerProcess.swift: a worker process as its host sees it. SPDX-License-Identifier: MIT

internal import CIsolation
internal import CRealtime
internal import Glibc
package import PluginCatalogue
internal import PluginModel
internal import RealtimeKit

/// A process that renders nodes, with the socket for everything but blocks. [main]
package final class WorkerProcess {
  /// The time limits of requests, in seconds: in general, and for those that may load files.
  private static let (quickSeconds, slowSeconds) = (5.0, 60.0)
  /// How long `post` waits for a reply before it comes back later, in seconds.
  private static let postTimeoutSeconds = 0.02

  /// The process, which may outlive its owner for a moment.
  private final class Child {
    var process: ChildProcess
    init(_ process: consuming ChildProcess) { self.process = process }
  }

  /// The process ID.
  package var process: Int32 { child.process.process }
  private let child: Child
  private var nodeCount: UInt32 = 0
  /// Receives the reply to the request of `post` that is still open; nil if there is none.
  private var lateReceiver: ((WorkerReply) -> Void)?
  /// The end as the host knows it, if the host ended the process.
  private var ending: ChildExit?
  /// The sandbox of its only node; nil if there is none.
  private(set) var sandbox: WorkerSandbox?
  /// The report of a crash; nil if there is none.
  private(set) var crash: CrashReport?
  /// How long a process that crashed may take for a part of its report, in seconds, and the number of parts.
  private static let (crashSeconds, crashMessageLimit) = (0.3, 4)

  /// Starts a worker process and compares versions.
  ///
  /// - Parameters:
  ///   - executable: the program, which must call `WorkerHelper.run` for its argument.
  ///   - name: the plugin, for messages.
  ///   - sandbox: the sandbox that it enters; nil for none.
  /// - Throws: `IsolationError`.
  init(
    _ executable: String, for name: String, in sandbox: WorkerSandbox? = nil
  ) throws(IsolationError) {
    var command = ChildCommand(executable: executable, arguments: [WorkerHelper.argument])
    // As in the host, so that a plugin behaves as it does there.
    command.environment = sandbox.map { ["TMPDIR": $0.kept.directory] } ?? [:]
    do throws(ChildProcess.SpawnError) {
      child = Child(try ChildProcess(command))
    } catch {
      throw .notStarted(name: name, code: error.code)
    }
    let reply = try call(WorkerRequest(action: .hello), for: name)
    guard reply.number == UInt32(CISOLATION_VERSION) else { throw .otherVersion(name: name) }
    if let sandbox { try enter(sandbox, for: name) }
  }

  /// Puts the process into a sandbox, before it loads any code.
  private func enter(_ sandbox: WorkerSandbox, for name: String) throws(IsolationError) {
    _ = try call(sandbox.request, for: name)
    guard cisolation_send_descriptor(child.process.socket.descriptor, sandbox.record.descriptor)
    else {
      throw .ended(name: name, end())
    }
    sandbox.parts = SandboxParts(rawValue: try receive(for: name, isSlow: false).number)
    guard !sandbox.parts.isEmpty else { throw .noSandbox(name: name) }
    self.sandbox = sandbox
  }

  deinit {
    guard child.process.exit == nil else { return }
    // A large process takes a while to end.
    nonisolated(unsafe) let child = child
    let code = DetachedThread.start { child.process.end() }
    if code != nil { child.process.end() }
  }

  /// A number for another node.
  func takeNumber() -> UInt32 {
    nodeCount += 1
    return nodeCount
  }

  /// Whether the process has ended, so that no request is answered.
  package var hasEnded: Bool { exit != nil }

  /// How the process ended; nil while it runs.
  package var exit: ChildExit? { ending ?? child.process.exit }

  /// Removes the directory of the sandbox, because a program that ends does not destroy its processes.
  func removeSandboxDirectory() {
    if let sandbox { KeptState.remove(sandbox.kept.directory) }
  }

  /// Ends the process and returns how it ended.
  @discardableResult
  package func end() -> ChildExit { exit ?? child.process.end(within: 0) }

  // MARK: - Requests

  /// Sends a request and returns the reply.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - name: the plugin, for messages.
  ///   - isSlow: whether the plugin may load files meanwhile.
  /// - Returns: the reply of the process.
  /// - Throws: `IsolationError.ended` if the process ends or hangs, and `.plugin` for errors of the plugin.
  func call(
    _ request: WorkerRequest, for name: String, isSlow: Bool = false
  ) throws(IsolationError) -> WorkerReply {
    try takeLateReply(for: name, within: Self.quickSeconds)
    guard !hasEnded, child.process.socket.send(request.record) else {
      throw .ended(name: name, end())
    }
    return try receive(for: name, isSlow: isSlow)
  }

  /// Sends a request whose reply may come later, so that a plugin that is busy does not delay the caller.
  ///
  /// Does nothing while the reply to another such request is missing.
  /// - Parameters:
  ///   - request: the request.
  ///   - name: the plugin, for messages.
  ///   - receive: receives the reply: now, or in a later call of any method.
  /// - Throws: `IsolationError.ended` if the process ends or hangs.
  func post(
    _ request: WorkerRequest, for name: String, receive: @escaping (WorkerReply) -> Void
  ) throws(IsolationError) {
    try takeLateReply(for: name, within: Self.postTimeoutSeconds)
    guard lateReceiver == nil else { return }
    guard !hasEnded, child.process.socket.send(request.record) else {
      throw .ended(name: name, end())
    }
    child.process.recordActivity()
    lateReceiver = receive
    try takeLateReply(for: name, within: Self.postTimeoutSeconds)
  }

  /// Waits for the reply to the request of `post` that is still open.
  private func takeLateReply(for name: String, within seconds: Double) throws(IsolationError) {
    let begin = crealtime_nanoseconds()
    while let receiver = lateReceiver {
      if let reply = try next(for: name) {
        lateReceiver = nil
        if reply.error == nil { receiver(reply) }
        return
      }
      if child.process.socket.waitForData(within: min(seconds, 0.1)) {
        guard child.process.socket.receive() else {
          lateReceiver = nil
          throw .ended(name: name, child.process.end())
        }
      } else if child.process.isHanging(after: Self.quickSeconds) {
        lateReceiver = nil
        throw self.end(.timedOut(seconds: Self.quickSeconds), for: name)
      } else if seconds < Self.quickSeconds,
        crealtime_nanoseconds() - begin >= UInt64(seconds * 1e9)
      {
        return
      }
    }
  }

  /// Passes shared memory to the process; returns the id of the thread that renders in it.
  func share(_ memory: SharedMemory, of node: UInt32, for name: String)
    throws(IsolationError) -> UInt32
  {
    _ = try call(WorkerRequest(node: node, action: .share), for: name)
    guard cisolation_send_descriptor(child.process.socket.descriptor, memory.descriptor) else {
      throw .ended(name: name, end())
    }
    let owner = try receive(for: name, isSlow: false).number
    guard owner != 0 else {
      throw .noMemory(name: name, byteCount: memory.layout.byteCount, code: ENOMEM)
    }
    return owner
  }

  private func receive(for name: String, isSlow: Bool) throws(IsolationError) -> WorkerReply {
    let seconds = isSlow ? Self.slowSeconds : Self.quickSeconds
    while true {
      if let reply = try next(for: name) {
        if let message = reply.error { throw .plugin(message: message) }
        return reply
      }
      guard child.process.waitForData(within: seconds) else {
        throw end(.timedOut(seconds: seconds), for: name)
      }
      guard child.process.socket.receive() else {
        throw .ended(name: name, child.process.end())
      }
    }
  }

  /// Ends the process for a reason, and returns the error.
  private func end(_ reason: ChildExit, for name: String) -> IsolationError {
    end()
    ending = reason
    return .ended(name: name, reason)
  }

  private func next(for name: String) throws(IsolationError) -> WorkerReply? {
    do throws(BinaryDecodingError) {
      return try next()
    } catch {
      throw end(.protocolError, for: name)
    }
  }

  /// Returns the next reply, and stores a crash report.
  private func next() throws(BinaryDecodingError) -> WorkerReply? {
    while true {
      var report: CrashReport?
      let reply = try child.process.socket.next {
        reader throws(BinaryDecodingError) -> WorkerReply in
        var copy = reader
        guard try copy.number(UInt8.self) == WorkerReply.crashKind else {
          return try WorkerReply(&reader)
        }
        report = try CrashReport(&copy)
        return WorkerReply()
      }
      guard let report else { return reply }
      crash = report
    }
  }

  /// Waits for the report of a process that crashed and was not ended by the host yet.
  func awaitCrashReport() {
    // A damaged process may send anything.
    for _ in 0 ..< Self.crashMessageLimit {
      _ = try? next()
      guard crash?.isLocated != true,
        child.process.socket.waitForData(within: Self.crashSeconds), child.process.socket.receive()
      else { return }
    }
  }
}
