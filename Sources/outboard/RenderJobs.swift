// RenderJobs.swift: which file is rendered to which. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc

/// What `render` was asked to make: one file, or a folder of them.
struct RenderJobs {
  /// One rendering.
  struct Job: Codable, Sendable {
    /// Nil for a rig that makes its own sound; `-` for standard input.
    let input: String?
    /// `-` for standard output.
    let output: String
  }

  let jobs: [Job]
  /// Where they go; nil for a single one that names its file.
  private let folder: String?

  /// Gives each input its output.
  ///
  /// - Throws: what would not go to a file of its own.
  init(of inputs: [String], to output: String, as container: AudioContainer?) throws {
    // A folder by itself is nothing to write to, which is told where files are opened.
    guard inputs.count > 1 || (inputs.first.map { $0 != "-" } ?? false && Self.isFolder(output))
    else {
      jobs = [Job(input: inputs.first, output: output)]
      folder = nil
      return
    }
    guard !inputs.contains("-") else {
      throw UsageError("Standard input cannot be one of several inputs. Render it separately.")
    }
    guard output != "-" else {
      throw UsageError(
        "Several inputs need an output directory, e.g. -o wet/.")
    }
    guard Self.isFolder(output) else {
      throw UsageError(
        "Several inputs need an output directory, and \(output) is not one. To create it, add a"
          + " slash: -o \(output)/.")
    }
    folder = output
    var owners: [String: String] = [:]
    jobs = try inputs.map { input in
      let name = Self.name(of: input, as: container)
      let path = output.hasSuffix("/") ? output + name : "\(output)/\(name)"
      if let other = owners.updateValue(input, forKey: path) {
        throw UsageError(
          "\(other) and \(input) would both be written to \(path). Render them to different"
            + " directories.")
      }
      guard !Self.isSame(input, path) else {
        throw UsageError("\(input) would be overwritten. Name another directory with -o.")
      }
      return Job(input: input, output: path)
    }
  }

  /// Makes the folder where its parent is there; what is against it shows when files are opened.
  func makeFolder() {
    guard let folder else { return }
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
  }

  /// One that is there, or that is meant by its slash.
  private static func isFolder(_ path: String) -> Bool {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return path.hasSuffix("/")
    }
    return isFolder
  }

  /// The input's own name, with the extension of what is written.
  private static func name(of input: String, as container: AudioContainer?) -> String {
    let file = URL(fileURLWithPath: input)
    let own = AudioContainer(path: input).flatMap { $0 == .raw ? nil : file.pathExtension }
    let suffix = container?.extensions.first ?? own ?? "wav"
    return file.deletingPathExtension().lastPathComponent + ".\(suffix)"
  }

  private static func isSame(_ first: String, _ second: String) -> Bool {
    func number(_ path: String) -> (UInt64, UInt64)? {
      var facts = stat()
      guard stat(path, &facts) == 0 else { return nil }
      return (UInt64(facts.st_ino), UInt64(facts.st_dev))
    }
    guard let first = number(first), let second = number(second) else { return false }
    return first == second
  }
}
