// Version.swift: the version of the program. SPDX-License-Identifier: MIT

/// The version, as in `CHANGELOG.md`.
enum Version {
  static let text = "0.1.0"
}
