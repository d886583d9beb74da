// GraphError.swift: reasons why a graph cannot be built or rendered. SPDX-License-Identifier: MIT

package import ErrorModel

/// An error in a graph.
package enum GraphError: Equatable {
  /// A channel, counted from 0, that the node, the input or the output does not have.
  case noSuchChannel(end: String, channel: Int, available: Int)
  /// A MIDI connection to a node that takes no MIDI (`isInput`), or from a node that sends none.
  case noEvents(node: String, isInput: Bool)
  /// A loop: the names of its nodes, in the order of the audio path.
  case loop(nodes: [String])

  /// The message for users.
  package var description: String {
    switch self {
    case .noSuchChannel(let end, let channel, let available):
      let have = available == 1 ? "1 channel" : "\(available) channels"
      return "Channel \(channel + 1) of \(end) does not exist. Available: \(have)."
    case .noEvents(let node, let isInput):
      return isInput
        ? "\(node) has no MIDI input. Nothing can be sent to it."
        : "\(node) has no MIDI output. Nothing can be connected from it."
    case .loop(let nodes):
      let circle = (nodes + nodes.prefix(1)).joined(separator: " -> ")
      return "The connections form a feedback loop: \(circle)."
        + " Remove a connection or add a delay."
    }
  }
}

extension GraphError: HostError {
  /// All graph errors are errors of the request.
  package var kind: ErrorKind { .usage }
}
