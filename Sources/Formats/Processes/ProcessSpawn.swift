// ProcessSpawn.swift: starts processes with explicit descriptors. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// A command to start as a process.
package struct ProcessSpawn {
  /// The program, looked up in `PATH` if it has no slash, and its arguments.
  package var commandLine: [String]
  /// Environment variables that replace those of this process.
  package var environment: [String: String] = [:]
  /// The child's standard input; nil for `/dev/null`.
  package var input: Int32?
  /// The child's standard output; nil for `/dev/null`.
  package var output: Int32?
  /// The child's standard error; nil for `/dev/null`.
  package var errors: Int32?
  /// The only inherited descriptor, which becomes descriptor 3; nil for none.
  package var channel: Int32?
  /// Whether the process leads a process group, so that a signal to the group reaches its children.
  package var leadsGroup = false

  /// Creates a command with `/dev/null` as standard streams.
  package init(_ words: [String]) { self.commandLine = words }

  /// The process could not be started.
  package struct Failure: Error {
    /// An errno value; `ENOENT` if the program does not exist.
    package let code: Int32

    /// A failure by its errno value.
    package init(code: Int32) { self.code = code }
  }

  /// Starts the process with no blocked signals; returns its process ID. [any]
  package func start() throws(Failure) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    if let channel { unsafe posix_spawn_file_actions_adddup2(&actions, channel, 3) }
    for (target, source) in [input, output, errors].enumerated() {
      if let source {
        unsafe posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
      } else {
        let mode = target == 0 ? O_RDONLY : O_WRONLY
        unsafe posix_spawn_file_actions_addopen(&actions, Int32(target), "/dev/null", mode, 0)
      }
    }
    _ = unsafe cprocess_close_from(&actions, channel == nil ? 3 : 4)
    setSignals(&attributes)
    var process: pid_t = 0
    let code = unsafe Self.withCStrings(commandLine) { arguments in
      unsafe Self.withCStrings(variables) {
        unsafe posix_spawnp(&process, commandLine[0], &actions, &attributes, arguments, $0)
      }
    }
    guard code == 0 else { throw Failure(code: code) }
    return process
  }

  /// Resets blocked and ignored signals of the calling thread, which programs do not expect.
  private func setSignals(_ attributes: inout posix_spawnattr_t) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(leadsGroup ? flags | POSIX_SPAWN_SETPGROUP : flags))
  }

  /// The environment, as `NAME=VALUE`.
  private var variables: [String] {
    var variables = environment.map { "\($0)=\($1)" }
    var position = unsafe environ
    while let entry = unsafe position.pointee {
      let text = unsafe String(cString: entry)
      if !environment.keys.contains(where: { text.hasPrefix($0 + "=") }) { variables.append(text) }
      unsafe position += 1
    }
    return variables
  }

  private static func withCStrings<Value>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe body(&pointers)
  }

  /// Waits for the end of a process; returns its `waitpid` status. [any]
  package static func wait(for process: Int32) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status
  }
}
