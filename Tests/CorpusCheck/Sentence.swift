// Sentence.swift: the part of a message that is the same on every machine. SPDX-License-Identifier: MIT

import Foundation

/// Sentences of `outboard validate` without the parts that differ between machines or runs.
enum Sentence {
  /// Without directories, addresses in code, and how often something was seen.
  static func lasting(_ message: String) -> String {
    var text = message.replacing(/[\t\n]+/, with: " ")
    // The place of a crash, which comes last.
    text.replace(#/ \(in [^ ]+\.so.*\)\.$/#, with: ".")
    text.replace(/, and (once|\d+ times) more(?=\.)/, with: "")
    text.replace(/([ ("])\/([^\/ "):]+\/)+/) { $0.output.1 }
    return text
  }

  /// The observation without the situation, because a note may come from another block each time.
  static func withoutSituation(_ message: String) -> String {
    message.replacing(#/ at \d+ Hz with blocks of \d+ frames/#, with: "")
  }
}
