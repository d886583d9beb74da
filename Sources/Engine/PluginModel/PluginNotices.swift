// PluginNotices.swift: the notices of plugin code. SPDX-License-Identifier: MIT

import ErrorModel

extension HostNotice {
  /// A plugin has changed settings of the process.
  static func processChanged(by plugin: String, _ settings: String) -> HostNotice {
    HostNotice(
      "processChanged",
      "{plugin} changes {settings} of the whole process. Outboard restores the previous state after each call.",
      plugin, settings)
  }
}
