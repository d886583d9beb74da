// SearchSynonyms.swift: the synonyms of the search by purpose. SPDX-License-Identifier: MIT

/// Phrases of users, and the phrases of plugins that they mean.
struct SearchSynonyms {
  /// Words of a request that are looked up together.
  struct Term: Equatable {
    /// The words of the request.
    let text: String
    /// The texts that a plugin must contain: one alternative, with all its phrases.
    ///
    /// The best alternative is first.
    let alternatives: [[[String]]]
  }

  private struct Concept {
    let phrases: [[String]]
    let alternatives: [[[String]]]
  }

  private let concepts: [Concept]

  /// Reads lines as `SearchTables` describes them.
  init(_ text: String) {
    concepts = text.split(separator: "\n").compactMap { line in
      let sides = line.split(separator: "=")
      guard sides.count == 2 else { return nil }
      return Concept(
        phrases: sides[0].split(separator: ",").map { SearchText.stems(String($0)) },
        alternatives: sides[1].split(separator: ",").map { alternative in
          alternative.split(separator: "+").map { SearchText.stems(String($0)) }
        })
    }
  }

  static let standard = SearchSynonyms(SearchTables.synonyms)

  /// All words of users, for suggestions.
  var words: [String] {
    SearchTables.synonyms.split(separator: "\n").flatMap { line in
      SearchText.words(String(line.split(separator: "=")[0]))
    }
  }

  /// Splits a request into terms: the longest known phrases, and other words.
  ///
  /// Fillers and sources between the words of a phrase are skipped: `tune my guitar` is `tune guitar`.
  func terms(of request: String) -> [Term] {
    let words = SearchText.words(request)
    var terms: [Term] = []
    var rest: [String] = []
    var index = 0
    while index < words.count {
      if let (phrase, length) = longestPhrase(at: index, in: words) {
        let text = words[index ..< index + length].joined(separator: " ")
        let term = Term(text: text, alternatives: alternatives(of: phrase))
        // Two phrases of one concept, as in `widen the stereo image`, say it once.
        let isNew = !terms.contains { $0.alternatives.dropFirst() == term.alternatives.dropFirst() }
        if isNew { terms.append(term) }
        index += length
      } else {
        rest.append(words[index])
        index += 1
      }
    }
    let other =
      terms.isEmpty ? SearchText.meaningful(rest) : rest.filter { !SearchText.isStopWord($0) }
    return terms + other.map { Term(text: $0, alternatives: [[[SearchText.stem($0)]]]) }
  }

  /// Returns the known phrase with most words at an index of a request, and how many words it covers there.
  private func longestPhrase(
    at index: Int, in words: [String]
  ) -> (phrase: [String], length: Int)? {
    let found = concepts.flatMap(\.phrases).compactMap { phrase in
      Self.length(of: phrase, in: words[index...]).map { (phrase: phrase, length: $0) }
    }
    // Of phrases with equally many words, that without fillers.
    return found.max { ($0.phrase.count, -$0.length) < ($1.phrase.count, -$1.length) }
  }

  /// Returns how many words a phrase covers at the start of `words`; nil if it is not there.
  private static func length(of phrase: [String], in words: ArraySlice<String>) -> Int? {
    var (covered, found) = (0, 0)
    for word in words {
      covered += 1
      if SearchText.stem(word) == phrase[found] {
        found += 1
        if found == phrase.count { return covered }
      } else if found == 0 || !SearchText.mayDivide(word) {
        return nil
      }
    }
    return nil
  }

  /// The phrase itself, then those of all concepts that have it.
  private func alternatives(of phrase: [String]) -> [[[String]]] {
    let found = concepts.filter { $0.phrases.contains(phrase) }
    return found.isEmpty ? [] : [[phrase]] + found.flatMap(\.alternatives)
  }
}
