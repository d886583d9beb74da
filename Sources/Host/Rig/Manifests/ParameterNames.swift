// ParameterNames.swift: how people name parameters. SPDX-License-Identifier: MIT

import PluginModel

extension [Parameter] {
  /// Where the parameter is that is meant: by symbol, or else by name in any letter case.
  package func place(of symbol: String) -> Int? {
    firstIndex { $0.symbol == symbol } ?? firstIndex { $0.name.lowercased() == symbol.lowercased() }
  }
}

/// One sentence for a symbol that a node does not have, with what there is.
package func missing(
  _ symbol: String, among symbols: [String], of node: String, what: String, plural: String
) -> String {
  guard !symbols.isEmpty else { return "\(node) has no \(plural), so \(symbol) cannot be set." }
  if let near = nearest(to: symbol, among: symbols) {
    return "\(node) has no \(what) \(symbol); did you mean \(near)?"
  }
  let shown = symbols.prefix(12).joined(separator: ", ")
  let more = symbols.count > 12 ? " and \(symbols.count - 12) more" : ""
  return "\(node) has no \(what) \(symbol); it has \(shown)\(more)."
}
