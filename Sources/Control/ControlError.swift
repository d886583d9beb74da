// ControlError.swift: why a run cannot be reached. SPDX-License-Identifier: MIT

/// What stands between a command and the run that it is for.
package enum ControlError: Error, Equatable, CustomStringConvertible {
  /// Nothing runs.
  case nothingRuns
  /// Something runs, but nothing of that name.
  case unknown(name: String, running: [String])
  /// Several run, and none was named.
  case ambiguous(running: [String])
  /// It does not answer.
  case silent(name: String)
  /// The folder for the sockets cannot be used.
  case unusableFolder(path: String, reason: String)
  /// The socket cannot be made.
  case noSocket(path: String, reason: String)
  /// The run answered that it could not.
  case refused(message: String, status: Int)

  /// One sentence for people.
  package var description: String {
    switch self {
    case .nothingRuns:
      "Nothing runs that could be reached; start something with `outboard run`."
    case .unknown(let name, let running):
      "No run is called \(name); \(Self.list(running))."
    case .ambiguous(let running):
      "Several runs can be reached: \(running.joined(separator: ", ")); say which with --run NAME."
    case .silent(let name):
      "The run \(name) does not answer; it may hang, or it has just ended."
    case .unusableFolder(let path, let reason):
      "The folder \(path) cannot be used (\(reason)), so this run cannot be reached from others."
    case .noSocket(let path, let reason):
      "The socket \(path) cannot be made (\(reason)), so this run cannot be reached from others."
    case .refused(let message, _):
      message
    }
  }

  /// The exit status that it stands for.
  package var exitStatus: Int32 {
    switch self {
    case .nothingRuns, .unknown, .ambiguous: 2
    case .silent, .unusableFolder, .noSocket: 1
    case .refused(_, let status): Int32(clamping: status)
    }
  }

  private static func list(_ names: [String]) -> String {
    names.count == 1 ? "\(names[0]) runs" : "there are \(names.joined(separator: ", "))"
  }
}
