// EventMessage+Values.swift: changes of parameters as JSON, written directly. SPDX-License-Identifier: MIT

extension EventMessage {
  /// The line of a change that consists of parameters; nil for other events.
  ///
  /// The same as Foundation's encoder writes. While controls move, these events are frequent, and the encoder needs many
  /// times as long for them.
  var lineOfValues: String? {
    guard case .changed(let changed) = event, seconds.isFinite else { return nil }
    var changes: [String] = []
    for change in changed.changes {
      guard case .parameter(let node, let symbol, let value) = change, value.isFinite else {
        return nil
      }
      changes.append(
        #"{"change":"parameter","node":\#(Self.quoted(node)),"symbol":\#(Self.quoted(symbol)),"#
          + #""value":\#(Self.number("\(value)"))}"#)
    }
    let client = changed.client.map { #""client":\#($0.number),"# } ?? ""
    return #"{"changes":[\#(changes.joined(separator: ","))],\#(client)"event":"changed","#
      + #""revision":\#(changed.revision),"seconds":\#(Self.number("\(seconds)")),"#
      + #""source":"\#(changed.source.rawValue)"}"#
  }

  private static func quoted(_ text: String) -> String { JSONValue.string(text).line }

  /// A number without a fraction of zero.
  private static func number(_ description: String) -> Substring {
    description.hasSuffix(".0") ? description.dropLast(2) : description[...]
  }
}
