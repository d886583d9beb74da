// ActiveRig.swift: the rig that a session renders. SPDX-License-Identifier: MIT

import AudioDriver
import ErrorModel
import PluginCatalogue
import PluginLoading
import PluginModel
import RigPlanning
import RigSchema

/// The rig that a session renders, with its graph: the only owner of both. [main]
///
/// It switches to other rigs, and keeps the history of changes.
final class ActiveRig {
  /// The rig as it was prepared, with manual changes.
  var rig: PreparedRig
  /// The rig as it was last read, without manual changes.
  var written: PreparedRig
  /// Creates the nodes.
  let library: PluginLibrary
  /// The active graph.
  var graph: LiveGraph
  /// The previous rigs.
  var history = UndoHistory()
  /// The faults of nodes.
  var faults = NodeFaults()
  /// Watches the latencies of the nodes.
  var latencies: LatencyMonitor
  /// Nodes that are re-created in another sandbox at the moment, and get the state of the old ones.
  var widenedNodes: Set<String> = []
  /// The node that starts without its manual values in the change that is being made; nil for none.
  var resetNode: String?
  /// The tempo that a client has set; nil if none has.
  var requestedTempo: Double?
  /// The notices for the next report.
  let notices: NoticeQueue
  /// Called when another rig became active.
  var onSwitch: () -> Void = {}
  private let driver: any AudioDriver
  /// The rig of the start, whose devices are open.
  let firstRig: RigDescription

  /// The parameters of the opened devices.
  var stream: StreamDescription { driver.stream }

  /// Creates the graph of a rig for an opened driver; nothing is rendered yet.
  ///
  /// - Throws: errors of the plan for the opened channels, or of a plugin.
  init(
    _ rig: PreparedRig, _ library: PluginLibrary, _ driver: any AudioDriver, _ notices: NoticeQueue
  ) throws {
    self.rig = rig
    written = rig
    firstRig = rig.rig
    self.library = library
    self.driver = driver
    self.notices = notices
    graph = try LiveGraph(rig, library, for: driver.stream)
    self.rig.preflightConditions = Preflight.Conditions(graph.configuration)
    latencies = LatencyMonitor(graph.members)
  }

  /// Replaces the graph by another graph of the same rig; none is rendered meanwhile.
  func replaceGraph(by next: LiveGraph) {
    graph = next
    rig.preflightConditions = Preflight.Conditions(graph.configuration)
    latencies = LatencyMonitor(graph.members)
  }

  /// The nodes, in the order of the rig.
  var nodeValues: [LiveSession.NodeValues] {
    graph.members.map { member in
      LiveSession.NodeValues(
        name: member.name, plugin: member.plugin,
        values: member.plugin.parameters.indices.map { member.nodes[0].parameter($0) })
    }
  }

  /// Records that a node of the rig has another plugin.
  func setPlugin(_ plugin: PluginDescription, ofNode index: Int) {
    rig.plugins[index] = plugin
  }

  /// Records that a node of the rig has another property value.
  func recordProperty(_ property: Property, _ value: PropertyValue, ofNode index: Int) {
    rig.rig.nodes[index].properties.removeAll {
      Property.index(of: $0.symbol, in: [property]) != nil
    }
    rig.rig.nodes[index].properties.append(
      RigParameter(symbol: property.uri, text: value.spelling))
  }
}
