// Sentence.swift: the part of a message that is the same on every machine. SPDX-License-Identifier: MIT

import Foundation

/// Messages of `outboard validate` without the parts that differ between machines or runs.
enum Sentence {
  /// The text without directories, addresses in code, and counts.
  static func lasting(_ message: String) -> String {
    var text = message.replacing(/[\t\n]+/, with: " ")
    // The location of a crash, which is last.
    text.replace(#/ \(in [^ ]+\.so.*\)\.$/#, with: ".")
    text.replace(/, and (once|\d+ times) more(?=\.)/, with: "")
    text.replace(/([ ("])\/([^\/ "):]+\/)+/) { $0.output.1 }
    return text
  }

  /// The observation without the settings, because a note may be from a different block each time.
  static func withoutSituation(_ message: String) -> String {
    message.replacing(#/ at \d+ Hz with blocks of \d+ frames/#, with: "")
  }
}
