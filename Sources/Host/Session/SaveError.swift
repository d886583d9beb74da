// SaveError.swift: why a rig was not saved. SPDX-License-Identifier: MIT

import AudioFiles

/// The reason why a rig was not saved.
package enum SaveError: Error, Equatable, CustomStringConvertible {
  /// The path already exists.
  case exists(path: String)
  /// The path is a directory, a device, a pipe or a socket; `kind` names it, with an article.
  case notAFile(path: String, kind: String)
  /// The directory does not exist.
  case noDirectory(path: String)
  /// The file could not be written.
  case notWritten(path: String, reason: String)
  /// The rig could not be read again.
  case notReadable(path: String, reason: String)
  /// The session was started without a rig file.
  case noFile
  /// The rig file of the session belongs to the program.
  case partOfProgram(path: String)
  /// The rig file has changed since the session read or wrote it.
  case changed(path: String)

  /// The reason why a file could not be written.
  init(_ error: AudioFileError, path: String) {
    self =
      switch error {
      case .notReplaceable(_, let kind): .notAFile(path: path, kind: kind)
      case .isDirectory: .notAFile(path: path, kind: "a directory")
      case .outputExists: .exists(path: path)
      case .directoryMissing(_, let directory): .noDirectory(path: directory)
      case .directoryNotWritable(_, _, let reason), .notWritable(_, let reason):
        .notWritten(path: path, reason: reason)
      default: .notWritten(path: path, reason: "\(error)")
      }
  }

  /// The message to the user.
  package var description: String {
    switch self {
    case .exists(let path):
      "\(path) already exists. Choose another name or use --force."
    case .notAFile(let path, let kind):
      "\(path) is \(kind), which cannot be replaced by a file. Choose another name."
    case .noDirectory(let path):
      "No such directory: \(path). Create it first."
    case .notWritten(let path, let reason):
      "\(path) cannot be written: \(reason)."
    case .notReadable(let path, let reason):
      "\(path) was not written, because the rig could not be read again: \(reason)"
    case .noFile:
      "The session was started without a rig file. Give the name of a file."
    case .partOfProgram(let path):
      "\(path) belongs to the program, and an update would replace it. Give the name of another file."
    case .changed(let path):
      "\(path) has changed since the session read it. Give the name of another file, or use --force."
    }
  }
}
