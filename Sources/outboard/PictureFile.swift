// PictureFile.swift: a picture of a sound, on its way to a file. SPDX-License-Identifier: MIT

import Foundation
import Metering
import Plotting

/// A name that was found to be good before anything was done.
struct PictureFile {
  private let path: String

  /// Checks the name; whether there is room shows when it is written.
  init(_ path: String, _ replaces: Bool) throws {
    try SoundPicture.checkKind(path)
    var isFolder = ObjCBool(false)
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      let sentence =
        isFolder.boolValue
        ? "\(path) is a folder; name a file."
        : "\(path) exists already; use --force to overwrite it, or choose another name."
      guard replaces, !isFolder.boolValue else { throw Refusal(sentence) }
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileManager.default.isWritableFile(atPath: folder) else {
      throw Refusal(
        "\(path) cannot be written: its folder is not there, or not yours.")
    }
    self.path = path
  }

  /// Draws a sound that was analysed for it.
  func write(_ sound: FileAnalysis) throws {
    let bytes = try SoundPicture.bytes(of: sound, for: path)
    do {
      // Whole or not at all.
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw PictureFailure(description: "\(path) cannot be written: \(error.localizedDescription)")
    }
  }
}

/// A picture could not be written after all.
struct PictureFailure: Error, CustomStringConvertible {
  let description: String
}
