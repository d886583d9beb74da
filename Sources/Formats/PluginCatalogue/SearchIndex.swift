// SearchIndex.swift: search for plugins by purpose. SPDX-License-Identifier: MIT

package import PluginModel

/// Finds plugins by what they are for: by name, category, description, presets, parameters, and synonyms of all these.
///
/// A request is split into terms. Each term counts once, at the best position of the term or a synonym. A match must
/// have about as many terms as the best one. A term counts half in fields that say little about the purpose. A word for
/// what is processed, such as a guitar, counts half, too. Among equal matches, native modules come first.
package struct SearchIndex: Sendable {
  private struct Part {
    let field: SearchMatch.Field
    let text: String
    let stems: [String]

    /// A text with its stems, and those of words that capitals divide.
    init(_ field: SearchMatch.Field, _ text: String) {
      (self.field, self.text) = (field, text)
      let stems = SearchText.stems(text)
      let whole = SearchText.stems(text.lowercased())
      self.stems = stems + whole.filter { !stems.contains($0) }
    }

    /// The text, or the words around a phrase if it is long.
    func excerpt(around phrase: [String]) -> String {
      let words = SearchText.words(text)
      let start = words.indices.first { hit in
        words[hit...].prefix(phrase.count).map(SearchText.stem) == phrase
      }
      guard words.count > SearchIndex.excerptWords, let start else { return text }
      let first = max(0, start - 2)
      let last = min(words.count, start + phrase.count + 2)
      return (first > 0 ? "… " : "") + words[first ..< last].joined(separator: " ")
        + (last < words.count ? " …" : "")
    }
  }

  private struct Entry {
    let target: SearchMatch.Target
    let kind: PluginKind?
    let name: String
    let category: String
    let summary: String
    let isPreferred: Bool
    let isUsable: Bool
    let parts: [Part]

    /// The preset with exactly these words, or the name if there are several.
    func part(equalTo stems: [String]) -> Part? {
      let fields: [SearchMatch.Field] = stems.count > 1 ? [.name, .preset] : [.preset]
      return parts.first { fields.contains($0.field) && $0.stems == stems }
    }
  }

  private static let weights: [SearchMatch.Field: Double] = [
    .name: 10, .category: 7, .description: 6, .preset: 4, .identifier: 4, .port: 3, .parameter: 3,
    .property: 2,
    .vendor: 2,
  ]
  /// The category of instruments, whose presets are sounds; those of effects say a purpose.
  private static let instrumentCategory = "Instrument"
  /// The fields whose words say little about the purpose.
  private static let weakFields: Set<SearchMatch.Field> = [.parameter, .property, .port]
  /// How many terms less than the best match another one may have, in halves for weak fields.
  private static let allowedGap = 0.5
  /// The difference in weight between a synonym and the one before it, and the minimum weight.
  private static let (synonymStep, minimumWeight) = (0.08, 0.25)
  /// The weight of a part of a word, and its minimum length.
  private static let (prefixWeight, shortestPrefix) = (0.5, 4)
  /// What a name or preset counts more that has all words of the request and no other.
  private static let (exactScore, exactWordScore) = (20.0, 0.5)
  private static let suggestionCount = 5
  /// A longer text is shown in part.
  private static let excerptWords = 6

  private let entries: [Entry]

  /// Indexes plugins, and the commands of this program. [any]
  ///
  /// - Parameters:
  ///   - plugins: the plugins.
  ///   - presets: the names of presets that are in no description, by the identifier of the plugin.
  ///   - preferred: the kinds that come first among equal matches.
  ///   - hasCommands: whether commands are found as well.
  package init(
    _ plugins: [PluginDescription], presets: [String: [String]] = [:],
    preferring preferred: Set<PluginKind> = [],
    hasCommands: Bool = true
  ) {
    entries =
      plugins.map {
        Self.entry(
          $0, presets[$0.identifier] ?? [], isPreferred: preferred.contains($0.kind))
      }
      + (hasCommands ? SearchTables.commands.map(Self.entry) : [])
  }

  private static func entry(
    _ plugin: PluginDescription, _ presets: [String], isPreferred: Bool
  ) -> Entry {
    let ports = (plugin.audioInputs + plugin.cvInputs).map(\.group).filter { $0 != "main" }
    let last = plugin.identifier.split { "/#:.".contains($0) }.last.map(String.init) ?? ""
    let parameters = plugin.parameters.flatMap { [$0.name] + $0.choices.map(\.name) }
    let texts: [(SearchMatch.Field, [String])] = [
      (.name, [plugin.name]), (.category, [plugin.category]), (.description, [plugin.summary]),
      (.preset, plugin.presets.map(\.name) + presets), (.parameter, parameters),
      (.port, Array(Set(ports)).sorted()),
      (.property, plugin.properties.map(\.name)), (.vendor, [plugin.maker]), (.identifier, [last]),
    ]
    return Entry(
      target: .plugin(plugin.identifier), kind: plugin.kind, name: plugin.name,
      category: plugin.category,
      summary: plugin.summary, isPreferred: isPreferred, isUsable: plugin.refusal == nil,
      parts: texts.flatMap { field, texts in texts.filter { !$0.isEmpty }.map { Part(field, $0) } })
  }

  private static func entry(_ command: SearchTables.Command) -> Entry {
    let words = command.words.split(separator: ",").map(String.init)
    return Entry(
      target: .command(command.line), kind: nil, name: command.line, category: "",
      summary: command.purpose,
      isPreferred: false, isUsable: true,
      parts: [Part(.description, command.purpose)] + words.map { Part(.name, $0) })
  }

  // MARK: - Search

  /// Returns the matches of a request, the best one first, or similar words. [any]
  package func search(_ request: String) -> SearchAnswer {
    let terms = SearchSynonyms.standard.terms(of: request)
    let whole = SearchText.stems(request)
    var exact: [SearchMatch] = []
    let scored = entries.compactMap { entry -> SearchMatch? in
      guard var match = match(entry, terms) else { return nil }
      guard let part = entry.part(equalTo: whole) else { return match }
      match.reasons = match.reasons.map {
        .init(words: $0.words, field: part.field, text: part.text)
      }
      match.score += whole.count > 1 ? Self.exactScore : Self.exactWordScore
      exact.append(match)
      return nil
    }
    let bestCoverage = scored.map { Self.coverage($0.reasons) }.max() ?? 0
    let matches =
      (exact + scored.filter { Self.coverage($0.reasons) >= bestCoverage - Self.allowedGap })
      .sorted {
        ($1.score, $0.name.lowercased()) < ($0.score, $1.name.lowercased())
      }
    return SearchAnswer(
      matches: matches, suggestions: matches.isEmpty ? suggestions(for: request) : [])
  }

  /// The number of terms, in halves for weak fields.
  private static func coverage(_ reasons: [SearchMatch.Reason]) -> Double {
    reasons.map { reason in
      let isWeak = [.preset, .vendor].contains(reason.field) || weakFields.contains(reason.field)
      return termWeight(of: reason.words) * (isWeak ? 0.5 : 1)
    }.reduce(0, +)
  }

  /// The weight of a term: half if it names only the signal that a plugin processes.
  private static func termWeight(of term: String) -> Double { SearchText.isSource(term) ? 0.5 : 1 }

  /// Removes the terms of all presets but one: words of several presets do not make a purpose together.
  private static func limitToOnePreset(_ found: inout [Found]) {
    let presets = found.filter { $0.hit.part.field == .preset }
    let groups = Dictionary(grouping: presets) { $0.hit.part.text }.values
    let best = groups.max { ($0.count, $1[0].hit.part.text) < ($1.count, $0[0].hit.part.text) }
    guard groups.count > 1, let text = best?.first?.hit.part.text else { return }
    found.removeAll { $0.hit.part.field == .preset && $0.hit.part.text != text }
  }

  /// A term with the hit that counts most for it.
  private typealias Found = (term: SearchSynonyms.Term, hit: Hit)

  private func match(_ entry: Entry, _ terms: [SearchSynonyms.Term]) -> SearchMatch? {
    var found: [Found] = terms.compactMap { term in
      best(entry, term).map { (term: term, hit: $0) }
    }
    Self.limitToOnePreset(&found)
    // Sounds of an instrument and words of its controls do not make a purpose together.
    if entry.category == Self.instrumentCategory,
      found.contains(where: { Self.weakFields.contains($0.hit.part.field) })
    {
      found.removeAll { $0.hit.part.field == .preset }
    }
    let reasons = found.map { term, hit in
      SearchMatch.Reason(
        words: term.text, field: hit.part.field, text: hit.part.excerpt(around: hit.phrase))
    }
    var score = found.map { $0.hit.value * Self.termWeight(of: $0.term.text) }.reduce(0, +)
    guard !reasons.isEmpty else { return nil }
    if entry.isPreferred { score *= 1.25 }
    if !entry.isUsable { score *= 0.25 }
    return SearchMatch(
      target: entry.target, kind: entry.kind, name: entry.name, category: entry.category,
      summary: entry.summary,
      reasons: reasons, score: score)
  }

  /// A phrase in a part of an entry, and what it counts.
  private struct Hit {
    var value: Double
    let part: Part
    let phrase: [String]
  }

  /// Returns the hit that counts most for a term.
  private func best(_ entry: Entry, _ term: SearchSynonyms.Term) -> Hit? {
    var best: Hit?
    var sum = 0.0
    for (index, alternative) in term.alternatives.enumerated() {
      let factor = max(Self.minimumWeight, 1 - Self.synonymStep * Double(index))
      let hits = alternative.compactMap { hit(of: $0, in: entry) }
      // Of several phrases, the weakest decides. Together they are rarer than one.
      guard hits.count == alternative.count, var found = hits.min(by: { $0.value < $1.value })
      else { continue }
      found.value = factor * (found.value + (hits.count > 1 ? 3 : 0))
      sum += found.value
      if found.value > best?.value ?? 0 { best = found }
    }
    // Several synonyms are better than one, but the best one decides.
    guard var best else { return nil }
    best.value += 0.1 * (sum - best.value)
    return best
  }

  private func hit(of phrase: [String], in entry: Entry) -> Hit? {
    let hits = entry.parts.compactMap { part -> Hit? in
      guard let weight = Self.weights[part.field] else { return nil }
      if SearchText.contains(part.stems, phrase) {
        // A text of few words is about these words.
        let others = Double(part.stems.count - phrase.count) / Double(part.stems.count)
        return Hit(value: weight * (1 - 0.3 * others), part: part, phrase: phrase)
      }
      // A part of the vendor's name says nothing.
      guard part.field != .vendor, phrase.count == 1, phrase[0].count >= Self.shortestPrefix,
        part.stems.contains(where: { $0.hasPrefix(phrase[0]) })
      else { return nil }
      return Hit(value: weight * Self.prefixWeight, part: part, phrase: phrase)
    }
    return hits.max { $0.value < $1.value }
  }

  /// Returns the words that are most similar to those of a request.
  private func suggestions(for request: String) -> [String] {
    let texts = entries.flatMap { [$0.name, $0.category] }
    let known = Set(texts.flatMap(SearchText.words) + SearchSynonyms.standard.words)
      .filter { $0.count > 2 }
    var found: [(distance: Int, word: String)] = []
    for word in SearchText.words(request) {
      let letters = Array(word)
      for other in known {
        let distance = editDistance(from: letters, to: Array(other))
        if distance <= max(1, word.count / 3) { found.append((distance, other)) }
      }
    }
    let sorted = found.sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }.map(\.word)
    return sorted.reduce(into: []) { list, word in
      if list.count < Self.suggestionCount, !list.contains(word) { list.append(word) }
    }
  }
}
