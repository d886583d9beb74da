// main.swift: every plugin of the corpus, compared with the table. SPDX-License-Identifier: MIT
//
// Usage: corpus-check OUTBOARD FOLDER [--update] [PACKAGE ...]. FOLDER has packages.tsv and plugins.tsv.
// The exit status is 1 where a plugin is lost, and 77 where none could be run.

import Foundation

do {
  var arguments = Array(CommandLine.arguments.dropFirst())
  let isUpdate = arguments.contains("--update")
  arguments.removeAll { $0 == "--update" }
  guard arguments.count >= 2 else {
    throw CorpusFault("Usage: corpus-check OUTBOARD FOLDER [--update] [PACKAGE ...]")
  }
  let corpus = try Corpus(folder: arguments[1], packages: Array(arguments.dropFirst(2)))
  exit(try corpus.run(program: arguments[0], isUpdate: isUpdate))
} catch {
  print("corpus: \(error)")
  exit(1)
}
