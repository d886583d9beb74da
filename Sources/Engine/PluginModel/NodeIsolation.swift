// NodeIsolation.swift: in which process a node runs. SPDX-License-Identifier: MIT

/// In which process the plugin of a node runs.
package enum NodeIsolation: Sendable, Hashable {
  /// In a separate worker process if there is an `IsolationReason`, otherwise in the process of the host.
  case automatic
  /// In the process of the host.
  case off
  /// In a worker process without other nodes.
  case own
  /// In a worker process with all nodes of the group.
  case group(String)

  /// The words with a meaning of their own, in rigs and on the command line.
  package static let words = ["auto", "off", "own"]

  /// Reads a word, or the name of a group. [any]
  package init(_ text: String) {
    self =
      switch text {
      case "auto": .automatic
      case "off", "false", "no": .off
      case "own": .own
      default: .group(text)
      }
  }

  /// Returns why a text is neither a word nor the name of a group, with what to write instead; nil if it is one.
  /// [any]
  ///
  /// A name like a word is rejected, because it is more likely a typing error.
  package static func fault(in text: String) -> String? {
    guard !words.contains(text), !["false", "no"].contains(text) else { return nil }
    if ["on", "true", "yes"].contains(text.lowercased()) {
      return "\"\(text)\" is not a valid isolation. Did you mean own?"
    }
    guard text.first?.isLetter == true,
      text.allSatisfy({ $0.isLetter || $0.isNumber || "_-.".contains($0) })
    else {
      return
        "\"\(text)\" is not a group name. Start with a letter, then use letters, digits, \"_\","
        + " \"-\" and \".\"."
    }
    return nearest(to: text, among: words).map {
      "\"\(text)\" is not a valid isolation. Did you mean \($0)?"
    }
  }

  /// The word, or the name of the group. [any]
  package var text: String {
    switch self {
    case .automatic: "auto"
    case .off: "off"
    case .own: "own"
    case .group(let name): name
    }
  }
}
