// PropertyReport.swift: the value of a node property. SPDX-License-Identifier: MIT

package import PluginModel

/// A property of a node with its value.
package struct PropertyReport: Sendable, Equatable {
  /// The node name, with the instance number if there are several.
  package var node: String
  /// The property.
  package var property: Property
  /// The last value that the plugin received or reported.
  package var value: PropertyValue

  init(_ node: String, _ property: Property, _ value: PropertyValue) {
    self.node = node
    self.property = property
    self.value = value
  }
}
