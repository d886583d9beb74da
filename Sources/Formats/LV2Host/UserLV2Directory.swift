// UserLV2Directory.swift: the directory of the user's LV2 bundles. SPDX-License-Identifier: MIT

internal import Glibc

/// The directory for saved bundles.
package enum UserLV2Directory {
  /// The LV2 directory of the user if hosts search it, otherwise the first writable one that they search. [any]
  package static var directory: String {
    let home = LV2Environment.home
    let userDirectory = home + "/.lv2"
    let directories = LV2Directories.directories(ofPath: LV2Environment.path, home: home)
    guard !directories.contains(userDirectory) else { return userDirectory }
    return directories.first { access($0, W_OK) == 0 } ?? userDirectory
  }
}

/// The environment variables that say where LV2 bundles are.
enum LV2Environment {
  /// `LV2_PATH`; nil if it is not set.
  static var path: String? { variable("LV2_PATH") }
  /// The home directory; empty if it is unknown.
  static var home: String { variable("HOME") ?? "" }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
