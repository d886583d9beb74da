// PairedDevices.swift: devices that were paired with a code. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import HostModel

/// The paired devices of this user, in a file of the state directory.
///
/// The file has digests of their tokens, so whoever reads it cannot use them. It is read at each request, so a device
/// that is revoked loses access at once.
package struct PairedDevices: Sendable {
  /// The number of devices; a new one replaces the one that was paired first.
  static let maximumCount = 64
  /// The length of the longest name in characters.
  static let longestNameCount = 40

  /// A device.
  package struct Device: Codable, Sendable, Equatable {
    /// The name that its user gave it.
    package var name: String
    /// When it was paired, in seconds since 1970.
    package var pairedAt: Int
    /// The digest of its token, in hexadecimal digits.
    var tokenDigest: String
  }

  private let path: String

  /// The devices in a file, which need not exist yet.
  package init(path: String) { self.path = path }

  /// The devices of this user or service; nil without a state directory. [any]
  package static func ofUser(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> PairedDevices? {
    StateDirectory.path(environment).map {
      PairedDevices(path: $0 + "/paired-devices.json")
    }
  }

  /// The devices, the oldest first. [any]
  package var all: [Device] {
    (try? Data(contentsOf: URL(fileURLWithPath: path))).flatMap {
      JSONLine.read([Device].self, $0)
    } ?? []
  }

  /// Returns the digest of a device's token if a token is that of a device. [any]
  func contains(_ digest: SHA256.Checksum) -> Bool {
    // Digests of random tokens; the time of the comparison tells nothing about a token.
    let text = digest.hexadecimal
    return all.contains { $0.tokenDigest == text }
  }

  /// Stores a device; returns the name under which it is stored, or nil if the file cannot be written. [any]
  func add(_ name: String, _ token: AccessToken) -> String? {
    var devices = all
    let taken = Set(devices.map(\.name))
    let plain = Self.cleaned(name)
    let free = (2...).lazy.map { "\(plain) \($0)" }.first { !taken.contains($0) } ?? plain
    let stored = taken.contains(plain) ? free : plain
    devices.append(
      Device(name: stored, pairedAt: time(nil), tokenDigest: token.digest.hexadecimal))
    return write(devices.suffix(Self.maximumCount)) ? stored : nil
  }

  /// Removes the device with a name; returns false if there is none or the file cannot be written. [any]
  package func revoke(_ name: String) -> Bool {
    let devices = all
    let rest = devices.filter { $0.name != name }
    return rest.count < devices.count && write(rest[...])
  }

  private func write(_ devices: ArraySlice<Device>) -> Bool {
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return PrivateFile.write(Array(JSONLine.data(Array(devices), isPretty: true)), to: path)
  }

  /// Returns a name without control characters, which would disturb a terminal.
  static func cleaned(_ name: String) -> String {
    let scalars = name.unicodeScalars.filter {
      ![.control, .format, .lineSeparator, .paragraphSeparator].contains(
        $0.properties.generalCategory)
    }
    let text = String(String.UnicodeScalarView(scalars).prefix(longestNameCount))
    let words = text.split(separator: " ").joined(separator: " ")
    return words.isEmpty ? "device" : words
  }
}
