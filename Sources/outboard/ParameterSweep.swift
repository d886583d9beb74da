// ParameterSweep.swift: a chain in which one parameter has a range. SPDX-License-Identifier: MIT

import AudioFiles
import Console
import Glibc
import Manifests
import Metering
import PluginLoading
import PluginModel
import RigPlanning
import RigSchema
import Session

/// A chain of plugins, and the values of one of its parameters.
struct ParameterSweep {
  private static let legalCounts = 2 ... 1_000
  private static let defaultCount = 11

  /// The symbol of the parameter.
  let symbol: String
  /// The unit of the values.
  let unit: String
  /// The plugin, for a title.
  let name: String
  /// Whether the values have equal ratios.
  let isLogarithmic: Bool
  /// The values in the parameter's unit.
  let values: [String]
  /// Messages about the ends of the range, for example that they were changed to legal values.
  let notes: [String]
  private let chain: [String]
  private let wordIndex: Int
  private let options: SideArguments
  private let usesInput: Bool

  /// Finds the plugins and the range.
  ///
  /// - Throws: `UsageError`, and errors of the plugins and of the ends of the range.
  init(_ words: [String], _ options: SideArguments, _ library: PluginLibrary) throws {
    let indices = words.indices.filter { Self.range(in: words[$0]) != nil }
    guard let wordIndex = indices.first, indices.count == 1,
      let range = Self.range(in: words[wordIndex])
    else {
      throw UsageError(
        indices.isEmpty
          ? "No parameter has a range. Give one, for example drive=0..40/5."
          : "Only one parameter can have a range, but \(indices.count) have one.")
    }
    let low = try Self.value(range.low, words, wordIndex, library)
    let high = try Self.value(range.high, words, wordIndex, library)
    let parameter = low.parameter
    let count = range.count ?? Self.defaultCount
    guard Self.legalCounts ~= count else {
      throw UsageError("\(words[wordIndex]) has \(count) values. Use 2 to 1000.")
    }
    isLogarithmic = parameter.scale == .logarithmic && low.value > 0 && high.value > 0
    values = Self.values(
      low.value, high.value, count, isLogarithmic, isInteger: parameter.scale == .integer)
    (symbol, unit, name) = (
      range.symbol, parameter.unit, words.filter { $0 != words[wordIndex] }.joined(separator: " ")
    )
    (chain, self.wordIndex, self.options, usesInput) = (words, wordIndex, options, low.usesInput)
    notes = low.notes + high.notes.filter { !low.notes.contains($0) }
  }

  /// Reads `symbol=low..high/count`; the count may be missing.
  private static func range(
    in word: String
  ) -> (symbol: String, low: String, high: String, count: Int?)? {
    guard ChainLink.isAssignment(word), let equals = word.firstIndex(of: "="),
      let dots = word.firstRange(of: "..")
    else { return nil }
    let rest = word[dots.upperBound...]
    let slash = rest.lastIndex(of: "/")
    let count = slash.map { Int(rest[rest.index(after: $0)...]) }
    // A path may have dots and slashes.
    if slash != nil, count == .some(nil) { return nil }
    return (
      String(word[..<equals]), String(word[word.index(after: equals) ..< dots.lowerBound]),
      String(rest[..<(slash ?? rest.endIndex)]), count ?? nil
    )
  }

  /// Returns an end of the range in the unit of the parameter.
  private static func value(
    _ text: String, _ words: [String], _ wordIndex: Int, _ library: PluginLibrary
  ) throws -> (value: Double, parameter: Parameter, usesInput: Bool, notes: [String]) {
    var words = words
    let symbol = words[wordIndex].prefix { $0 != "=" }
    words[wordIndex] = "\(symbol)=\(text)"
    let links = try ChainLink.parse(words)
    let plugins = try links.map { try library.find($0.plugin) }
    let prepared = try PreparedRig(RigDescription(chain: links, plugins: plugins), library)
    // The index of the plugin: that of the last word before the range that is not a value.
    let node = words[...wordIndex].count { !ChainLink.isAssignment($0) } - 1
    let plan = try prepared.plan()
    guard let index = plugins[node].parameters.index(ofSymbol: String(symbol)),
      let value = plan.nodes[node].values.last(where: { $0.parameter == index })
    else {
      throw UsageError(
        "\(symbol) is not a parameter of \(plugins[node].name) with a range. `outboard info` lists them."
      )
    }
    return (Double(value.value), plugins[node].parameters[index], prepared.usesInput, plan.notes)
  }

  private static func values(
    _ low: Double, _ high: Double, _ count: Int, _ isLogarithmic: Bool, isInteger: Bool
  ) -> [String] {
    var texts: [String] = []
    for step in 0 ..< count {
      let fraction = Double(step) / Double(count - 1)
      let value = isLogarithmic ? low * pow(high / low, fraction) : low + (high - low) * fraction
      let text = NumberFormat.short(isInteger ? value.rounded() : value, places: 4)
      if !texts.contains(text) { texts.append(text) }
    }
    return texts
  }

  /// Renders one value; returns messages.
  ///
  /// - Throws: `SideError`.
  func render(
    _ value: String, to file: String, _ replaces: Bool, _ interruption: TerminationSignals
  ) throws -> [String] {
    var words = chain
    words[wordIndex] = "\(symbol)=\(value)"
    let signal = usesInput && options.input == nil ? try TestSignal.file() : nil
    let input = options.input.map { ["-i", $0] } ?? (signal == nil ? [] : ["-i", "-"])
    let process = RenderProcess(
      words + options.arguments + input + ["-o", file] + (replaces ? ["--force"] : []))
    return try process.run(input: signal?.descriptor, output: nil, interruption)
  }
}
