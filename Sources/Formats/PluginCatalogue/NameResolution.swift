// NameResolution.swift: the plugin that a person means. SPDX-License-Identifier: MIT

internal import PluginModel

/// Finds the plugin that a name stands for.
///
/// In this order: the very identifier; the name of a native module; the name of any plugin; a part of names
/// or identifiers that occurs in one plugin alone. Names win over parts, so that `Delay` is the plugin
/// of that name though forty others contain the word. A name may be written in any case of letters and
/// without its blanks and punctuation, and a module's id without what precedes its last dot: `de-esser`,
/// `deesser` and `De Esser` are the same. Modules come first, so that `reverb` means the same on every
/// machine, whatever LV2 plugins are installed there.
struct NameResolution {
  private let entries: [CatalogueEntry]

  init(_ entries: [CatalogueEntry]) { self.entries = entries }

  /// The plugin with this very identifier, the module of this name, or the only plugin of this very name.
  func exact(_ name: String) -> CatalogueEntry? {
    if let entry = entries.first(where: { $0.identifier == name }) { return entry }
    let same = named(name)
    let modules = same.filter { $0.kind == .module }
    if modules.count == 1 { return modules[0] }
    guard modules.isEmpty else { return nil }
    let loose = loosely(named: name, among: entries.filter { $0.kind == .module })
    if loose.count == 1 { return loose[0] }
    return same.count == 1 ? same[0] : nil
  }

  /// The one plugin meant, or an error that lists what may have been meant.
  func resolve(_ name: String) throws(CatalogueError) -> CatalogueEntry {
    let wanted = name.lowercased()
    guard wanted.contains(where: { !$0.isWhitespace }) else { throw .empty }
    if let entry = exact(name) { return entry }
    let same = named(name)
    if !same.isEmpty { throw .ambiguous(name: name, candidates: same.map(\.candidate)) }
    let loose = loosely(named: name, among: entries)
    if loose.count == 1 { return loose[0] }
    if loose.count > 1 { throw .ambiguous(name: name, candidates: loose.map(\.candidate)) }
    let containing = entries.filter {
      $0.name.lowercased().contains(wanted) || $0.identifier.lowercased().contains(wanted)
    }
    switch containing.count {
    case 0: throw .unknown(name: name, nearest: nearest(to: wanted))
    case 1: return containing[0]
    default: throw .ambiguous(name: name, candidates: containing.map(\.candidate))
    }
  }

  private func named(_ name: String) -> [CatalogueEntry] {
    let wanted = name.lowercased()
    return entries.filter {
      $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == wanted
    }
  }

  /// Plugins whose name, or whose id or its last part, has the same letters and digits.
  private func loosely(named name: String, among entries: [CatalogueEntry]) -> [CatalogueEntry] {
    let wanted = Self.letters(name)
    guard !wanted.isEmpty else { return [] }
    return entries.filter { entry in
      guard entry.kind == .module else { return Self.letters(entry.name) == wanted }
      let last = entry.identifier.split(separator: ".").last.map(String.init) ?? ""
      return [entry.name, entry.identifier, last].contains { Self.letters($0) == wanted }
    }
  }

  /// Small letters and digits alone.
  private static func letters(_ name: String) -> String {
    String(name.lowercased().filter { $0.isLetter || $0.isNumber })
  }

  /// Up to five plugins whose name, or the last part of whose identifier, is spelt nearly so.
  private func nearest(to wanted: String) -> [CatalogueError.Candidate] {
    // A third of the letters wrong is still a misspelling; more is another word.
    let limit = max(1, wanted.count / 3)
    let letters = Array(wanted)
    let scored = entries.compactMap { entry -> (distance: Int, entry: CatalogueEntry)? in
      let last = entry.identifier.split(whereSeparator: { "/#:".contains($0) }).last.map(
        String.init)
      let distance = [entry.name, last ?? ""].map {
        editDistance(from: letters, to: Array($0.lowercased()))
      }.min()
      guard let distance, distance <= limit else { return nil }
      return (distance, entry)
    }
    // Much farther off than the best is not meant, however few letters there are.
    let farthest = (scored.map(\.distance).min() ?? 0) + 1
    return scored.filter { $0.distance <= farthest }.sorted {
      ($0.distance, $0.entry.name) < ($1.distance, $1.entry.name)
    }
    .prefix(5).map(\.entry.candidate)
  }
}

extension CatalogueEntry {
  var candidate: CatalogueError.Candidate {
    CatalogueError.Candidate(name: name, identifier: identifier)
  }
}
