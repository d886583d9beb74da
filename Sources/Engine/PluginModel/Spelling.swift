// Spelling.swift: suggestions for misspelt words. SPDX-License-Identifier: MIT

/// Returns the candidate that is most similar to `word`, or nil if none is similar. [any]
///
/// Case is ignored. Similar means at most one edit per three letters of the longer word (a letter
/// missing, added, changed, or swapped with its neighbour), and at least one. If several are
/// equally similar, the first is returned.
package func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
  let written = Array(word.lowercased())
  guard !written.isEmpty else { return nil }
  var best: (candidate: String, distance: Int)?
  for candidate in candidates {
    let meant = Array(candidate.lowercased())
    let limit = Swift.max(1, Swift.max(written.count, meant.count) / 3)
    // A very long word would take minutes.
    guard abs(written.count - meant.count) <= limit else { continue }
    let distance = editDistance(from: written, to: meant)
    // A word of one or two letters is one edit from every other: they have nothing in common.
    guard distance <= limit, distance < Swift.max(written.count, meant.count) else { continue }
    if let best, best.distance <= distance { continue }
    best = (candidate, distance)
  }
  return best?.candidate
}

/// Returns the number of letters to add, remove, change or swap with their neighbour to get from
/// one word to the other: the restricted Damerau-Levenshtein distance, in which no letter is edited
/// twice. [any]
package func editDistance(from first: [Character], to second: [Character]) -> Int {
  guard !first.isEmpty, !second.isEmpty else { return Swift.max(first.count, second.count) }
  var beforeLast: [Int] = []
  var last = Array(0 ... second.count)
  for (row, letter) in first.enumerated() {
    var current = [row + 1]
    current.reserveCapacity(second.count + 1)
    for (column, other) in second.enumerated() {
      let change = last[column] + (letter == other ? 0 : 1)
      var distance = Swift.min(change, last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
        distance = Swift.min(distance, beforeLast[column - 1] + 1)
      }
      current.append(distance)
    }
    (beforeLast, last) = (last, current)
  }
  return last[second.count]
}
