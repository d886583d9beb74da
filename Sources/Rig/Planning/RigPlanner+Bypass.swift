// RigPlanner+Bypass.swift: sound that goes past a node. SPDX-License-Identifier: MIT

import PluginModel

extension RigPlanner {
  /// Leads what flows into nodes past them, as far as the rig says so: what their main outputs feed hears
  /// what their main inputs hear.
  ///
  /// The compiler lines both up, as it does wherever ways of different latency meet.
  mutating func leadPast() {
    for (index, node) in rig.nodes.enumerated() {
      let wet = node.isBypassed ? 0 : node.wetShare
      guard wet != 1 else { continue }
      let end = RigEnd(place: .node(node.name))
      let (inputs, outputs) = (sinks(end) ?? [], sources(end) ?? [])
      guard let past = Self.past(inputs, outputs) else {
        report(
          "\(node.name) has \(Self.count(inputs.count, "input")) and"
            + " \(Self.count(outputs.count, "output")), so nothing can go past it; leave bypass and"
            + " wet out.", rig.nodes[index].position, node.keyPath)
        continue
      }
      let fed = links
      for place in links.indices {
        guard let dry = past[links[place].from] else { continue }
        let link = links[place]
        links[place].gain *= wet
        for (sink, share) in dry {
          for feed in fed where feed.to == sink {
            links.append(
              RigPlan.Link(
                from: feed.from, to: link.to, gain: link.gain * feed.gain * share * (1 - wet)))
          }
        }
      }
      mergeLinks()
    }
  }

  /// Adds up links between the same ends, which would multiply from node to node.
  private mutating func mergeLinks() {
    var places: [[RigPlan.Channel]: Int] = [:]
    var merged: [RigPlan.Link] = []
    for link in links {
      if let place = places[[link.from, link.to]] {
        merged[place].gain += link.gain
      } else {
        places[[link.from, link.to]] = merged.count
        merged.append(link)
      }
    }
    links = merged
  }

  /// For each output the inputs that stand for it, and how much of each; nil where that is not plain.
  private static func past(
    _ inputs: [RigPlan.Channel], _ outputs: [RigPlan.Channel]
  ) -> [RigPlan.Channel: [(RigPlan.Channel, Float)]]? {
    // What makes sound by itself is merely made silent.
    if inputs.isEmpty { return Dictionary(uniqueKeysWithValues: outputs.map { ($0, []) }) }
    guard inputs.count == outputs.count || inputs.count == 1 || outputs.count == 1 else {
      return nil
    }
    return Dictionary(
      uniqueKeysWithValues: outputs.enumerated().map { place, output in
        if inputs.count == 1 { return (output, [(inputs[0], 1)]) }
        if inputs.count == outputs.count { return (output, [(inputs[place], 1)]) }
        return (output, inputs.map { ($0, 1 / Float(inputs.count)) })
      })
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
