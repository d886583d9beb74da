// StatusCommand.swift: the command `status`. SPDX-License-Identifier: MIT

import AudioDriver
import Glibc
import HostModel
import PluginModel
import RigSchema
import Session

/// Reports the rig, its nodes, their values, and the devices.
struct StatusCommand: HostCommand {
  func apply(_: Void, in host: Host) -> Reply {
    let session = host.session
    let readouts = session.readouts
    let rig = session.currentRig
    let faulty = session.bypassedNodes
    let nodes = session.nodeValues.enumerated().map { index, node in
      let nodeReadouts = readouts.first { $0.node == node.name || $0.node == "\(node.name)/1" }
      var shown = SessionStatus.Node(node, nodeReadouts)
      for (uri, text) in session.propertyTexts(ofNode: index) {
        let symbol = node.plugin.properties.first { $0.uri == uri }?.symbol ?? uri
        shown.properties = (shown.properties ?? [:]).merging([symbol: text]) { first, _ in first }
      }
      if rig.nodes[index].wetLevel < 1 { shown.wet = rig.nodes[index].wetLevel }
      if rig.nodes[index].isBypassed { shown.bypass = true }
      if faulty.contains(node.name) { shown.faulty = true }
      return shown
    }
    var status = SessionStatus(
      process: Int(getpid()), revision: host.revision, rig: session.rigName,
      stall: FaultMonitor.shared?.stall?.message, nodes: nodes,
      stream: Event.Started(session, notes: []))
    status.deviceStates = session.status.devices.map(Event.Device.init)
    status.transport = TransportInfo(session.transportStatus)
    if !host.addresses.isEmpty { status.addresses = host.addresses }
    return Reply(.status(status))
  }
}

extension SessionStatus.Node {
  fileprivate init(_ node: LiveSession.NodeValues, _ readouts: NodeReadouts?) {
    let symbols = node.plugin.parameters.map(\.symbol)
    let finite = readouts.map { readouts in
      zip(readouts.plugin.readouts, readouts.values).filter(\.1.isFinite)
    }
    self.init(
      name: node.name, plugin: node.plugin.identifier,
      values: Dictionary(zip(symbols, node.values)) { first, _ in first },
      readouts: finite.map { values in
        Dictionary(values.map { ($0.0.symbol, $0.1) }) { first, _ in first }
      })
    shown = zip(node.plugin.parameters, node.values).map(SessionStatus.ShownValue.init)
    shownReadouts = finite.map { $0.map(SessionStatus.ShownValue.init) }
  }
}

extension SessionStatus.ShownValue {
  fileprivate init(_ parameter: Parameter, _ value: Float) {
    var choice = parameter.choices.first { $0.value == value }?.name
    if choice == nil, parameter.scale == .toggle {
      choice = value == parameter.maximum ? "on" : "off"
    }
    self.init(
      symbol: parameter.symbol, name: parameter.name, value: value,
      unit: parameter.unit.isEmpty ? nil : parameter.unit, choice: choice)
  }
}
