// ChildProcess.swift: a helper process and the reason for its end. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc
internal import Processes

/// How a helper process ended.
package enum ChildExit: Equatable {
  /// A signal ended it.
  case signalled(Int32)
  /// The process called `exit`.
  case exited(Int32)
  /// The process sent no heartbeat before the timeout and was killed.
  case timedOut(seconds: Double)
  /// The process could not be started; an errno value.
  case notStarted(Int32)
  /// The process sent invalid data and was killed.
  case protocolError

  var isSilence: Bool {
    if case .timedOut = self { return true }
    return false
  }

  /// The end as a phrase after the plugin's name. [any]
  package var text: String {
    switch self {
    case .signalled(SIGABRT): "aborted (signal 6)"
    case .signalled(SIGSEGV): "crashed (signal 11, segmentation fault)"
    case .signalled(SIGFPE): "crashed (signal 8, arithmetic)"
    case .signalled(SIGILL): "crashed (signal 4, illegal instruction)"
    case .signalled(SIGBUS): "crashed (signal 7, bus error)"
    case .signalled(let signal): "was killed by signal \(signal)"
    case .exited(MessageSocket.lostStatus): "closed the file descriptors of the process"
    case .exited(let status): "exited the process (status \(status))"
    case .timedOut(let seconds): "timed out after \(Int(seconds.rounded())) s"
    case .notStarted(let code):
      unsafe "could not start a helper process (\(String(cString: strerror(code))))"
    case .protocolError: "sent invalid data to the host process"
    }
  }
}

/// A running helper process with its socket: for scans, preflights, validations and isolated nodes.
package struct ChildProcess: ~Copyable {
  /// The process ID, which stays reserved as long as this value exists.
  package let process: Int32
  private let canceller: ChildProcessCanceller?
  private var ending: ChildExit?
  private var silence: StallDetector
  /// The parent's end of the socket.
  package var socket: MessageSocket

  /// The number of open files that a helper process may need.
  private static let minimumFileCount = 64

  /// Starts a helper process.
  ///
  /// It is killed when this value is destroyed. [any]
  /// - Parameters:
  ///   - command: the program and its environment.
  ///   - memoryBytes: the limit of its memory; nil for none.
  /// - Throws: `SpawnError`.
  package init(_ command: ChildCommand, memoryBytes: UInt64? = nil) throws(SpawnError) {
    // With fewer, libraries find no plugins, and do not say why.
    guard FileLimit.raise() >= Self.minimumFileCount else { throw SpawnError(code: EMFILE) }
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SpawnError(code: errno) }
    defer { close(ends[1]) }
    var spawn = ProcessSpawn([command.executable] + command.arguments)
    spawn.channel = ends[1]
    // Processes that foreign code starts are killed with the helper process. Ctrl-C in a terminal ends the host,
    // which then ends its helpers.
    spawn.leadsGroup = true
    // A Swift backtrace takes seconds per crash.
    spawn.environment = command.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    if !command.cachesSmallMemory {
      let tunables = unsafe getenv("GLIBC_TUNABLES").map { unsafe String(cString: $0) + ":" } ?? ""
      spawn.environment["GLIBC_TUNABLES"] = tunables + "glibc.malloc.tcache_count=0"
    }
    do {
      process = try spawn.start()
    } catch {
      close(ends[0])
      throw SpawnError(code: error.code)
    }
    // The limits apply in time: the helper process first waits for a request.
    if let memoryBytes { _ = cprocess_limit(process, memoryBytes) }
    canceller = command.canceller
    canceller?.register(-process)
    silence = StallDetector(process)
    socket = MessageSocket(ends[0])
  }

  // The process ID is released here and only here: it may be that of another process afterwards.
  deinit {
    close(socket.descriptor)
    canceller?.unregister(-process)
    kill(-process, SIGKILL)
    _ = cprocess_wait(process)
  }

  /// The helper process could not be started.
  package struct SpawnError: Error {
    /// An errno value.
    package let code: Int32
  }

  /// Makes the helper process report where it is, if it reports crashes. [any]
  package func interrupt() { kill(process, SIGABRT) }

  // MARK: - End

  /// The interval between checks for the end, in seconds.
  private static let endPollSeconds = 0.01

  /// How the process ended; nil while it runs. [any]
  package var exit: ChildExit? {
    mutating get {
      if ending == nil {
        let status = cprocess_exit_status(process)
        let signal = status & 0x7f
        if status >= 0 {
          ending = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
        }
      }
      return ending
    }
  }

  /// Closes the connection, gives the process time to end by itself, for its true exit status, and then kills it.
  ///
  /// The processes that it started are killed as well. Takes up to `seconds`, and longer for a large process. [any]
  /// - Returns: how it ended.
  @discardableResult
  package mutating func end(within seconds: Double = 1) -> ChildExit {
    shutdown(socket.descriptor, Int32(SHUT_RDWR))
    for _ in 0 ..< Int(seconds / Self.endPollSeconds) where exit == nil { Self.waitForPoll() }
    kill(-process, SIGKILL)
    while exit == nil {
      Self.waitForPoll()
      cprocess_release_threads(process)
    }
    return exit ?? .signalled(SIGKILL)
  }

  private static func waitForPoll() { usleep(UInt32(endPollSeconds * 1e6)) }

  // MARK: - Timeout

  /// The interval between checks, in seconds.
  private static let pollSeconds = 0.1

  /// Waits for data or the end of the stream; returns false if the process hangs for `seconds`.
  /// [any]
  ///
  /// `waiting` is called about ten times a second meanwhile.
  package mutating func waitForData(within seconds: Double, waiting: () -> Void = {}) -> Bool {
    recordActivity()
    while !socket.waitForData(within: min(seconds, Self.pollSeconds)) {
      if isHanging(after: seconds) { return false }
      waiting()
    }
    return true
  }

  /// Restarts the timeout after data was received. [any]
  package mutating func recordActivity() { silence = StallDetector(process) }

  /// Whether the process has hung for the allowed time.
  ///
  /// A process that waits for a processor is given more
  /// time. [any]
  package mutating func isHanging(after seconds: Double) -> Bool {
    silence.isStalled(after: seconds)
  }
}
