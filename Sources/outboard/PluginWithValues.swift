// PluginWithValues.swift: a plugin with the values that it is to begin with. SPDX-License-Identifier: MIT

import PluginModel
import PluginValidation
import Rig
import Session

/// A plugin that is not played but examined or timed, as the command line says that it begins.
struct PluginWithValues {
  /// The plugin, whose defaults are the values that were given.
  private(set) var plugin: PluginDescription
  /// What its instances are given besides.
  private(set) var properties: [InitialProperty] = []
  /// What had to be done to make a value legal, one sentence each.
  private(set) var notes: [String] = []

  /// A plugin as it is.
  init(_ plugin: PluginDescription) { self.plugin = plugin }

  /// A plugin by its name, with the values that follow it.
  ///
  /// - Throws: what a chain of this one plugin would have against it.
  init(_ link: ChainLink, _ library: PluginLibrary) throws {
    plugin = try library.find(link.plugin)
    guard !link.assignments.isEmpty else { return }
    let rig = try PreparedRig(RigDescription(chain: [link], plugins: [plugin]), library)
    let plan = try rig.plan()
    for value in plan.nodes[0].values {
      plugin.parameters[value.parameter].defaultValue = value.value
    }
    properties = plan.nodes[0].properties.map {
      InitialProperty(property: $0.property, value: $0.value)
    }
    notes = plan.notes
    isChanged = true
  }

  /// Whether values were given, so that what is found is not true of the plugin by itself.
  private(set) var isChanged = false
}
