// EcasoundChains.swift: chain setups of ecasound. SPDX-License-Identifier: MIT

import Glibc
import Manifests

/// Chain setups (.ecs) and command lines of ecasound, as ecasound(1) and ecasoundrc(5) describe them.
enum EcasoundChains: ProjectFormat {
  static func recognises(_ source: ProjectSource) -> Bool {
    guard source.entries == nil else { return false }
    let text = source.text
    if text.hasPrefix("# ecasound chainsetup") { return true }
    let words = EcasoundReader.words(text)
    guard words.first?.text == "ecasound" || words.first?.text.hasPrefix("-") == true else {
      return false
    }
    let options = ["-i:", "-o:", "-a:", "-el:", "-eli:", "-elv2:"]
    return words.count { word in
      options.contains { word.text.hasPrefix($0) || word.text == $0.dropLast() }
    } >= 2
  }

  static func read(_ source: ProjectSource) throws -> ForeignProject {
    var reader = EcasoundReader(name: source.stem)
    for word in EcasoundReader.words(source.text) { reader.read(word) }
    return reader.finished()
  }
}

/// Reads the options in order.
private struct EcasoundReader {
  /// An option with its line.
  struct Word {
    let text: String
    let line: Int
  }

  /// The inputs or outputs of chains.
  struct Devices {
    private(set) var names: [String] = []
    /// The indices in `names`, by chain.
    private(set) var indices: [String: Int] = [:]

    mutating func add(_ text: String, _ chains: [String]) {
      let name = text.hasSuffix(",") ? String(text.dropLast()) : text
      if !names.contains(name) { names.append(name) }
      for chain in chains { indices[chain] = names.firstIndex(of: name) }
    }
  }

  private var project: ForeignProject
  private var chains: [String] = []
  private var selected: [String] = []
  /// Gains that no plugin has got yet, by chain.
  private var gains: [String: Double] = [:]
  private var inputs = Devices()
  private var outputs = Devices()
  private var channelCount: Int?
  private var formatChannelCount: Int?
  private var averages = true

  init(name: String) { project = ForeignProject(format: "ecasound chain setup", name: name) }

