// BlackBoxDirectory.swift: the directory of `run --black-box`. SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import Glibc

/// The directory that automatic black boxes are saved in.
enum BlackBoxDirectory {
  /// Returns the absolute path of a writable directory, which is created if it does not exist.
  static func path(_ path: String) throws -> String {
    let directory = URL(fileURLWithPath: path).standardizedFileURL.path
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw ValidationError("--black-box \(path) is not a directory and cannot be created.")
    }
    guard unsafe access(directory, W_OK) == 0 else {
      throw ValidationError("--black-box \(path) is not writable. Choose another directory.")
    }
    return directory
  }
}
