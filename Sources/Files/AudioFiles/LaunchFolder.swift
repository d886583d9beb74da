// LaunchFolder.swift: the working directory at the start of the process. SPDX-License-Identifier: MIT

import CFiles

/// What relative paths of the user are relative to.
///
/// The working directory of the process may be moved by a plugin while a file is on its way.
package enum LaunchFolder {
  /// Returns the absolute path; unchanged if it is absolute or the directory has no name. [any]
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = cfiles_launch_folder() else { return path }
    let base = String(cString: folder)
    return base == "/" ? "/" + path : "\(base)/\(path)"
  }
}
