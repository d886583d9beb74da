// PluginWithValues.swift: a plugin with its initial values. SPDX-License-Identifier: MIT

import PluginLoading
import PluginModel
import PluginValidation
import RigPlanning
import RigSchema
import Session

/// A plugin to test or benchmark, with the values of the command line.
struct PluginWithValues {
  /// The plugin, with the given values as defaults.
  private(set) var plugin: PluginDescription
  /// The other values that its instances get.
  private(set) var properties: [InitialProperty] = []
  /// Messages about values that were changed to legal ones.
  private(set) var notes: [String] = []

  /// Creates a plugin without values.
  init(_ plugin: PluginDescription) { self.plugin = plugin }

  /// Finds a plugin by name and parses the values after it.
  ///
  /// - Throws: the errors of a rig that contains only this plugin.
  init(_ link: ChainLink, _ library: PluginLibrary) throws {
    plugin = try library.find(link.plugin, adviceForRig: "Name one of its plugins.")
    // A plugin that cannot be hosted is reported by the caller.
    guard !link.assignments.isEmpty, plugin.refusal == nil else { return }
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

  /// Whether values were given.
  ///
  /// Results then do not describe the plugin in general.
  private(set) var isChanged = false
}
