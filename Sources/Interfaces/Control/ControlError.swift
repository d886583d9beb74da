// ControlError.swift: why a run cannot be reached. SPDX-License-Identifier: MIT

package import ErrorModel
package import HostModel

/// Why a command did not reach its session.
package enum ControlError: HostError, Equatable {
  /// No session runs.
  case noSession
  /// Sessions are running, but none with that name.
  case unknown(name: String, running: [String])
  /// Several sessions are running, and none was named.
  case ambiguous(running: [String])
  /// The session did not answer within `seconds`; `process` is its process ID, if known.
  case noResponse(name: String, seconds: Double, process: Int32?)
  /// The session closed the connection without an answer.
  case ended(name: String)
  /// The answer cannot be read.
  case protocolError(name: String)
  /// The only directory for sockets is not safe.
  case untrusted(remark: String)
  /// The directory for the sockets cannot be used.
  case unusableDirectory(path: String, reason: String)
  /// The socket cannot be made.
  case noSocket(path: String, reason: String)
  /// The run answered that it could not.
  case refused(ErrorInfo)

  /// The message for users.
  package var description: String {
    switch self {
    case .noSession:
      "No running session. Start one with `outboard run`."
    case .unknown(let name, let running):
      "No such session: \(name); \(Self.list(running))."
    case .ambiguous(let running):
      "Several sessions are running: \(running.joined(separator: ", ")). Choose one with --session NAME."
    case .noResponse(let name, let seconds, let process):
      Self.silence(name, seconds, process)
    case .ended(let name):
      "The session \(name) closed the connection without a reply. It has probably ended."
    case .protocolError(let name):
      "The reply of the session \(name) cannot be read. It may be another version of outboard."
    case .untrusted(let remark):
      "No running session can be trusted: \(remark)"
    case .unusableDirectory(let path, let reason):
      "The directory \(path) cannot be used (\(reason)). Other commands cannot reach this session."
    case .noSocket(let path, let reason):
      "The socket \(path) cannot be created (\(reason)). Other commands cannot reach this session."
    case .refused(let error):
      error.message
    }
  }

  /// The kind of error.
  package var kind: ErrorKind {
    switch self {
    case .noSession, .unknown, .ambiguous: .usage
    case .noResponse, .ended, .protocolError, .untrusted, .unusableDirectory, .noSocket: .failure
    case .refused(let error): error.kind
    }
  }

  /// The exit status of a program that ends because of this error.
  package var exitStatus: Int32 {
    switch self {
    case .refused(let error): error.exitStatus
    // A script can start the session, while a wrong request stays wrong.
    case .noSession, .unknown: 4
    default: kind.exitStatus
    }
  }

  /// The error of the session, or the name of the session.
  package var fields: [String: String] {
    switch self {
    case .unknown(let name, _), .noResponse(let name, _, _), .ended(let name),
      .protocolError(let name):
      ["session": name]
    case .unusableDirectory(let path, _), .noSocket(let path, _): ["path": path]
    case .refused(let error): error.fields
    case .noSession, .ambiguous, .untrusted: [:]
    }
  }

  private static func silence(_ name: String, _ seconds: Double, _ process: Int32?) -> String {
    let start = "The session \(name) does not reply within \(Int(seconds)) s"
    guard let process else { return start + "; it is stopped or hangs." }
    return ProcessState.isStopped(process)
      ? start + ", as process \(process) is stopped; `kill -CONT \(process)` continues it."
      : start + "; process \(process) may hang."
  }

  private static func list(_ names: [String]) -> String {
    "running: \(names.joined(separator: ", "))"
  }
}
