// RenderJobs.swift: mapping of input files to output files. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc

/// The outputs of `render`: one file, or a directory of files.
struct RenderJobs {
  /// One rendering.
  struct Job: Codable, Sendable {
    /// Nil for a rig that generates its own audio; `-` for standard input.
    let input: String?
    /// `-` for standard output.
    let output: String
  }

  let jobs: [Job]
  /// The output directory; nil for a single output file.
  private let directory: String?

  /// Assigns an output to each input.
  ///
  /// - Throws: `UsageError` if two inputs have the same output, or an input is its own output.
  init(of inputs: [String], to output: String, as container: AudioContainer?) throws {
    // A single input needs a file as output. Opening a directory reports the error.
    guard inputs.count > 1 || (inputs.first.map { $0 != "-" } ?? false && Self.isDirectory(output))
    else {
      jobs = [Job(input: inputs.first, output: output)]
      directory = nil
      return
    }
    guard !inputs.contains("-") else {
      throw UsageError("Standard input cannot be one of several inputs. Render it separately.")
    }
    guard output != "-" else {
      throw UsageError(
        "Several inputs need an output directory, e.g. -o wet/.")
    }
    guard Self.isDirectory(output) else {
      throw UsageError(
        "Several inputs need an output directory, and \(output) is not one. To create it, add a"
          + " slash: -o \(output)/.")
    }
    directory = output
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

  /// Creates the directory if its parent exists; returns whether it did not exist before.
  ///
  /// Errors appear when files are opened.
  func createDirectory() -> Bool {
    guard let directory else { return false }
    return unsafe mkdir(directory, 0o777) == 0
  }

  /// Removes the directory unless it has files.
  func removeEmptyDirectory() {
    guard let directory else { return }
    unsafe rmdir(directory)
  }

  /// Whether the path is an existing directory, or ends with a slash.
  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      return path.hasSuffix("/")
    }
    return isDirectory
  }

  /// The input name with the extension of the output format.
  private static func name(of input: String, as container: AudioContainer?) -> String {
    let file = URL(fileURLWithPath: input)
    let inputExtension = AudioContainer(path: input).flatMap {
      $0 == .raw ? nil : file.pathExtension
    }
    let suffix = container?.extensions.first ?? inputExtension ?? "wav"
    return file.deletingPathExtension().lastPathComponent + ".\(suffix)"
  }

  private static func isSame(_ first: String, _ second: String) -> Bool {
    func number(_ path: String) -> (UInt64, UInt64)? {
      var facts = stat()
      guard unsafe stat(path, &facts) == 0 else { return nil }
      return (UInt64(facts.st_ino), UInt64(facts.st_dev))
    }
    guard let first = number(first), let second = number(second) else { return false }
    return first == second
  }
}
