// MemoryRemarks.swift: messages about memory faults of plugins. SPDX-License-Identifier: MIT

package import PluginModel

extension MemoryProbe.UninitialisedRead {
  /// Whether the host prevents it by clearing the memory that plugins allocate. [any]
  package var isFixedByClearing: Bool { regions == [.heap] }

  /// Returns a message that starts with the plugin's name or with "It". [any]
  package func message(of name: String) -> String {
    let regionNames = regions.map(\.text).joined(separator: " and ")
    let effect =
      crashes
      ? "and crashes if the memory is not zero"
      : "so its output depends on old memory contents"
    return "\(name) reads uninitialised memory (\(regionNames)), \(effect). \(remedy)"
  }

  private var remedy: String {
    if isFixedByClearing {
      return "This host clears allocated memory, other hosts do not. Initialise every member and"
        + " buffer."
    }
    if regions == [.outputs] {
      return "Write every sample of every output, before you read it or add to it."
    }
    return "Initialise every variable, member and buffer. Find the location with `-Wall -Wextra`,"
      + " valgrind or `-fsanitize=memory`."
  }
}

extension MemoryProbe.Region {
  fileprivate var text: String {
    switch self {
    case .heap: "on the heap"
    case .stack: "local variables"
    case .outputs: "its output buffers"
    }
  }
}

extension Leak {
  /// The operation that leaked.
  package enum Occasion: Sendable {
    /// An instance was created and destroyed.
    case instance
    /// A block was rendered.
    case block
    /// State was saved and restored.
    case save
    /// The plugin was reset.
    case reset
    /// The plugin was deactivated and activated.
    case activation
  }

  /// From this size on, a leak exhausts the memory of a machine that runs for days.
  private static let seriousBytes: UInt64 = 1 << 20

  /// Whether the leak is a fault and not only a note. [any]
  ///
  /// A leak of any size in each block exhausts the memory.
  package func isSerious(_ occasion: Occasion) -> Bool {
    occasion == .block || bytes >= Self.seriousBytes || threads > 0 || descriptors > 0
  }

  /// Returns a message that starts with the plugin's name or with "It". [any]
  package func message(of name: String, _ occasion: Occasion, _ format: FormatTraits) -> String {
    var parts: [String] = []
    if bytes > 0 { parts.append("\(Self.text(bytes)) of memory") }
    if threads > 0 { parts.append(threads == 1 ? "1 thread" : "\(threads) threads") }
    if descriptors > 0 {
      parts.append(descriptors == 1 ? "1 open file" : "\(descriptors) open files")
    }
    return "\(name) leaks \(parts.joined(separator: " and ")) each time \(occasion.text(format))"
  }

  private static func text(_ bytes: UInt64) -> String {
    func short(_ tenths: UInt64, _ unit: String) -> String {
      "\(tenths / 10).\(tenths % 10) \(unit)"
    }
    switch bytes {
    case ..<1_000: return "\(bytes) bytes"
    case ..<1_000_000: return short((bytes + 50) / 100, "kB")
    default: return short((bytes + 50_000) / 100_000, "MB")
    }
  }
}

extension Leak.Occasion {
  fileprivate func text(_ format: FormatTraits) -> String {
    switch self {
    case .instance: format.leakAdvice
    case .block: "it renders a block. Allocate before the first block and not while it renders."
    case .save: "its state is saved and restored. Free what `save` and `restore` allocate."
    case .reset: "it is reset. Do not allocate in `reset`."
    case .activation: "it is activated. Free in `deactivate` what `activate` allocates."
    }
  }
}

extension MemoryProbe {
  /// Returns messages about a plugin that passed the preflight. [main]
  func remarks(on plugin: PluginDescription) -> [String] {
    var remarks: [String] = []
    if let read = uninitialisedRead() { remarks.append(read.message(of: plugin.name)) }
    for (occasion, leak) in leaksOfInstances() {
      remarks.append(leak.message(of: plugin.name, occasion, plugin.format))
    }
    if let leak = leakOfSaves() {
      remarks.append(leak.message(of: plugin.name, .save, plugin.format))
    }
    return remarks
  }
}
