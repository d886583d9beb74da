// ListedNames.swift: lists of names in messages. SPDX-License-Identifier: MIT

extension Array<String> {
  /// Returns the first strings with commas, and the number of the others. [any]
  package func listed(atMost limit: Int) -> String {
    prefix(limit).joined(separator: ", ") + (count > limit ? " and \(count - limit) more" : "")
  }
}
