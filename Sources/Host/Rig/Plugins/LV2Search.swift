// LV2Search.swift: all bundles, whatever becomes of the folders. SPDX-License-Identifier: MIT

package import LV2Host
package import PluginCatalogue

/// Looks for LV2 bundles in every folder of a search path.
package enum LV2Search {
  /// The bundles, and what could not be looked into.
  ///
  /// A folder that does not answer in time is left out, and one that is there under two names is looked
  /// into once. [any]
  ///
  /// - Parameters:
  ///   - path: `LV2_PATH`; nil if it is not set.
  ///   - home: The user's home folder.
  ///   - patienceSeconds: How long a folder may take to answer.
  ///   - look: Looks into one folder.
  /// - Returns: What was found.
  package static func units(
    ofPath path: String?, home: String,
    patienceSeconds: Double = ChildLimits().folderSeconds,
    look: @escaping @Sendable (String, _ isNamed: Bool) -> LV2Directories.Content = {
      LV2Directories.content(of: $0, isNamed: $1)
    }
  ) -> BundleList {
    var list: BundleList = []
    var seen: Set<[UInt64]> = []
    let folders = LV2Directories.folders(ofPath: path, home: home)
    if folders.isEmpty {
      list.faults.append(
        ScanError(
          unit: "LV2_PATH",
          sentence:
            "LV2_PATH names no directory, so no LV2 plugin is found. Unset it to search"
            + " \(LV2Directories.defaultPath)."))
    }
    for folder in folders {
      let isNamed = path != nil
      let content = BlockingCall.wait(seconds: patienceSeconds) { look(folder, isNamed) }
      guard let content else {
        let seconds = Int(patienceSeconds.rounded())
        list.faults.append(
          ScanError(
            unit: folder,
            sentence: "\(folder) was skipped: it did not respond within \(seconds) s."))
        continue
      }
      if let identity = content.identity, !seen.insert(identity).inserted { continue }
      list.paths += content.bundles
      list.faults += content.faults.map { ScanError(unit: $0.path, sentence: $0.sentence) }
    }
    return list
  }
}
