// WorkerProcess.swift: a worker process as its host sees it. SPDX-License-Identifier: MIT

internal import CIsolation
internal import Glibc
package import PluginCatalogue
internal import PluginModel
internal import Processes
internal import RealtimeKit

/// A process that renders nodes, with the socket for everything but blocks. [main]
package final class WorkerProcess {
  /// The time limits of requests, in seconds: in general, and for those that may load files.
  private static let (quickSeconds, slowSeconds) = (5.0, 60.0)
  /// The time that the process has to end by itself, in hundredths of a second.
  private static let endLooks = 100

  /// The process ID.
  package let process: Int32
  private var socket: MessageSocket
  private var nodeCount: UInt32 = 0
  private var ending: ChildExit?
  /// The sandbox of its only node; nil if there is none.
  private(set) var sandbox: WorkerSandbox?

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
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw .notStarted(name: name, code: errno)
    }
    defer { close(ends[1]) }
    var spawn = ProcessSpawn([executable, WorkerHelper.argument])
    spawn.channel = ends[1]
    // Ctrl-C in a terminal ends the host, which then ends its workers.
    spawn.leadsGroup = true
    // A Swift backtrace takes seconds per crash.
    spawn.environment = ["SWIFT_BACKTRACE": "enable=no"]
    if let sandbox { spawn.environment["TMPDIR"] = sandbox.kept.directory }
    do throws(ProcessSpawn.Failure) {
      process = try spawn.start()
    } catch {
      close(ends[0])
      throw .notStarted(name: name, code: error.code)
    }
    socket = MessageSocket(ends[0])
    let reply = try call(WorkerRequest(action: .hello), for: name)
    guard reply.number == UInt32(CISOLATION_VERSION) else { throw .otherVersion(name: name) }
    if let sandbox { try enter(sandbox, for: name) }
  }

  /// Puts the process into a sandbox, before it loads any code.
  private func enter(_ sandbox: WorkerSandbox, for name: String) throws(IsolationError) {
    _ = try call(sandbox.request, for: name)
    guard cisolation_send_descriptor(socket.descriptor, sandbox.record.descriptor) else {
      throw .ended(name: name, end())
    }
    sandbox.parts = SandboxParts(rawValue: try receive(for: name, isSlow: false).number)
    guard !sandbox.parts.isEmpty else { throw .noSandbox(name: name) }
    self.sandbox = sandbox
  }

  // Only here, where no node can kill the process any more: its ID may be that of another process afterwards.
  deinit {
    close(socket.descriptor)
    let process = process
    guard ending == nil else {
      Self.release(process)
      return
    }
    // A large process takes a while to end.
    let code = DetachedThread.start { Self.endAndRelease(process) }
    if code != nil { Self.endAndRelease(process) }
  }

  /// Waits for the end of a process that has no socket any more, and kills it if it hangs. [any]
  private static func endAndRelease(_ process: Int32) {
    if !hasEnded(process) { kill(-process, SIGKILL) }
    release(process)
  }

  /// Waits until a process has ended, at most for `endLooks` hundredths of a second; returns whether it has.
  private static func hasEnded(_ process: Int32) -> Bool {
    for _ in 0 ..< endLooks {
      if cisolation_exit_status(process) >= 0 { return true }
      usleep(10_000)
    }
    return false
  }

  /// Waits for the end of a process, and lets the kernel forget it.
  private static func release(_ process: Int32) {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
  }

  /// A number for another node.
  func takeNumber() -> UInt32 {
    nodeCount += 1
    return nodeCount
  }

  /// Whether the process has ended, so that no request is answered.
  package var hasEnded: Bool { exit != nil }

  /// How the process ended; nil while it runs.
  package var exit: ChildExit? {
    if let ending { return ending }
    let status = cisolation_exit_status(process)
    guard status >= 0 else { return nil }
    ending = Self.exit(status)
    return ending
  }

  private static func exit(_ status: Int32) -> ChildExit {
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
  }

  /// Removes the directory of the sandbox, because a program that ends does not destroy its processes.
  func removeSandboxDirectory() {
    if let sandbox { KeptState.remove(sandbox.kept.directory) }
  }

  /// Ends the process and returns how it ended.
  @discardableResult
  package func end() -> ChildExit {
    if let exit { return exit }
    kill(-process, SIGKILL)
    // It ends for certain, but a large process takes a while.
    while !Self.hasEnded(process) {}
    return exit ?? .signalled(SIGKILL)
  }

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
    guard !hasEnded, socket.send(request.record) else {
      throw .ended(name: name, end())
    }
    return try receive(for: name, isSlow: isSlow)
  }

  /// Passes shared memory to the process; returns the id of the thread that renders in it.
  func share(_ memory: SharedMemory, of node: UInt32, for name: String)
    throws(IsolationError) -> UInt32
  {
    _ = try call(WorkerRequest(node: node, action: .share), for: name)
    guard cisolation_send_descriptor(socket.descriptor, memory.descriptor) else {
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
    var stall = StallDetector(process)
    while true {
      if let reply = try next(for: name) {
        if let message = reply.error { throw .plugin(message: message) }
        return reply
      }
      if socket.waitForData(within: 0.1) {
        guard socket.receive() else { throw .ended(name: name, endAfterHangUp()) }
      } else if stall.isStalled(after: seconds) {
        end()
        ending = .timedOut(seconds: seconds)
        throw .ended(name: name, .timedOut(seconds: seconds))
      }
    }
  }

  /// Gives a process that has closed its socket the time to end by itself, for its true exit status.
  private func endAfterHangUp() -> ChildExit {
    for _ in 0 ..< Self.endLooks {
      if let exit { return exit }
      usleep(10_000)
    }
    return end()
  }

  private func next(for name: String) throws(IsolationError) -> WorkerReply? {
    do throws(BinaryDecodingError) {
      return try socket.next { reader throws(BinaryDecodingError) in try WorkerReply(&reader) }
    } catch {
      end()
      ending = .protocolError
      throw .ended(name: name, .protocolError)
    }
  }
}
