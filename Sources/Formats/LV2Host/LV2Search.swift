// LV2Search.swift: search for LV2 bundles. SPDX-License-Identifier: MIT

package import PluginCatalogue

/// Finds LV2 bundles in all directories of a search path.
package enum LV2Search {
  /// Returns the bundles, and the directories that could not be read. [any]
  ///
  /// A directory that does not respond in time is skipped. A directory with two names is read once.
  ///
  /// - Parameters:
  ///   - path: `LV2_PATH`; nil if it is not set.
  ///   - home: the home directory of the user.
  ///   - timeoutSeconds: the time limit of a directory in seconds.
  ///   - read: reads one directory.
  /// - Returns: the result of the search.
  package static func units(
    ofPath path: String?, home: String,
    timeoutSeconds: Double = ChildLimits().directorySeconds,
    read: @escaping @Sendable (String, _ isNamed: Bool) -> LV2Directories.Content = {
      LV2Directories.content(of: $0, isNamed: $1)
    }
  ) -> BundleList {
    var list: BundleList = []
    var seen: Set<[UInt64]> = []
    let directories = LV2Directories.directories(ofPath: path, home: home)
    if directories.isEmpty {
      list.faults.append(
        ScanError(
          unit: "LV2_PATH",
          message:
            "LV2_PATH names no directory, so no LV2 plugin is found. Unset it to search"
            + " \(LV2Directories.defaultPath)."))
    }
    for directory in directories {
      let isNamed = path != nil
      let content = BlockingCall.wait(seconds: timeoutSeconds) { read(directory, isNamed) }
      guard let content else {
        let seconds = Int(timeoutSeconds.rounded())
        list.faults.append(
          ScanError(
            unit: directory,
            message: "\(directory) was skipped: it did not respond within \(seconds) s."))
        continue
      }
      if let identity = content.identity, !seen.insert(identity).inserted { continue }
      list.paths += content.bundles
      list.faults += content.faults.map { ScanError(unit: $0.path, message: $0.message) }
    }
    return list
  }
}
