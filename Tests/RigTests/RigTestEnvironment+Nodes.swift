// RigTestEnvironment+Nodes.swift: the result of reading a rig's node. SPDX-License-Identifier: MIT

import PluginModel
import RigTestSupport

@testable import Rig

extension RigTestEnvironment {
  /// The plugins of a rig that is a file of the folder, `stage.yaml`.
  func find(_ rig: String) throws -> [PluginDescription] {
    try library.find(nodesOf: self.rig(rig, name: "stage.yaml"))
  }

  /// What is said of its mistake, paths seen from the folder.
  func mistake(_ rig: String) -> String {
    do {
      return "\(try find(rig).map(\.name)) was found"
    } catch {
      return "\(error)".replacing(path + "/", with: "")
    }
  }
}
