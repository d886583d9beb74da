// PlotFile.swift: a picture of a sound, on its way to a file. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
import Metering
import Plotting
import Rig

/// A name that was found to be good before anything was done.
struct PlotFile {
  private let path: String
  private let replaces: Bool

  /// Checks the name; whether there is room shows when it is written.
  init(_ path: String, _ replaces: Bool) throws {
    try AudioPlot.checkKind(path)
    var isFolder = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      let sentence =
        isFolder
        ? "\(path) is a directory. Name a file."
        : "\(path) already exists. Choose another name or use --force."
      guard replaces, !isFolder else { throw UsageError(sentence) }
    }
    try WholeFile.check(path, replaces: replaces)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileManager.default.isWritableFile(atPath: folder) else {
      throw UsageError(
        "\(path) cannot be written. Its directory is missing or not writable.")
    }
    self.path = path
    self.replaces = replaces
  }

  /// Draws a sound that was analysed for it.
  func write(_ sound: FileAnalysis) throws {
    let bytes = try AudioPlot.bytes(of: sound, for: path)
    do {
      try WholeFile.write(Array(bytes), to: path, replaces: replaces)
    } catch {
      throw PlotWriteError(description: "\(error)")
    }
  }
}

/// A picture could not be written after all.
struct PlotWriteError: Error, CustomStringConvertible {
  let description: String
}
