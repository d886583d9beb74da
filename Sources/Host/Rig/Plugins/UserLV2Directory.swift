// UserLV2Directory.swift: where the user's own LV2 bundles go. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import LV2Host

/// The folder for bundles that are saved.
package enum UserLV2Directory {
  /// The user's own if hosts look into it, else the first that they look into and that can be written
  /// to. [any]
  package static var folder: String {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"] ?? ""
    let own = home + "/.lv2"
    let folders = LV2Directories.folders(ofPath: environment["LV2_PATH"], home: home)
    guard !folders.contains(own) else { return own }
    return folders.first { FileManager.default.isWritableFile(atPath: $0) } ?? own
  }
}
