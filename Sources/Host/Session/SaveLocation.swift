// SaveLocation.swift: the location of a saved rig. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
import Installation

/// The path of a rig file, and the directory for states next to it.
struct SaveLocation {
  /// The directory of the rig file.
  let directory: String
  /// The directory for states, relative to the rig file.
  let statesName: String
  /// The directory for states.
  let states: String

  init(_ path: String) {
    let file = URL(fileURLWithPath: path)
    directory = file.deletingLastPathComponent().path
    statesName = file.deletingPathExtension().lastPathComponent + ".state"
    states = "\(directory)/\(statesName)"
  }

  /// Whether the directory of the rig file exists.
  var hasDirectory: Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory)
      && isDirectory
  }

  /// Creates the directory for states.
  func makeStates() throws(SaveError) {
    do {
      try FileManager.default.createDirectory(atPath: states, withIntermediateDirectories: true)
    } catch {
      throw .notWritten(path: states, reason: SystemReason.text(error))
    }
  }

  /// Copies a file into the directory for states and replaces the previous one, which can be the same file.
  func keep(_ source: String, as name: String) throws(SaveError) {
    let target = "\(states)/\(name)"
    let (from, to) = (URL(fileURLWithPath: source), URL(fileURLWithPath: target))
    guard from.resolvingSymlinksInPath().path != to.resolvingSymlinksInPath().path else { return }
    let temporary = "\(states)/.\(name).new"
    do {
      try WholeFile.check(target, replaces: true)
    } catch {
      throw SaveError(error, path: target)
    }
    do {
      try? FileManager.default.removeItem(atPath: temporary)
      try FileManager.default.copyItem(atPath: source, toPath: temporary)
    } catch {
      throw .notWritten(path: target, reason: SystemReason.text(error))
    }
    // A session that plays the old file keeps its contents.
    guard unsafe rename(temporary, target) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      unsafe unlink(temporary)
      throw .notWritten(path: target, reason: reason)
    }
  }

  /// A rig without states needs no directory.
  func removeStatesIfEmpty() {
    // rmdir fails if the directory is not empty.
    unsafe rmdir(states)
  }
}
