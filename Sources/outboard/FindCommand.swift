// FindCommand.swift: `outboard find`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import ErrorModel
import InstalledFormats
import PluginCatalogue
import PluginLoading
import PluginModel
import PluginReports

/// Finds plugins by purpose.
struct FindCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "Find plugins by what they are for.",
    discussion: """
      outboard find "remove noise"
      outboard find ducking
      outboard find guitar cabinet --kind lv2

      Names, categories, descriptions, presets and parameters are searched, with synonyms. The best match \
      comes first.
      """)

  @Argument(help: "What the plugin is for.")
  var words: [String]
  @Option(help: ArgumentHelp("Only this kind: lv2 or module.", valueName: "kind"))
  var kind: PluginKind?
  @Option(help: ArgumentHelp("Maximum number of matches.", valueName: "count"))
  var limit = 10
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    try OptionRanges.check("limit", limit, 1 ... 10_000)
    try OptionRanges.check(request: words)
    guard words.contains(where: { $0.contains { $0.isLetter || $0.isNumber } }) else {
      throw ValidationError("Say what the plugin is for, for example: outboard find echo.")
    }
  }

  func run() throws {
    let request = words.joined(separator: " ")
    let answer = PluginLibrary().searchIndex(of: kind).search(request)
    guard !answer.matches.isEmpty else { throw NothingFound(request, answer.suggestions) }
    let shown = answer.matches.prefix(limit)
    guard !json else { return JSONOutput.print(shown.map(FoundJSON.init)) }
    var table = Table([
      .init("NAME", canShrink: true), .init("KIND"), .init("MATCH", canShrink: true), .init("ID"),
    ])
    for match in shown {
      table.add([
        match.isCommand ? "" : match.name, match.kindText, match.reasonText, match.identifier,
      ])
    }
    for line in table.lines(width: Terminal.output.columns) { Terminal.output.writeLine(line) }
    let hidden = answer.matches.count - shown.count
    guard hidden > 0, Terminal.output.isInteractive else { return }
    Terminal.error.writeLine("\(hidden) more: --limit \(answer.matches.count)")
  }
}

extension SearchMatch {
  fileprivate var isCommand: Bool { kind == nil }

  fileprivate var kindText: String { kind?.rawValue ?? "command" }

  /// The id, or the command line.
  fileprivate var identifier: String {
    switch target {
    case .plugin(let identifier): identifier
    case .command(let line): line
    }
  }

  /// Why it was found, for example `category Compressor`.
  fileprivate var reasonText: String {
    guard !isCommand else { return summary }
    var texts: [String] = []
    for reason in reasons {
      let text = reason.field == .name ? "name" : "\(reason.field.rawValue) \(reason.text)"
      if !texts.contains(text) { texts.append(text) }
    }
    return texts.joined(separator: ", ")
  }
}

/// A match as JSON.
private struct FoundJSON: Encodable {
  struct Reason: Encodable {
    let words: String
    let field: String
    let text: String
  }

  let id: String
  let name: String
  let kind: String
  let category: String
  let description: String
  let score: Double
  let reasons: [Reason]

  init(_ match: SearchMatch) {
    id = match.identifier
    name = match.name
    kind = match.kindText
    category = match.category
    description = match.summary
    score = match.score
    reasons = match.reasons.map { Reason(words: $0.words, field: $0.field.rawValue, text: $0.text) }
  }
}

/// No plugin fits a request.
struct NothingFound: HostError {
  let description: String
  var kind: ErrorKind { .failure }

  init(_ request: String, _ suggestions: [String]) {
    let advice =
      suggestions.isEmpty
      ? "Run `outboard list` to see all plugins."
      : "Similar words: \(suggestions.joined(separator: ", "))."
    description = "No installed plugin matches \"\(request)\". \(advice)"
  }
}
