// SearchSynonyms.swift: the synonyms of the search by purpose. SPDX-License-Identifier: MIT

/// Phrases of users, and the phrases of plugins that they mean.
struct SearchSynonyms {
  /// Words of a request that are looked up together.
  struct Term: Equatable {
    /// The words of the request.
    let text: String
    /// What a plugin must contain: one alternative, with all its phrases.
    ///
    /// The best alternative is first.
    let alternatives: [[[String]]]
  }

  private struct Concept {
    let phrases: [[String]]
    let alternatives: [[[String]]]
  }

  private let concepts: [Concept]
  private let longest: Int

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
    longest = concepts.flatMap(\.phrases).map(\.count).max() ?? 1
  }

  static let standard = SearchSynonyms(SearchTables.synonyms)

  /// All words of users, for suggestions.
  var words: [String] {
    SearchTables.synonyms.split(separator: "\n").flatMap { line in
      SearchText.words(String(line.split(separator: "=")[0]))
    }
  }

  /// Splits a request into terms: the longest known phrases, and other words.
  func terms(of request: String) -> [Term] {
    let words = SearchText.words(request)
    let stems = words.map(SearchText.stem)
    var terms: [Term] = []
    var rest: [String] = []
    var place = 0
    while place < words.count {
      let lengths = stride(from: min(longest, words.count - place), to: 0, by: -1)
      let found = lengths.lazy.compactMap { length -> (Int, [[[String]]])? in
        let alternatives = alternatives(of: Array(stems[place ..< place + length]))
        return alternatives.isEmpty ? nil : (length, alternatives)
      }.first
      if let (length, alternatives) = found {
        let text = words[place ..< place + length].joined(separator: " ")
        terms.append(Term(text: text, alternatives: alternatives))
        place += length
      } else {
        rest.append(words[place])
        place += 1
      }
    }
    let known = !terms.isEmpty
    let other = SearchText.meaningful(rest).filter {
      !known || SearchText.meaningful([$0, "x"]).count > 1
    }
    return terms + other.map { Term(text: $0, alternatives: [[[SearchText.stem($0)]]]) }
  }

  /// The phrase itself, then those of all concepts that have it.
  private func alternatives(of phrase: [String]) -> [[[String]]] {
    let found = concepts.filter { $0.phrases.contains(phrase) }
    return found.isEmpty ? [] : [[phrase]] + found.flatMap(\.alternatives)
  }
}
