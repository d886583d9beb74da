// NodeIsolation.swift: in which process a node runs. SPDX-License-Identifier: MIT

/// In which process the plugin of a node runs, and when it passes its output on.
package struct NodeIsolation: Sendable, Hashable {
  /// In which process the plugin of a node runs.
  package enum Process: Sendable, Hashable {
    /// In a separate worker process if there is an `IsolationReason`, otherwise in the process of the host.
    case automatic
    /// In the process of the host.
    case off
    /// In a worker process without other nodes.
    case own
    /// In a worker process with all nodes of the group.
    case group(String)
  }

  /// The process.
  package var process: Process
  /// Whether the output of a worker process is used one block later, so that the audio thread never waits for it.
  package var isBlockLate = false

  /// Creates an isolation.
  package init(_ process: Process, isBlockLate: Bool = false) {
    (self.process, self.isBlockLate) = (process, isBlockLate)
  }

  /// In a worker process if there is a reason, without latency.
  package static let automatic = NodeIsolation(.automatic)
  /// In the process of the host.
  package static let off = NodeIsolation(.off)
  /// In a separate worker process, without latency.
  package static let own = NodeIsolation(.own)
  /// In the worker process of a group, without latency.
  package static func group(_ name: String) -> NodeIsolation { NodeIsolation(.group(name)) }

  /// The reserved words, in rigs and on the command line.
  package static let words = ["auto", "off", "own"]
  /// The word for a latency of one block, and what separates it from the process.
  package static let blockWord = "block"
  private static let separator: Character = "+"

  /// Reads a word or the name of a group, with `+block` for a latency of one block. [any]
  package init(_ text: String) {
    let parts = text.split(separator: Self.separator, maxSplits: 1)
    process =
      switch parts.first.map(String.init) ?? "" {
      case "auto": .automatic
      case "off", "false", "no": .off
      case "own": .own
      case let name: .group(name)
      }
    isBlockLate = parts.count > 1
  }

  /// Returns why a text is not an isolation, with what to write instead; nil if it is one. [any]
  package static func fault(in text: String) -> String? {
    let parts = text.split(
      separator: separator, maxSplits: 1, omittingEmptySubsequences: false
    ).map(String.init)
    guard parts.count > 1 else { return processFault(in: text) }
    if let fault = processFault(in: parts[0]) { return fault }
    guard parts[1] == blockWord else {
      return
        "\"\(text)\" is not a valid isolation. Did you mean \(parts[0])\(separator)\(blockWord)?"
    }
    return NodeIsolation(text).fault
  }

  /// Why the latency is not possible in the process; nil if it is. [any]
  package var fault: String? {
    guard process == .off, isBlockLate else { return nil }
    return
      "\"off\" cannot be combined with the latency \"\(Self.blockWord)\". Use own instead of off."
  }

  /// Returns why a text is neither a word nor the name of a group, with what to write instead; nil if it is one.
  /// [any]
  ///
  /// A name like a word is rejected, because it is more likely a typing error.
  package static func processFault(in text: String) -> String? {
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

  /// The word, or the name of the group, without the latency. [any]
  package var processText: String {
    switch process {
    case .automatic: "auto"
    case .off: "off"
    case .own: "own"
    case .group(let name): name
    }
  }

  /// The text that `init` reads. [any]
  package var text: String {
    processText + (isBlockLate ? "\(Self.separator)\(Self.blockWord)" : "")
  }
}
