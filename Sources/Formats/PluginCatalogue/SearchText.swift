// SearchText.swift: words that are compared in a search. SPDX-License-Identifier: MIT

/// Splits text into words, and words into stems.
enum SearchText {
  /// Words that say nothing about a purpose.
  private static let stopWords: Set = [
    "a", "add", "an", "and", "apply", "are", "as", "at", "be", "by", "can", "change", "do",
    "effect", "effects", "for", "from", "get", "give", "have", "how", "i", "in", "into", "is",
    "it", "its", "like", "make", "making", "me", "more", "my", "need", "of", "on", "or", "our",
    "plugin", "plugins", "play", "please", "put", "some", "something", "sound", "sounds",
    "that", "the", "their", "this", "to", "too", "under", "up", "use", "want", "what", "when",
    "while", "with", "your",
  ]
  /// Words for what is processed.
  ///
  /// They say less than what is done with it.
  private static let sources: Set = [
    "bass", "drum", "drums", "guitar", "instrument", "keyboard", "mic", "microphone", "mix",
    "piano",
    "recording", "singing", "song", "speech", "synth", "track", "vocal", "vocals", "voice",
  ]
  private static let endings = [
    "ations", "ation", "ings", "ing", "ions", "ion", "ers", "er", "ors", "or",
    "ed", "es", "s",
    "e",
  ]
  private static let shortestStem = 4

  /// Returns the words in lower case, without punctuation.
  ///
  /// A capital after a small letter begins a word: `DeEss` is `de ess`.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var wasSmall = false
    for character in text {
      guard character.isLetter || character.isNumber else {
        if !word.isEmpty { words.append(word) }
        (word, wasSmall) = ("", false)
        continue
      }
      if character.isUppercase, wasSmall {
        words.append(word)
        word = ""
      }
      word += character.lowercased()
      wasSmall = character.isLowercase
    }
    return word.isEmpty ? words : words + [word]
  }

  /// Returns the words without fillers, unless there are only fillers.
  static func meaningful(_ words: [String]) -> [String] {
    let rest = words.filter { !stopWords.contains($0) }
    return rest.isEmpty ? words : rest
  }

  /// Whether a word in lower case says nothing about a purpose.
  static func isStopWord(_ word: String) -> Bool { stopWords.contains(word) }

  /// Whether a text is one word for what is processed.
  static func isSource(_ text: String) -> Bool { sources.contains(text) }

  /// Whether a word in lower case may stand between the words of a phrase: `stop my mic from clipping`.
  static func mayDivide(_ word: String) -> Bool { isStopWord(word) || sources.contains(word) }

  /// Returns the part of a word that its forms share: `compressor`, `compression` and `compressing` are `compress`.
  static func stem(_ word: String) -> String {
    // American spelling.
    let word = word.replacing("z", with: "s").replacing("yse", with: "yze").replacing(
      "yze", with: "ys")
    for ending in endings where word.hasSuffix(ending) && !(ending == "s" && word.hasSuffix("ss")) {
      let rest = word.dropLast(ending.count)
      if rest.count >= shortestStem { return String(rest) }
    }
    return word
  }

  /// Returns the stems of all words.
  static func stems(_ text: String) -> [String] { words(text).map(stem) }

  /// Whether `part` occurs in `stems` as consecutive stems.
  static func contains(_ stems: [String], _ part: [String]) -> Bool {
    guard !part.isEmpty, part.count <= stems.count else { return false }
    return (0 ... stems.count - part.count).contains { start in
      stems[start ..< start + part.count].elementsEqual(part)
    }
  }
}
