// ChildProcess.swift: a helper process and the reason for its end. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc
internal import Processes

/// How a helper process ended.
package enum ChildExit: Equatable {
  /// A signal ended it.
  case signalled(Int32)
  /// It called exit.
  case exited(Int32)
  /// It gave no sign of life before the timeout and was killed.
  case timedOut(seconds: Double)
  /// It could not be started; an errno value.
  case notStarted(Int32)
  /// It sent invalid data and was killed.
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
      "could not start a helper process (\(String(cString: strerror(code))))"
    case .protocolError: "sent invalid data to the host process"
    }
  }
}

/// A running helper process with its socket.
package struct ChildProcess: ~Copyable {
  private let process: pid_t
  private let ender: ChildProcessCanceller?
  private var hasEnded = false
  private var silence: StallDetector
  /// The parent's end of the socket.
  package var socket: MessageSocket

  /// Starts a helper process with limits.
  ///
  /// It is killed when this value is destroyed. [any]
  package init(_ command: ChildCommand, memoryBytes: UInt64) throws(SpawnError) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SpawnError(code: errno) }
    defer { close(ends[1]) }
    var spawn = ProcessSpawn([command.executable] + command.arguments)
    spawn.channel = ends[1]
    // Processes that foreign code starts are killed with the helper process.
    spawn.leadsGroup = true
    // No Swift backtrace, which takes seconds per crash. Names are in their original language, so that the cache
    // does not depend on the user's locale.
    spawn.environment = ["SWIFT_BACKTRACE": "enable=no", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"]
    if !command.cachesSmallMemory {
      let tunables = getenv("GLIBC_TUNABLES").map { String(cString: $0) + ":" } ?? ""
      spawn.environment["GLIBC_TUNABLES"] = tunables + "glibc.malloc.tcache_count=0"
    }
    do {
      process = try spawn.start()
    } catch {
      close(ends[0])
      throw SpawnError(code: error.code)
    }
    // The limits apply in time: the helper process first waits for a request.
    _ = cprocess_limit(process, memoryBytes)
    ender = command.ender
    ender?.register(-process)
    silence = StallDetector(process)
    socket = MessageSocket(ends[0])
  }

  deinit {
    guard !hasEnded else { return }
    close(socket.descriptor)
    ender?.unregister(-process)
    _ = Self.reap(process)
  }

  /// The helper process could not be started.
  package struct SpawnError: Error {
    /// An errno value.
    package let code: Int32
  }

  /// Makes the helper process report where it is, if it reports crashes. [any]
  package func interrupt() { kill(process, SIGABRT) }

  /// Waits for the end of a helper process that has closed its socket. [any]
  package mutating func end() -> ChildExit {
    hasEnded = true
    close(socket.descriptor)
    ender?.unregister(-process)
    let status = Self.wait(for: process, seconds: 1)
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
  }

  /// Returns the status of an ending process.
  ///
  /// Kills a process that has only closed its socket.
  private static func wait(for process: pid_t, seconds: Int) -> Int32 {
    for _ in 0 ..< seconds * 100 {
      var ended = siginfo_t()
      let options = WEXITED | WNOHANG | WNOWAIT
      if waitid(P_PID, id_t(process), &ended, options) != 0 || ended.si_signo != 0 { break }
      usleep(10_000)
    }
    return reap(process)
  }

  /// Kills a helper process and the processes that it started, and returns its status.
  ///
  /// `waitpid` comes last: until then no other process can get its process ID.
  private static func reap(_ process: pid_t) -> Int32 {
    kill(-process, SIGKILL)
    return ProcessSpawn.wait(for: process)
  }

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
  mutating func recordActivity() { silence = StallDetector(process) }

  /// Whether the process has hung for the allowed time.
  ///
  /// A process that waits for a processor is given more
  /// time. [any]
  mutating func isHanging(after seconds: Double) -> Bool { silence.isStalled(after: seconds) }
}
