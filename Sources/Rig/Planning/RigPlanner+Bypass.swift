// RigPlanner+Bypass.swift: sound that goes past a node. SPDX-License-Identifier: MIT

import PluginModel

extension RigPlanner {
  /// Leads what flows into nodes past them, as far as the rig says so: what their main outputs feed hears
  /// what their main inputs hear.
  ///
  /// The compiler lines both up, as it does wherever ways of different latency meet.
  mutating func leadPast() {
    for node in rig.nodes {
      let wet = node.isBypassed ? 0 : node.wetShare
      let way = Way(name: node.name, input: node.name, output: node.name)
      leadPast(
        way, wet, node.position,
        RigPlace(file: node.origin?.file ?? rig.file, keyPath: node.keyPath))
    }
    for nested in rig.nested {
      let wet = nested.isBypassed ? 0 : nested.wetShare
      let way = Way(name: nested.name, input: nested.inputName, output: nested.outputName)
      let place = nested.place ?? RigPlace(file: rig.file, keyPath: "nodes.\(nested.name)")
      leadPast(way, wet, nested.position, place)
    }
  }

  /// What sound is led past: a node, or all between the borders of a rig within.
  private struct Way {
    let name: String
    let input: String
    let output: String
  }

  private mutating func leadPast(
    _ way: Way, _ wet: Float, _ position: SourcePosition, _ place: RigPlace
  ) {
    guard wet != 1 else { return }
    let inputs = sinks(RigEnd(place: .node(way.input))) ?? []
    let outputs = sources(RigEnd(place: .node(way.output))) ?? []
    guard let past = Self.past(inputs, outputs) else {
      report(
        "\(way.name) has \(Self.count(inputs.count, "input")) and"
          + " \(Self.count(outputs.count, "output")), so nothing can go past it; leave bypass and"
          + " wet out.", position, place.keyPath, in: place.file)
      return
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
              from: feed.from, to: link.to, gain: link.gain * feed.gain * share * (1 - wet),
              delaySeconds: link.delay(behind: feed)))
        }
      }
    }
    mergeLinks()
  }

  /// Adds up links between the same ends, which would multiply from node to node.
  mutating func mergeLinks() {
    var places: [LinkEnds: Int] = [:]
    var merged: [RigPlan.Link] = []
    for link in links {
      let ends = LinkEnds(from: link.from, to: link.to, delaySeconds: link.delaySeconds)
      if let place = places[ends] {
        merged[place].gain += link.gain
      } else {
        places[ends] = merged.count
        merged.append(link)
      }
    }
    links = merged
  }

  private struct LinkEnds: Hashable {
    let from: RigPlan.Channel
    let to: RigPlan.Channel
    let delaySeconds: Double?
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

extension RigPlan {
  /// Whether what flows into a node can go past it. [any]
  package func canBePassed(_ node: Int) -> Bool {
    let (plugin, count) = (nodes[node].plugin, nodes[node].instanceCount)
    func main(_ ports: [AudioPort]) -> Int {
      guard let first = ports.first else { return 0 }
      let isMarked = ports.contains(where: \.isMain)
      return count * ports.count { isMarked ? $0.isMain : $0.group == first.group }
    }
    let (inputs, outputs) = (main(plugin.audioInputs), main(plugin.audioOutputs))
    return outputs > 0 && (inputs < 2 || inputs == outputs || outputs == 1)
  }
}
