// RigTestEnvironment+Nodes.swift: the result of reading a rig's node. SPDX-License-Identifier: MIT

import PluginModel
import RigTestSupport

@testable import RigPlanning

extension RigTestEnvironment {
  /// The plugins of a rig that is a file of the directory, `stage.yaml`.
  func find(_ rig: String) throws -> [PluginDescription] {
    try library.find(nodesOf: self.rig(rig, name: "stage.yaml"))
  }

  /// Returns the message about its error, with paths relative to the directory.
  func mistake(_ rig: String) -> String {
    do {
      return "\(try find(rig).map(\.name)) was found"
    } catch {
      return "\(error)".replacing(path + "/", with: "")
    }
  }
}
