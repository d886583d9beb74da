// LaunchFolder.swift: the working directory in which the program was started. SPDX-License-Identifier: MIT

import CFiles

/// What relative paths of the user are relative to.
///
/// The working directory of the process may be moved by a plugin while a file is on its way.
package enum LaunchFolder {
  /// The path as an absolute one; unchanged if it is absolute, or if the folder has no name. [any]
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = cfiles_launch_folder() else { return path }
    let base = String(cString: folder)
    return base == "/" ? "/" + path : "\(base)/\(path)"
  }
}
