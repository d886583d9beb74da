// DeviceStore.swift: results of `outboard find-period`, used by `outboard run`. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
import Installation
package import Manifests

/// The file with the saved results of `find-period`.
///
/// Users may edit the file. An entry is changed in its lines; everything else, including comments, is kept. A change
/// is written to a copy that replaces the file, so the file is always complete.
package struct DeviceStore: Sendable {
  /// The path of the file.
  package let file: String

  /// Returns the file of the user in `$XDG_CONFIG_HOME` or `~/.config`; nil if neither variable is set. [any]
  package static var defaultStore: DeviceStore? {
    let directory =
      InstallPaths.variable("XDG_CONFIG_HOME")
      ?? InstallPaths.variable("HOME").map { $0 + "/.config" }
    return directory.map { DeviceStore(file: $0 + "/outboard/devices.yaml") }
  }

  /// Creates a store for a file that may not exist yet.
  package init(file: String) { self.file = file }

  /// Returns the stored devices, in the file's order; empty if there is no file. [main]
  ///
  /// - Throws: `ManifestError` with every error in the file.
  package func devices() throws(ManifestError) -> [StoredDevice] {
    try DeviceStoreReader.entries(in: text() ?? "", file: file).map(\.device)
  }

  /// Writes an entry; replaces the one for the same card and rate. [main]
  ///
  /// - Throws: `ManifestError` if the file is invalid, cannot be written, or has a form that cannot be edited
  ///   by lines.
  package func store(_ device: StoredDevice) throws(ManifestError) {
    var devices = try devices()
    if let index = devices.firstIndex(where: { $0.key == device.key }) {
      devices[index] = device
    } else {
      devices.append(device)
    }
    try edit(to: devices) { lines, entries in
      if let entry = entries.first(where: { $0.device.key == device.key }) {
        let numbers = [(entry.period, device.periodFrames), (entry.periods, device.periodCount)]
        // Delete from the end: both can be on one line.
        for (position, number) in numbers.sorted(by: { $0.0 > $1.0 }) {
          Self.replaceNumber(in: &lines, at: position, with: number)
        }
      } else {
        Self.append(device, to: &lines, after: entries.last)
      }
    }
  }

  /// Removes the entry for a card and rate; whether there was one. [main]
  ///
  /// - Throws: as `store`.
  package func remove(_ key: StoredDevice.Key) throws(ManifestError) -> Bool {
    let devices = try devices()
    let rest = devices.filter { $0.key != key }
    guard rest.count < devices.count else { return false }
    try edit(to: rest) { lines, entries in
      guard let entry = entries.first(where: { $0.device.key == key }) else { return }
      lines.removeSubrange(entry.firstLine - 1 ... entry.lastLine - 1)
    }
    return true
  }

  // MARK: - Editing

  /// Edits the lines of the text, and accepts the result only if it has the intended entries.
  private func edit(
    to devices: [StoredDevice], _ change: (inout [String], [StoredEntry]) -> Void
  ) throws(ManifestError) {
    let before = try text() ?? Self.heading
    let entries = try DeviceStoreReader.entries(in: before, file: file)
    var lines = before.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    change(&lines, entries)
    let after = lines.joined(separator: "\n") + "\n"
    let result = try? DeviceStoreReader.entries(in: after, file: file).map(\.device)
    guard result == devices else {
      throw ManifestError(
        file,
        fault: .reported(
          message: "its layout cannot be edited. Write each device as a list item with one key"
            + " per line, or remove the file."))
    }
    try write(after)
  }

  private static let heading = """
    # The smallest stable periods of sound cards, saved by `outboard find-period --save`.
    \(DeviceStoreReader.versionLine)
    devices:

    """

  private static func block(_ device: StoredDevice, indent: String) -> [String] {
    var lines = ["- card: \(quoted(device.key.card))"]
    if !device.key.name.isEmpty { lines.append("  name: \(quoted(device.key.name))") }
    lines += [
      "  rate: \(device.key.sampleRateHz)", "  period: \(device.periodFrames)",
      "  periods: \(device.periodCount)",
    ]
    return lines.map { indent + $0 }
  }

  private static func replaceNumber(
    in lines: inout [String], at position: SourcePosition, with number: Int
  ) {
    guard lines.indices ~= position.line - 1 else { return }
    let line = lines[position.line - 1].unicodeScalars
    let before = line.prefix(position.column - 1)
    let after = line.dropFirst(position.column - 1).drop { ("0" ... "9").contains($0) }
    lines[position.line - 1] = "\(String(before))\(number)\(String(after))"
  }

  /// Card names can contain any character, so they are always quoted.
  private static func quoted(_ text: String) -> String {
    let escaped = text.map { letter in
      switch letter {
      case "\"": "\\\""
      case "\\": "\\\\"
      default: letter.isNewline || letter == "\t" ? " " : String(letter)
      }
    }
    return "\"\(escaped.joined())\""
  }

  private static func append(
    _ device: StoredDevice, to lines: inout [String], after last: StoredEntry?
  ) {
    if let last {
      let indent = lines[last.firstLine - 1].prefix { $0 == " " }
      lines.insert(contentsOf: block(device, indent: String(indent)), at: last.lastLine)
    } else if let list = lines.firstIndex(where: { $0.hasPrefix("devices:") }) {
      // An empty list can be written explicitly.
      lines[list] = "devices:"
      lines.insert(contentsOf: block(device, indent: "  "), at: list + 1)
    } else {
      if !lines.contains(where: { $0.hasPrefix("outboard-devices:") }) {
        lines.append(DeviceStoreReader.versionLine)
      }
      lines += ["devices:"] + block(device, indent: "  ")
    }
  }

  // MARK: - The file

  /// Returns the text of the file; nil if it does not exist.
  private func text() throws(ManifestError) -> String? {
    do throws(ManifestError) {
      return try ManifestFile.text(atPath: file)
    } catch {
      guard error.diagnostics.first?.fault == .fileMissing else { throw error }
      return nil
    }
  }

  /// Replaces the file, or the target if the file is a link.
  private func write(_ text: String) throws(ManifestError) {
    let target = URL(fileURLWithPath: file).resolvingSymlinksInPath()
    do {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try WholeFile.write(text, to: file, replaces: true)
    } catch let error as AudioFileError {
      throw ManifestError(file, fault: .reported(message: Self.reason(error)))
    } catch {
      throw ManifestError(
        file,
        fault: .reported(message: "it cannot be written: \(SystemReason.text(error))."))
    }
  }

  /// Returns why the file cannot be written; the path precedes this text.
  private static func reason(_ error: AudioFileError) -> String {
    switch error {
    case .notReplaceable(_, let kind): "it is \(kind), which cannot be replaced by a file."
    case .directoryNotWritable(_, _, let reason), .notWritable(_, let reason):
      "it cannot be written: \(reason)."
    default: "it cannot be written: \(error)"
    }
  }
}
