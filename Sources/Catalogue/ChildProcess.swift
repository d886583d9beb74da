// ChildProcess.swift: a child, from its start to the reason for its end. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// How a child came to its end.
package enum ChildEnd: Equatable {
  /// It was ended by a signal.
  case signalled(Int32)
  /// It left by itself.
  case exited(Int32)
  /// It gave no sign of life for so many seconds, and was killed.
  case silent(seconds: Double)
  /// It could not be started; an errno value.
  case notStarted(Int32)
  /// It said what it should not, and was killed.
  case garbled

  var isSilence: Bool {
    if case .silent = self { return true }
    return false
  }

  /// How it ended, as the middle of a sentence after the plugin's name. [any]
  package var words: String {
    switch self {
    case .signalled(SIGABRT): "aborted (signal 6)"
    case .signalled(SIGSEGV): "crashed (signal 11, segmentation fault)"
    case .signalled(SIGFPE): "crashed (signal 8, arithmetic)"
    case .signalled(SIGILL): "crashed (signal 4, illegal instruction)"
    case .signalled(SIGBUS): "crashed (signal 7, bus error)"
    case .signalled(let signal): "was ended by signal \(signal)"
    case .exited(let status): "ended the process (exit status \(status))"
    case .silent(let seconds): "did not come back within \(Int(seconds.rounded())) s"
    case .notStarted(let code):
      "was not tried, as no process could be started (\(String(cString: strerror(code))))"
    case .garbled: "disturbed the process that read it"
    }
  }
}

/// A running child with its socket.
package struct ChildProcess: ~Copyable {
  private let process: pid_t
  private let ender: ChildEnder?
  private var hasEnded = false
  private var silence: Silence
  /// The parent's end.
  package var socket: MessageSocket

  /// Starts a child with its limits; killed, should it still run, with this value. [any]
  package init(_ command: ChildCommand, memoryBytes: UInt64) throws(StartFault) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw StartFault(code: errno) }
    var process: pid_t = 0
    let code = Self.spawn(command, socket: ends[1], &process)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw StartFault(code: code)
    }
    // The limits are the child's own from its first instruction that matters: it waits for a request.
    _ = cprocess_limit(process, memoryBytes)
    self.process = process
    ender = command.ender
    ender?.enter(process)
    silence = Silence(process)
    socket = MessageSocket(ends[0])
  }

  deinit {
    guard !hasEnded else { return }
    close(socket.descriptor)
    ender?.leave(process)
    kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
  }

  /// The child could not be started.
  package struct StartFault: Error {
    /// An errno value.
    package let code: Int32
  }

  /// Waits for the end of a child that has hung up. [any]
  package mutating func end() -> ChildEnd {
    hasEnded = true
    close(socket.descriptor)
    ender?.leave(process)
    let status = Self.wait(for: process, seconds: 1)
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
  }

  /// The status of a process that is ending; one that has only closed its socket is killed.
  private static func wait(for process: pid_t, seconds: Int) -> Int32 {
    var status: Int32 = 0
    for _ in 0 ..< seconds * 100 {
      if waitpid(process, &status, WNOHANG) == process { return status }
      usleep(10_000)
    }
    kill(process, SIGKILL)
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status
  }

  // MARK: - Silence

  /// Waits until the child says something, or is gone; false if it hangs. [any]
  package mutating func hasNews(within seconds: Double) -> Bool {
    heard()
    while !socket.hasNews(within: seconds) {
      if isHanging(after: seconds) { return false }
    }
    return true
  }

  /// The child has said something. [any]
  mutating func heard() { silence = Silence(process) }

  /// Whether a child that has been silent for so long hangs; else it is to be given as long again,
  /// as others have the processor. [any]
  mutating func isHanging(after seconds: Double) -> Bool { silence.isHang(after: seconds) }

  // MARK: - Starting

  private static func spawn(
    _ command: ChildCommand, socket: Int32, _ process: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, socket, ChildRequest.childSocket)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    cprocess_close_from(&actions, ChildRequest.childSocket + 1)
    return withCStrings([command.executable] + command.arguments) { arguments in
      withCStrings(environment()) { environment in
        posix_spawn(&process, command.executable, &actions, nil, arguments, environment)
      }
    }
  }

  /// This process's environment, but: no backtrace of Swift's, which takes seconds for each crash,
  /// and names in the language of their makers, so that the cache does not depend on the user's.
  private static func environment() -> [String] {
    var variables: [String] = []
    var position = environ
    while let entry = position.pointee {
      let text = String(cString: entry)
      let isReplaced = ["SWIFT_BACKTRACE=", "LANG=", "LC_ALL="].contains { text.hasPrefix($0) }
      if !isReplaced { variables.append(text) }
      position += 1
    }
    return variables + ["SWIFT_BACKTRACE=enable=no", "LANG=C.UTF-8", "LC_ALL=C.UTF-8"]
  }

  private static func withCStrings<Value>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    return body(&pointers)
  }
}
