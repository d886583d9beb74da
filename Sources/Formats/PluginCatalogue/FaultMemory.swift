// FaultMemory.swift: the plugins that crashed or stalled in earlier sessions. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// A plugin file, for a fault that may follow.
///
/// The file is examined before the fault, so that a fault never counts for a newer version of the file.
package struct FaultSubject: Sendable, Equatable {
  /// The URI or id of the plugin.
  package let identifier: String
  /// The name for users.
  package let name: String
  /// The file or directory of its code.
  package let path: String
  fileprivate let fingerprint: UInt64

  /// A plugin by its code as it is now. [any]
  package init(identifier: String, name: String, path: String) {
    (self.identifier, self.name, self.path) = (identifier, name, path)
    fingerprint = FileFingerprint(of: [path]).value
  }
}

/// A plugin that crashed or stalled, until its file changes or the user clears it.
package struct RememberedFault: Sendable, Equatable {
  /// The URI or id of the plugin.
  package let identifier: String
  /// The name for users.
  package let name: String
  /// The file or directory of its code.
  package let path: String
  /// What the plugin did, as a phrase after its name.
  package let deed: String
  /// When, in seconds since 1970.
  package let seconds: Int64

  /// The local date, such as 2026-11-26. [any]
  package var day: String {
    var (time, parts) = unsafe (time_t(seconds), tm())
    unsafe localtime_r(&time, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return unsafe "\(parts.tm_year + 1_900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
  }
}

/// One file for each plugin that crashed or stalled, in the state directory of the user.
///
/// A file is replaced as a whole, so it may be read and written by several processes.
package struct FaultMemory: Sendable {
  private static let formatVersion: UInt32 = 1
  private let directory: String

  /// The memory in a directory, which is created on demand.
  package init(directory: String) { self.directory = directory }

  /// The memory of this user; nil without `XDG_STATE_HOME` and `HOME`. [any]
  package static var ofUser: FaultMemory? {
    func variable(_ name: String) -> String? {
      unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap {
        $0.hasPrefix("/") ? $0 : nil
      }
    }
    let state = variable("XDG_STATE_HOME") ?? variable("HOME").map { $0 + "/.local/state" }
    return state.map { FaultMemory(directory: $0 + "/outboard/faults") }
  }

  /// Stores a fault.
  ///
  /// Returns false if it cannot be written, and then the plugin is not isolated the next time. [any but render]
  @discardableResult
  package func record(_ subject: FaultSubject, deed: String) -> Bool {
    var writer = BinaryEncoder()
    writer.write(Self.formatVersion)
    for text in [subject.identifier, subject.name, subject.path, deed] { writer.write(text) }
    writer.write(Int64(time(nil)))
    writer.write(subject.fingerprint)
    return AtomicFile.write(writer.bytes, to: path(of: subject.identifier, subject.path))
  }

  /// Returns the fault of a plugin; nil if there is none for its present file. [any but render]
  package func fault(of identifier: String, at path: String) -> RememberedFault? {
    guard let (fault, fingerprint) = read(self.path(of: identifier, path)),
      fault.identifier == identifier, fault.path == path,
      FileFingerprint(of: [path]).value == fingerprint
    else { return nil }
    return fault
  }

  /// Returns all faults of present files, by name; removes those of files that have changed. [any but render]
  package func takeStock() -> [RememberedFault] {
    OpenDirectory.names(in: directory).filter { $0.allSatisfy(\.isHexDigit) }.compactMap { name in
      let file = "\(directory)/\(name)"
      guard let (fault, fingerprint) = read(file) else { return nil }
      guard FileFingerprint(of: [fault.path]).value == fingerprint else {
        unsafe unlink(file)
        return nil
      }
      return fault
    }.sorted { ($0.name, $0.path) < ($1.name, $1.path) }
  }

  /// Removes a fault. [any but render]
  package func forget(_ fault: RememberedFault) {
    unsafe unlink(path(of: fault.identifier, fault.path))
  }

  /// The path of the file.
  private func path(of identifier: String, _ path: String) -> String {
    var digest = Checksum()
    digest.add(identifier)
    digest.add(path)
    return "\(directory)/\(String(digest.value, radix: 16))"
  }

  private func read(_ path: String) -> (RememberedFault, fingerprint: UInt64)? {
    guard let file = MappedFile(path) else { return nil }
    // The reader stores an address and does not retain the mapping.
    defer { withExtendedLifetime(file) {} }
    var reader = unsafe BinaryDecoder(file.bytes)
    do throws(BinaryDecodingError) {
      guard try reader.number(UInt32.self) == Self.formatVersion else { return nil }
      let (identifier, name) = (try reader.text(), try reader.text())
      let (path, deed) = (try reader.text(), try reader.text())
      let fault = RememberedFault(
        identifier: identifier, name: name, path: path, deed: deed,
        seconds: try reader.number(Int64.self))
      return (fault, try reader.number(UInt64.self))
    } catch {
      return nil
    }
  }
}