  /// Splits a text at blanks; a backslash and quotes keep them, `#` begins a comment.
  static func words(_ text: String) -> [Word] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
      .flatMap { index, line -> [Word] in
        guard line.first(where: { !$0.isWhitespace }) != "#" else { return [] }
        return CommandWords.split(line).map { Word(text: $0, line: index + 1) }
      }
  }

  mutating func read(_ word: Word) {
    guard word.text.hasPrefix("-") else { return }
    let parts = word.text.dropFirst().split(separator: ":", maxSplits: 1).map(String.init)
    let argument = parts.count > 1 ? parts[1] : ""
    if parts.count == 1, ["i", "o", "a"].contains(parts[0]) {
      project.notes.append(
        ImportNote(
          "", line: word.line,
          .unsupported(
            feature: "The option \(word.text)",
            advice: "Write its value after a colon, without a blank, e.g. `-i:voice.wav`.")))
      return
    }
    switch parts.first ?? "" {
    case "n": project.name = argument.isEmpty ? project.name : argument
    case "a": select(argument)
    case "f": readFormat(argument)
    case "i": addInput(argument)
    case "o": outputs.add(argument, selectedChains())
    case "z": if argument == "mixmode,sum" { averages = false }
    case "elv2": add(argument, word) { .lv2($0) }
    case "el": add(argument, word) { .ladspa(label: $0) }
    case "eli": add(argument, word) { EcasoundReader.plugin(withID: $0) }
    case "ea": multiply(by: EcasoundReader.numbers(argument).first.map { $0 / 100 })
    case "eadb": multiply(by: EcasoundReader.numbers(argument).first.map { pow(10, $0 / 20) })
    case let option where EcasoundReader.isEffect(option): unsupported(word)
    default: break
    }
  }

  func finished() -> ForeignProject {
    var project = project
    let width = channelCount ?? formatChannelCount
    project.topology = .series(channelCount: width)
    project.chainCount = max(1, chains.count)
    project.chainInputs = chains.map { inputs.indices[$0] ?? 0 }
    let indices = chains.map { outputs.indices[$0] ?? 0 }
    project.chainOutputs = indices
    // Chains with the same output are mixed.
    project.chainGains = zip(chains, indices).map { chain, output in
      (gains[chain] ?? 1) / (averages ? Double(indices.count { $0 == output }) : 1)
    }
    for (devices, kind) in [(inputs, "input"), (outputs, "output")] {
      for (index, name) in devices.names.enumerated() {
        let (first, last) = (index * (width ?? 0) + 1, (index + 1) * (width ?? 0))
        let channels = first == last ? "channel \(first)" : "channels \(first) to \(last)"
        project.notes.append(
          ImportNote(
            "",
            .unsupported(
              feature: "The \(kind) \(name)",
              advice: devices.names.count > 1 && width != nil
                ? "In the rig, it is \(channels) of `\(kind)`."
                : "Name it when you run or render the rig, or change `\(kind)` in the rig.")))
      }
    }
    return project
  }

  // MARK: - Chains

  private mutating func select(_ list: String) {
    selected = list.split(separator: ",").map(String.init)
    if list == "all" { selected = chains }
    selected = Array(selected.prefix(ProjectResolver.nodeLimit))
    for chain in selected
    where !chains.contains(chain) && chains.count <= ProjectResolver.nodeLimit {
      chains.append(chain)
    }
  }

  private mutating func selectedChains() -> [String] {
    if selected.isEmpty { select("default") }
    return selected
  }

  /// Reads `s16_le,2,44100`.
  private mutating func readFormat(_ text: String) {
    let parts = text.split(separator: ",").map(String.init)
    if parts.count > 1, let count = Int(parts[1]), 1 ... 64 ~= count { formatChannelCount = count }
    if parts.count > 2, let rate = Int(parts[2]), StreamLimits.ratesHz.contains(rate) {
      project.sampleRateHz = rate
    }
  }

  private mutating func addInput(_ text: String) {
    if channelCount == nil { channelCount = formatChannelCount }
    inputs.add(text, selectedChains())
  }

  // MARK: - Effects

  private mutating func add(
    _ argument: String, _ word: Word, _ plugin: (String) -> ForeignProject.Plugin
  ) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for chain in selectedChains() where !project.isFull {
      let name = project.freeName(
        parts[0].split(whereSeparator: { "/#:".contains($0) }).last.map(String.init) ?? "plugin")
      var node = ForeignProject.Node(name: name, plugin: plugin(parts[0]), line: word.line)
      if case .ladspa(let label) = node.plugin { node.name = project.freeName(label) }
      node.chain = chains.firstIndex(of: chain) ?? 0
      node.inputGain = gains.removeValue(forKey: chain) ?? 1
      for (index, text) in parts.dropFirst().enumerated() {
        guard let value = Double(text) else { continue }
        node.values.append(.init(key: .index(index), value: value))
      }
      project.nodes.append(node)
    }
  }

  private static func plugin(withID text: String) -> ForeignProject.Plugin {
    guard let label = Int(text).flatMap(LADSPACounterpart.label(ofID:)) else {
      return .other(format: "LADSPA", name: text)
    }
    return .ladspa(label: label)
  }

  private static func numbers(_ text: String) -> [Double] {
    text.split(separator: ",").compactMap { Double($0) }
  }

  private mutating func multiply(by gain: Double?) {
    guard let gain, gain.isFinite, gain >= 0 else { return }
    for chain in selectedChains() { gains[chain, default: 1] *= gain }
  }

  /// Whether an option is an effect, a preset or a controller (ecasound(1)).
  private static func isEffect(_ option: String) -> Bool {
    ["e", "g", "k", "pn", "pf", "ch"].contains { option.hasPrefix($0) }
  }

  private mutating func unsupported(_ word: Word) {
    project.notes.append(
      ImportNote(
        "", line: word.line,
        .unsupported(
          feature: "The effect \(word.text.shortened)",
          advice: "`outboard find` finds a plugin for it.")))
  }
}
