// Version.swift: which release this is. SPDX-License-Identifier: MIT

/// The version, as in `CHANGELOG.md`.
enum Version {
  static let text = "0.1.0"
}
