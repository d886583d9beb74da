// ParameterNames.swift: finds parameters by symbol or name. SPDX-License-Identifier: MIT

import ErrorModel
import PluginModel

extension [Parameter] {
  /// Returns the index of a parameter: by symbol, otherwise by name, ignoring case.
  package func index(ofSymbol symbol: String) -> Int? {
    firstIndex { $0.symbol == symbol } ?? firstIndex { $0.name.lowercased() == symbol.lowercased() }
  }
}

/// Returns the message about a symbol that a node does not have, with suggestions.
package func unknownSymbolMessage(
  _ symbol: String, among symbols: [String], of node: String, what: String, plural: String
) -> String {
  guard !symbols.isEmpty else { return "\(node) has no \(plural), so \(symbol) cannot be set." }
  if let near = nearest(to: symbol, among: symbols) {
    return "\(node) has no \(what) \(symbol). Did you mean \(near)?"
  }
  return "\(node) has no \(what) \(symbol); it has \(symbols.listed(atMost: 12))."
}
