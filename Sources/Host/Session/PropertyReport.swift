// PropertyReport.swift: what a property of a node is. SPDX-License-Identifier: MIT

package import PluginModel

/// A property of a node of a rig, with its value.
package struct PropertyReport: Sendable, Equatable {
  /// The node's name, with its number where it runs side by side.
  package var node: String
  /// The property.
  package var property: Property
  /// What the plugin was given, or told, last.
  package var value: PropertyValue

  init(_ node: String, _ property: Property, _ value: PropertyValue) {
    self.node = node
    self.property = property
    self.value = value
  }
}
