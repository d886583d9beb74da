// RigEdit.swift: changes of the nodes and connections of a rig. SPDX-License-Identifier: MIT

package import ErrorModel
import Manifests
import PluginModel

/// The position at which a node is inserted.
package enum InsertionPoint: Sendable, Equatable {
  /// After a node, a nested rig or `in`: the node gets everything that the other one outputs.
  case after(String)
  /// Before a node, a nested rig or `out`: the node gets everything that the other one receives.
  case before(String)
  /// Into a connection, as in `voice -> hall`.
  case on(String)
}

/// A plugin for a node of a rig, with its values.
package struct NewPlugin: Sendable, Equatable {
  /// The plugin and its values.
  package var link: ChainLink
  /// The directory that relative paths start from.
  package var directory: String

  /// Creates a plugin with values.
  package init(_ link: ChainLink, directory: String) {
    (self.link, self.directory) = (link, directory)
  }

  /// Returns the plugin with absolute paths in its values.
  func resolved(for plugin: PluginDescription) -> ChainLink {
    var result = link
    for index in link.assignments.indices {
      let (symbol, text) = link.assignments[index]
      guard plugin.parameters.index(ofSymbol: symbol) == nil,
        !text.hasPrefix("/"), !text.hasPrefix("~/"), isPath(symbol, of: plugin)
      else { continue }
      result.assignments[index].value = directory + "/" + text
    }
    return result
  }

  private func isPath(_ symbol: String, of plugin: PluginDescription) -> Bool {
    guard let index = Property.index(of: symbol, in: plugin.properties) else {
      return symbol == "state"
    }
    return plugin.properties[index].type == .path
  }
}

/// A change of the nodes and connections of a rig.
package enum RigEdit: Sendable, Equatable {
  /// Adds a node for a plugin with its values.
  ///
  /// Without a name it is named after the plugin. Without a position it comes before `out`.
  case insert(NewPlugin, name: String?, at: InsertionPoint?)
  /// Removes a node or a nested rig, and connects its sources with its sinks.
  case remove(String)
  /// Moves a node or a nested rig to another position.
  case move(String, to: InsertionPoint)
  /// Gives a node another plugin; its connections, bypass and wet level remain.
  case replace(String, with: NewPlugin)
  /// Replaces all values of a node by those of a preset, which is given by name or URI.
  case preset(String, of: String)
}

/// A rig after a change.
package struct EditedRig: Sendable, Equatable {
  /// The rig.
  package var rig: RigDescription
  /// Messages about the change, in order.
  package var notes: [String]
  /// The node that loses values that were set by hand; nil for none.
  package var resetNode: String?
}

/// The reason why a rig cannot be changed in this way.
package enum RigEditError: Error, Equatable {
  /// No node has this name.
  case unknownNode(String, known: [String])
  /// The node belongs to a nested rig, whose file contains it.
  case nestedNode(String, nested: String, file: String)
  /// A nested rig has no plugin that could be replaced.
  case nestedRig(String)
  /// A node with the requested name exists.
  case nameExists(String)
  /// The requested name cannot be used in a rig.
  case illegalName(String)
  /// No such connection; the reason starts in lower case.
  case connection(reason: String)
  /// Different nodes are connected to the ports of a node.
  case separatePorts(String, connections: [String], isAfter: Bool)
  /// A node would be moved next to itself.
  case sameNode(String)
}

extension RigEditError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }

  /// The message.
  package var description: String {
    switch self {
    case .unknownNode(let name, let known):
      "No such node: \(name). "
        + (nearest(to: name, among: known).map { "Did you mean \($0)?" }
          ?? "The rig has \(known.joined(separator: ", ")).")
    case .nestedNode(let name, let nested, let file):
      "\(name) is a node of the nested rig \(nested). Edit \(file)."
    case .nestedRig(let name):
      "\(name) is a nested rig and not a plugin. Remove it and insert a plugin."
    case .nameExists(let name): "The rig already has a node named \(name). Use another name."
    case .illegalName(let name):
      RigNodeReader.lengthMessage(name)
        ?? "\"\(name.shortened)\" is not a valid node name. Start with a letter, then use letters, digits, \"_\", \"-\""
        + " and \".\". The names in and out are reserved."
    case .connection(let reason):
      reason.prefix(1).uppercased() + reason.dropFirst()
    case .separatePorts(let name, let connections, let isAfter):
      "The \(isAfter ? "outputs" : "inputs") of \(name) are connected separately. Name one connection, as in"
        + " `on \"\(connections.first ?? "voice -> hall")\"`."
    case .sameNode(let name): "\(name) cannot be moved next to itself. Name another node."
    }
  }
}
