// SaveLocation.swift: where a rig is saved, and what stands in the way. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
import Rig

/// A manifest's path, and the folder for states beside it.
struct SaveLocation {
  /// Where the manifest lies.
  let folder: String
  /// The folder for states, as the manifest sees it.
  let statesName: String
  /// The folder for states.
  let states: String

  init(_ path: String) {
    let file = URL(fileURLWithPath: path)
    folder = file.deletingLastPathComponent().path
    statesName = file.deletingPathExtension().lastPathComponent + ".state"
    states = "\(folder)/\(statesName)"
  }

  /// Whether there is a folder for the manifest.
  var hasFolder: Bool {
    var isFolder = false
    return FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && isFolder
  }

  /// Makes the folder for states.
  func makeStates() throws(SaveError) {
    do {
      try FileManager.default.createDirectory(atPath: states, withIntermediateDirectories: true)
    } catch {
      throw .notWritten(path: states, reason: SystemReason.text(error))
    }
  }

  /// Copies a file into the folder for states, in the place of what was saved before; it may be that very
  /// file.
  func keep(_ source: String, as name: String) throws(SaveError) {
    let target = "\(states)/\(name)"
    let (from, to) = (URL(fileURLWithPath: source), URL(fileURLWithPath: target))
    guard from.resolvingSymlinksInPath().path != to.resolvingSymlinksInPath().path else { return }
    let fresh = "\(states)/.\(name).new"
    do {
      try WholeFile.check(target, replaces: true)
    } catch {
      throw SaveError(error, path: target)
    }
    do {
      try? FileManager.default.removeItem(atPath: fresh)
      try FileManager.default.copyItem(atPath: source, toPath: fresh)
    } catch {
      throw .notWritten(path: target, reason: SystemReason.text(error))
    }
    // A run that plays from the old one keeps what it has read.
    guard rename(fresh, target) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(fresh)
      throw .notWritten(path: target, reason: reason)
    }
  }

  /// A rig whose plugins have nothing but parameters gets no folder.
  func removeStatesIfEmpty() {
    // rmdir leaves one alone that holds anything.
    rmdir(states)
  }
}

/// Why a rig was not saved.
package enum SaveError: Error, Equatable, CustomStringConvertible {
  /// Something of that name is there already.
  case exists(path: String)
  /// A directory, a device, a pipe or a socket has the name; `kind` says which, with an article.
  case notAFile(path: String, kind: String)
  /// The folder for it is not there.
  case noFolder(path: String)
  /// It could not be written.
  case notWritten(path: String, reason: String)

  /// Why a file could not be written.
  init(_ error: AudioFileError, path: String) {
    self =
      switch error {
      case .notReplaceable(_, let kind): .notAFile(path: path, kind: kind)
      case .isFolder: .notAFile(path: path, kind: "a directory")
      case .outputExists: .exists(path: path)
      case .folderMissing(_, let folder): .noFolder(path: folder)
      case .folderNotWritable(_, _, let reason), .notWritable(_, let reason):
        .notWritten(path: path, reason: reason)
      default: .notWritten(path: path, reason: "\(error)")
      }
  }

  /// One sentence for people.
  package var description: String {
    switch self {
    case .exists(let path):
      "\(path) already exists. Choose another name or use --force."
    case .notAFile(let path, let kind):
      "\(path) is \(kind), which cannot be replaced by a file. Choose another name."
    case .noFolder(let path):
      "No such directory: \(path). Create it first."
    case .notWritten(let path, let reason):
      "\(path) cannot be written: \(reason)."
    }
  }
}
