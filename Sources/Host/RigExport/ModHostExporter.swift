// ModHostExporter.swift: rigs as command files of mod-host. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
package import RigPlanning
package import RigSchema

/// Writes command files of mod-host.
package enum ModHostExporter: RigExporter {
  package static let host = "mod-host"

  package static func text(
    of rig: RigDescription, _ plan: RigPlan
  ) throws(RigExportError) -> String {
    try checkNodes(rig, plan)
    for node in plan.nodes
    where node.plugin.parameters.contains(where: { $0.traits.contains(.scalesWithRate) }) {
      throw key("parameters that follow the sample rate", node.name)
    }
    let instances = instances(of: plan)
    var lines: [String] = []
    // mod-host starts with 120 and 4, too.
    let (tempo, beats) = (rig.transport.beatsPerMinute, rig.transport.beatsPerBar)
    if (tempo, beats) != (120, 4) { lines += ["set_bpm \(plain(tempo))", "set_bpb \(beats)"] }
    for instance in instances.joined() {
      lines.append("add \(instance.node.plugin.identifier) \(instance.number)")
      if let preset = instance.node.preset {
        lines.append("preset_load \(instance.number) \(preset.identifier)")
      }
      for value in instance.node.values {
        let symbol = instance.node.plugin.parameters[value.parameter].symbol
        lines.append("param_set \(instance.number) \(symbol) \(plain(value.value))")
      }
    }
    for link in plan.links {
      if link.gain != 1 || !link.factors.isEmpty { throw unsupported(link, "a gain", plan) }
      if link.delaySeconds != nil { throw unsupported(link, "a delay", plan) }
      let from = jackPort(link.from, "system:capture_", isSource: true, instances)
      let to = jackPort(link.to, "system:playback_", isSource: false, instances)
      lines.append("connect \(from) \(to)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func jackPort(
    _ channel: RigPlan.Channel, _ border: String, isSource: Bool,
    _ instances: [[ExportedInstance]]
  ) -> String {
    guard let port = port(channel, isSource: isSource, instances) else {
      return border + "\(channel.index + 1)"
    }
    return "effect_\(port.instance.number):\(port.symbol)"
  }
}
