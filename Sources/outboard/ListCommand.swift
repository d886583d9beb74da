// ListCommand.swift: `outboard list`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import InstalledFormats
import PluginCatalogue
import PluginLoading
import PluginModel
import PluginReports
import PluginValidation
import RigSchema

/// Lists the installed plugins.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List installed plugins.",
    discussion: """
      Search terms match the name, id, category or vendor, and otherwise the purpose, as in `outboard find`.
      """)

  @Argument(help: "Search terms; all must match.")
  var terms: [String] = []
  @Option(help: ArgumentHelp("Only this category.", valueName: "category"))
  var category: String?
  @Option(help: ArgumentHelp("Only this kind: lv2 or module.", valueName: "kind"))
  var kind: PluginKind?
  @Option(help: ArgumentHelp("Only plugins with this many audio inputs.", valueName: "count"))
  var inputs: Int?
  @Option(help: ArgumentHelp("Only plugins with this many audio outputs.", valueName: "count"))
  var outputs: Int?
  @Flag(help: "Only unusable plugins, with the reason.")
  var unusable = false
  @Flag(help: "List the installed rigs instead.")
  var rigs = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws { try OptionRanges.check(request: terms) }

  func run() throws {
    if rigs { return printRigs() }
    let library = PluginLibrary()
    let catalogue = library.catalogue
    var filter = CatalogueFilter()
    filter.text = terms.joined(separator: " ")
    filter.category = category
    filter.kind = kind
    filter.audioInputCount = inputs
    filter.audioOutputCount = outputs
    var found = catalogue.entries(matching: filter)
    if found.isEmpty, !terms.isEmpty { found = matches(of: filter, library) }
    if found.isEmpty, let category { try checkCategory(category, catalogue) }
    if unusable {
      explain(found, catalogue)
    } else if json {
      JSONOutput.print(
        zip(found, catalogue.ratings(of: found)).compactMap { entry, rating in
          catalogue.description(of: entry).map { PluginReport($0, rating: rating?.word) }
        })
    } else {
      printTable(found, catalogue)
      report(catalogue.faults)
    }
  }

  private struct Rig: Encodable {
    let name: String
    let path: String
  }

  /// Prints the rigs that `run --rig NAME` accepts.
  private func printRigs() {
    let rigs = RigDirectories.names.map { Rig(name: $0, path: RigDirectories.path(of: $0)) }
    guard !json else { return JSONOutput.print(rigs) }
    var table = Table([.init("NAME"), .init("FILE")])
    for rig in rigs { table.add([rig.name, rig.path]) }
    for line in table.lines(width: Terminal.output.columns) { Terminal.output.writeLine(line) }
  }

  /// Returns the plugins that `find` finds, if no name, id, category or vendor has the terms.
  private func matches(of filter: CatalogueFilter, _ library: PluginLibrary) -> [CatalogueEntry] {
    let identifiers = library.searchIndex(of: kind).search(filter.text).matches.compactMap {
      match in
      if case .plugin(let identifier) = match.target { identifier } else { nil }
    }
    var rest = filter
    rest.text = ""
    let others = library.catalogue.entries(matching: rest)
    return identifiers.compactMap { identifier in others.first { $0.identifier == identifier } }
  }

  private func checkCategory(_ category: String, _ catalogue: Catalogue) throws {
    let known = Set(catalogue.entries.map(\.category)).subtracting([""]).sorted()
    let isKnown = known.contains { $0.lowercased().contains(category.lowercased()) }
    guard !isKnown, !known.isEmpty else { return }
    throw ValidationError(
      "No installed plugin has the category \(category). Known categories:"
        + " \(known.joined(separator: ", "))."
    )
  }

  /// Returns one line for each unusable item: refused plugins, plugins that failed preflight, unreadable bundles, and
  /// plugins hidden by another one with the same identifier.
  private func explain(_ found: [CatalogueEntry], _ catalogue: Catalogue) {
    let reasons =
      found.compactMap { entry in
        (entry.refusal ?? catalogue.cachedPreflight(entry)?.refusal).map {
          Reason(what: entry.identifier, why: $0)
        }
      }
      + catalogue.faults.map { Reason(what: $0.unit, why: $0.message) }
      + catalogue.duplicates.map { Reason(what: $0.ignored, why: $0.message) }
    if json {
      JSONOutput.print(reasons)
    } else {
      for reason in reasons { Terminal.output.writeLine(reason.line) }
    }
  }

  private struct Reason: Encodable {
    let what: String
    let why: String

    /// The message alone, if it already names its subject.
    var line: String { why.contains(what) ? why : "\(what): \(why)" }
  }

  private func report(_ faults: [ScanError]) {
    guard !faults.isEmpty else { return }
    let what = faults.count == 1 ? "1 bundle" : "\(faults.count) bundles"
    Terminal.error.writeLine(
      "outboard: \(what) could not be read. Run `outboard list --unusable` to see the reason.")
  }

  private func printTable(_ plugins: [CatalogueEntry], _ catalogue: Catalogue) {
    guard !plugins.isEmpty else {
      Terminal.error.writeLine(
        "outboard: No installed plugin matches. Run `outboard list` to"
          + " see all plugins.")
      return
    }
    let ratings = catalogue.ratings(of: plugins).map { $0?.word ?? "" }
    // The column is shown only if a plugin was validated.
    let hasRatings = ratings.contains { !$0.isEmpty }
    var table = Table(
      [
        .init("NAME", canShrink: true), .init("KIND"), .init("CATEGORY", canShrink: true),
        .init("IN", .right), .init("OUT", .right),
      ] + (hasRatings ? [.init("RATING")] : []) + [.init("ID")])
    for (plugin, rating) in zip(plugins, ratings) {
      table.add(
        [
          plugin.name, plugin.kind.rawValue + (plugin.refusal == nil ? "" : " (unusable)"),
          plugin.category, "\(plugin.audioInputCount)", "\(plugin.audioOutputCount)",
        ] + (hasRatings ? [rating] : []) + [plugin.identifier])
    }
    // Print everything with one write; one write per line costs a system call each.
    let lines = table.lines(width: Terminal.output.columns)
    Terminal.output.write(lines.joined(separator: "\n") + "\n")
    guard Terminal.output.isInteractive else { return }
    let unusableCount = plugins.count { $0.refusal != nil }
    let hint = unusableCount > 0 ? ", \(unusableCount) of them unusable (see --unusable)" : ""
    Terminal.error.writeLine("\(plugins.count) plugins\(hint)")
  }
}

extension PluginKind: ExpressibleByArgument {
  /// Ignores case.
  package init?(argument: String) {
    self.init(rawValue: argument.lowercased())
    guard !FormatRegistry.installed.formats(of: self).isEmpty else { return nil }
  }
  /// Built-in nodes are not installed, so they are not listed.
  package static var allValueStrings: [String] {
    FormatRegistry.installed.installedKinds.map(\.rawValue)
  }
}
