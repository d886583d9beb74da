// NameResolution.swift: finds a plugin by name. SPDX-License-Identifier: MIT

internal import PluginModel

/// Finds the plugin with a name.
///
/// The order is: an identifier; the name of a plugin of a preferred kind; the name of any plugin; a part of a name or
/// identifier that occurs in only one plugin. So `Delay` is the plugin with that name, although other names
/// contain the word. Case, blanks and punctuation are ignored, as is the part of a module's id before the last
/// dot: `de-esser`, `deesser` and `De Esser` are the same. Native modules are preferred, so that `reverb` has the same
/// meaning on every machine.
struct NameResolution {
  private let entries: [CatalogueEntry]

  /// The kinds whose names come first.
  private let preferred: Set<PluginKind>

  init(_ entries: [CatalogueEntry], preferring preferred: Set<PluginKind> = []) {
    self.entries = entries
    self.preferred = preferred
  }

  /// Returns the plugin with this identifier, the preferred one with this name, or the only one with this name.
  func exact(_ name: String) -> CatalogueEntry? {
    if let entry = entries.first(where: { $0.identifier == name }) { return entry }
    let same = named(name)
    let first = same.filter { preferred.contains($0.kind) }
    if first.count == 1 { return first[0] }
    guard first.isEmpty else { return nil }
    let loose = loosely(named: name, among: entries.filter { preferred.contains($0.kind) })
    if loose.count == 1 { return loose[0] }
    return same.count == 1 ? same[0] : nil
  }

  /// Returns the plugin, or throws an error that lists candidates.
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

  /// Returns plugins whose name, id, or last part of the id has the same letters and digits.
  private func loosely(named name: String, among entries: [CatalogueEntry]) -> [CatalogueEntry] {
    let wanted = Self.letters(name)
    guard !wanted.isEmpty else { return [] }
    return entries.filter { entry in
      guard preferred.contains(entry.kind) else { return Self.letters(entry.name) == wanted }
      let last = entry.identifier.split(separator: ".").last.map(String.init) ?? ""
      return [entry.name, entry.identifier, last].contains { Self.letters($0) == wanted }
    }
  }

  /// Returns only letters and digits, in lower case.
  private static func letters(_ name: String) -> String {
    String(name.lowercased().filter { $0.isLetter || $0.isNumber })
  }

  /// Returns up to five plugins with a similar name or last part of the identifier, the most similar first.
  private func nearest(to wanted: String) -> [CatalogueError.Candidate] {
    // Modules share the first parts of their ids, which would make all of them similar.
    let isID = wanted.contains(".") && !wanted.contains { "/#: ".contains($0) }
    let breaks = isID ? "/#:." : "/#:"
    let name = isID ? wanted.split(separator: ".").last.map(String.init) ?? wanted : wanted
    // Up to a third of the letters may differ.
    let limit = max(1, name.count / 3)
    let letters = Array(name)
    let scored = entries.compactMap { entry -> (distance: Int, entry: CatalogueEntry)? in
      let last = entry.identifier.split(whereSeparator: { breaks.contains($0) }).last.map(
        String.init)
      let distance = [entry.name, last ?? ""].map { Array($0.lowercased()) }
        // A very long word would take minutes.
        .filter { abs($0.count - letters.count) <= limit }
        .map { editDistance(from: letters, to: $0) }.min()
      guard let distance, distance <= limit else { return nil }
      return (distance, entry)
    }
    // Candidates much worse than the best are dropped.
    let maximumDistance = (scored.map(\.distance).min() ?? 0) + 1
    /// For an id, the preferred kinds come first, as for a name that several plugins have.
    func rank(_ one: (distance: Int, entry: CatalogueEntry)) -> (Int, Int, String) {
      (isID && preferred.contains(one.entry.kind) ? 0 : 1, one.distance, one.entry.name)
    }
    return scored.filter { $0.distance <= maximumDistance }.sorted { rank($0) < rank($1) }
      .prefix(5).map(\.entry.candidate)
  }
}

extension CatalogueEntry {
  var candidate: CatalogueError.Candidate {
    CatalogueError.Candidate(name: name, identifier: identifier)
  }
}
