// SessionErrors.swift: the kinds of the session's errors. SPDX-License-Identifier: MIT

package import ErrorModel

extension SessionError: HostError {
  /// Session errors are errors of the rig or the command line, apart from those of plugins.
  package var kind: ErrorKind {
    if case .workerFailed = self { .failure } else { .usage }
  }
}

extension EditError: HostError {
  /// There is nothing to undo or redo.
  package var kind: ErrorKind { .usage }
}

extension SetValueError: HostError {
  /// No such node, parameter or value.
  package var kind: ErrorKind { .usage }
}

extension NodeCommandError: HostError {
  /// The node cannot do that now.
  package var kind: ErrorKind { .usage }
  /// The node.
  package var fields: [String: String] { ["node": node] }
}

extension SaveError: HostError {
  /// A request without a usable file is wrong; the others are failures.
  package var kind: ErrorKind {
    switch self {
    case .noFile, .partOfProgram: .usage
    default: .failure
    }
  }
  /// The file or directory at fault.
  package var fields: [String: String] {
    switch self {
    case .exists(let path), .notAFile(let path, _), .noDirectory(let path),
      .notWritten(let path, _), .notReadable(let path, _), .partOfProgram(let path),
      .changed(let path):
      ["path": path]
    case .noFile: [:]
    }
  }
}

extension BlackBoxError: HostError {
  /// The directory could not be written.
  package var kind: ErrorKind { .failure }
  /// The directory at fault.
  package var fields: [String: String] {
    switch self {
    case .exists(let path), .noDirectory(let path), .notWritten(let path, _): ["path": path]
    case .empty: [:]
    }
  }
}

extension PresetSavingError: HostError {
  /// Whether the request or the writing was at fault.
  package var kind: ErrorKind { isUsageError ? .usage : .failure }
}

extension LatencyError: HostError {
  /// Both directions are needed; everything else is a measurement that failed.
  package var kind: ErrorKind { if case .missingDirection = self { .usage } else { .failure } }
}
