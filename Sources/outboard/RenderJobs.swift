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
  /// - Throws: `UsageError` if two inputs have the same output, or an output is one of the inputs;
  ///   `AudioFileError` if the directory is missing and this user cannot create it.
  init(of inputs: [String], to output: String, as container: AudioContainer?) throws {
    // A single input needs a file as output. Opening a directory reports the error.
    guard inputs.count > 1 || (inputs.first.map { $0 != "-" } ?? false && Self.isDirectory(output))
    else {
      let name = output.split(separator: "/").last ?? ""
      guard
        name.contains(".") || output == "-" || container != nil
          || (unsafe access(output, F_OK)) == 0
      else {
        throw UsageError(
          "\(output) has no extension, which selects the file format. Write e.g. \(output).wav, or"
            + " \(output)/ for a directory.")
      }
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
    try Self.checkParent(of: output)
    directory = output
    let files = inputs.compactMap { input in FileNumber(input).map { (input, $0) } }
    var owners: [String: String] = [:]
    jobs = try inputs.map { input in
      let name = Self.name(of: input, as: container)
      let path = output.hasSuffix("/") ? output + name : "\(output)/\(name)"
      if let other = owners.updateValue(input, forKey: path) {
        throw UsageError(
          "\(other) and \(input) would both be written to \(path). Render them to different"
            + " directories.")
      }
      // Also the output of another input can be a link to this one.
      let number = FileNumber(path)
      if let (overwritten, _) = files.first(where: { $0.1 == number }) {
        throw UsageError("\(overwritten) would be overwritten. Name another directory with -o.")
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

  /// Checks that this user may create a missing directory.
  private static func checkParent(of directory: String) throws(AudioFileError) {
    guard unsafe access(directory, F_OK) != 0 else { return }
    let parents = directory.split(separator: "/").dropLast().joined(separator: "/")
    let parent = directory.hasPrefix("/") ? "/\(parents)" : parents.isEmpty ? "." : parents
    // A parent that does not exist is reported when the file is opened.
    guard unsafe access(parent, W_OK | X_OK) != 0, errno != ENOENT, errno != ENOTDIR else { return }
    throw .directoryNotWritable(
      path: directory, directory: parent, reason: unsafe String(cString: strerror(errno)))
  }

  /// Identifies an existing file, whatever links lead to it.
  private struct FileNumber: Equatable {
    let device: dev_t
    let number: ino_t

    init?(_ path: String) {
      var facts = stat()
      guard unsafe stat(path, &facts) == 0 else { return nil }
      (device, number) = (facts.st_dev, facts.st_ino)
    }
  }
}
