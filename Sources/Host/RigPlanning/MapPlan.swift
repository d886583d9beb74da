// MapPlan.swift: MIDI mappings with resolved targets. SPDX-License-Identifier: MIT

package import PluginModel
package import RigSchema

/// A mapping of a plan.
package struct MapPlan: Sendable, Equatable {
  /// The value or action that the control changes.
  package enum Target: Sendable, Equatable {
    /// A parameter of a node.
    case parameter(node: String, Parameter)
    /// The bypass switch of a node or nested rig.
    case bypass(node: String)
    /// The wet level of a node or nested rig, in percent.
    case wet(node: String)
    /// The gain of a connection by its name, in dB.
    case gain(connection: String)
    /// No value.
    case action(MapAction)

    /// Whether the target has only two positions.
    package var isSwitch: Bool {
      switch self {
      case .parameter(_, let parameter): parameter.scale == .toggle
      case .bypass: true
      case .wet, .gain, .action: false
      }
    }
  }

  /// The mapping as it was read.
  package var map: RigMap
  /// The target.
  package var target: Target
  /// The range and curve; unused for an action.
  package var scale: MapScale

  /// Whether the target moves between the values of the control, instead of jumping.
  package var hasRamps: Bool {
    guard case .parameter(_, let parameter) = target, scale.stepCount == nil,
      parameter.moves, parameter.scale != .integer, !parameter.traits.contains(.trigger)
    else { return false }
    switch map.mode {
    case .toggle, .momentary: return false
    case .jump, .pickup, .scale, .relative: return true
    case nil:
      if case .note = map.source.kind { return false }
      return true
    }
  }

  /// The mapping with the names of the node and parameter as the rig has them.
  package var namedMap: RigMap {
    var named = map
    switch target {
    case .parameter(let node, let parameter): named.target = "\(node).\(parameter.symbol)"
    case .bypass(let node): named.target = "\(node).bypass"
    case .wet(let node): named.target = "\(node).wet"
    case .gain(let connection): named.target = "\(connection).gain"
    case .action: break
    }
    return named
  }
}
