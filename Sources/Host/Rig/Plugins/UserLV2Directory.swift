// UserLV2Directory.swift: the directory of the user's LV2 bundles. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import LV2Host

/// The directory for saved bundles.
package enum UserLV2Directory {
  /// The LV2 directory of the user if hosts search it, otherwise the first writable one that they search. [any]
  package static var folder: String {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"] ?? ""
    let own = home + "/.lv2"
    let folders = LV2Directories.folders(ofPath: environment["LV2_PATH"], home: home)
    guard !folders.contains(own) else { return own }
    return folders.first { FileManager.default.isWritableFile(atPath: $0) } ?? own
  }
}
