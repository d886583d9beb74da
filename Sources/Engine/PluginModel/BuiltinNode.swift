// BuiltinNode.swift: the settings of built-in nodes. SPDX-License-Identifier: MIT

/// The settings of a kind of built-in node, which also create its nodes.
package protocol BuiltinSettings: Sendable, Equatable {
  /// Creates a node. [main]
  func makeNode(_ configuration: NodeConfiguration) -> any Node
}

extension BuiltinSettings {
  fileprivate func equals(_ other: any BuiltinSettings) -> Bool { (other as? Self) == self }
}

/// The settings of a built-in node in its description.
package struct BuiltinNode: Sendable, Equatable {
  private let settings: any BuiltinSettings

  /// Settings of any kind.
  package init(_ settings: any BuiltinSettings) { self.settings = settings }

  /// Returns the settings if they are of a type. [any]
  package func settings<Settings: BuiltinSettings>(_ type: Settings.Type) -> Settings? {
    settings as? Settings
  }

  /// Creates a node. [main]
  package func makeNode(_ configuration: NodeConfiguration) -> any Node {
    settings.makeNode(configuration)
  }

  package static func == (one: BuiltinNode, other: BuiltinNode) -> Bool {
    one.settings.equals(other.settings)
  }
}
