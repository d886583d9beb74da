// main.swift: every plugin of the corpus, compared with the table. SPDX-License-Identifier: MIT
//
// Usage: corpus-check OUTBOARD DIRECTORY [--update] [--peers] [PACKAGE ...]. DIRECTORY has packages.tsv and
// plugins.tsv, and peers.tsv for --peers. The exit status is 1 if a plugin is lost, and 77 if none could be run.

import Foundation

do {
  var arguments = Array(CommandLine.arguments.dropFirst())
  let isUpdate = arguments.contains("--update")
  let isOfPeers = arguments.contains("--peers")
  arguments.removeAll { $0 == "--update" || $0 == "--peers" }
  guard arguments.count >= 2 else {
    throw CorpusFault("Usage: corpus-check OUTBOARD DIRECTORY [--update] [--peers] [PACKAGE ...]")
  }
  let (program, directory) = (arguments[0], arguments[1])
  let packages = Array(arguments.dropFirst(2))
  if isOfPeers {
    let corpus = try PeerCorpus(directory: directory, packages: packages)
    exit(try corpus.run(program: program, isUpdate: isUpdate))
  }
  exit(
    try Corpus(directory: directory, packages: packages).run(program: program, isUpdate: isUpdate))
} catch {
  print("corpus: \(error)")
  exit(1)
}
