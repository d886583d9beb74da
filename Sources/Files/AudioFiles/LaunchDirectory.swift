// LaunchDirectory.swift: the working directory at the start of the process. SPDX-License-Identifier: MIT

import CFiles

/// The directory that relative paths of the user start from.
///
/// A plugin may change the working directory of the process at any time.
package enum LaunchDirectory {
  /// Returns the absolute path; unchanged if it is absolute or the directory has no name. [any]
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = unsafe cfiles_launch_directory() else {
      return path
    }
    let base = unsafe String(cString: directory)
    return base == "/" ? "/" + path : "\(base)/\(path)"
  }
}
