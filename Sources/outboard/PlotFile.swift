// PlotFile.swift: a plot that is written to a file. SPDX-License-Identifier: MIT

import AudioFiles
import ErrorModel
import FoundationEssentials
import Glibc
import Metering
import Plotting

/// A file name that was checked before the measurement.
struct PlotFile {
  private let path: String
  private let replaces: Bool

  /// Checks the file name.
  ///
  /// Disk space is checked only when the file is written.
  init(_ path: String, _ replaces: Bool) throws {
    try AudioPlot.checkExtension(path)
    var isDirectory = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
      let message =
        isDirectory
        ? "\(path) is a directory. Name a file."
        : "\(path) already exists. Choose another name or use --force."
      guard replaces, !isDirectory else { throw UsageError(message) }
    }
    try WholeFile.check(path, replaces: replaces)
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileManager.default.isWritableFile(atPath: directory) else {
      throw UsageError(
        "\(path) cannot be written. Its directory is missing or not writable.")
    }
    self.path = path
    self.replaces = replaces
  }

  /// Draws the plot of an analysis.
  func write(_ sound: FileAnalysis) throws { try write(AudioPlot.bytes(of: sound, for: path)) }

  /// Draws the plot of a comparison.
  func write(_ comparison: Comparison) throws {
    try write(ComparisonPlot.bytes(of: comparison, for: path))
  }

  /// Draws curves.
  func write(_ plot: CurvePlot) throws { try write(plot.bytes(for: path)) }

  private func write(_ bytes: [UInt8]) throws {
    do {
      try WholeFile.write(bytes, to: path, replaces: replaces)
    } catch {
      throw PlotWriteError(description: "\(error)")
    }
  }
}

/// A picture could not be written after all.
struct PlotWriteError {
  let description: String
}

extension PlotWriteError: HostError {
  /// A plot that cannot be written is a failure, not a wrong request.
  var kind: ErrorKind { .failure }
}
