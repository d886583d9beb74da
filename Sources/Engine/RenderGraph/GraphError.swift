// GraphError.swift: why a graph cannot be made or rendered. SPDX-License-Identifier: MIT

package import ErrorModel

/// A graph that cannot be.
package enum GraphError: Equatable {
  /// A channel, counted from 0, beyond what an end of a connection has.
  case noSuchChannel(end: String, channel: Int, available: Int)
  /// A node that takes no MIDI (`isInput`) or sends none.
  case noEvents(node: String, isInput: Bool)
  /// The names of nodes that feed one another in a circle, in the order of the sound.
  case loop(nodes: [String])

  /// One sentence for people.
  package var description: String {
    switch self {
    case .noSuchChannel(let end, let channel, let available):
      let have = available == 1 ? "1 channel" : "\(available) channels"
      return "Channel \(channel + 1) of \(end) does not exist: there is \(have)."
    case .noEvents(let node, let isInput):
      return isInput
        ? "\(node) takes no MIDI, so none can be sent to it."
        : "\(node) sends no MIDI, so nothing can be fed from it."
    case .loop(let nodes):
      let circle = (nodes + nodes.prefix(1)).joined(separator: " -> ")
      return "The connections form a loop, which would never end: \(circle). A"
        + " delay on one of them would make it an echo."
    }
  }
}

extension GraphError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
