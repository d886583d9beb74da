// DescribeCommand.swift: the command `plugin` for plugins that only the rig has. SPDX-License-Identifier: MIT

import HostModel
import PluginModel
import PluginReports
import Session

/// Describes a plugin of the running rig, such as a built-in node or a module from a source file.
struct DescribeCommand: HostCommand {
  /// The identifier of the plugin, as the state has it.
  let plugin: String

  func apply(_: Void, in host: Host) throws -> Reply {
    guard let found = host.session.nodeValues.first(where: { $0.plugin.identifier == plugin })
    else { throw CommandError.noLibrary }
    let report = PluginReport(found.plugin, presets: [])
    return Reply(.plugin(try JSONParser.parse(Array(JSONLine.data(report)))))
  }
}
