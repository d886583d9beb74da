// ComparisonSides.swift: the two sides of a comparison. SPDX-License-Identifier: MIT

import AudioFiles
import Console
import FoundationEssentials
import Glibc
import InstalledFormats
import Metering
import PluginLoading
import PluginModel
import RigSchema
import Session

/// Two files, plugins or rigs, found by the words of the command line.
struct ComparisonSides {
  /// A side of the comparison.
  enum Side {
    case file(String)
    case rendering(SideRendering)
  }

  private let sides: [Side]

  /// Finds the sides.
  ///
  /// A word with values is the end of the word before it.
  ///
  /// - Throws: `UsageError`, and errors of plugins and rigs.
  init(_ words: [String], _ options: SideArguments) throws {
    let groups = try SideRendering.groups(words)
    guard groups.count == 2 else {
      throw UsageError(
        "`outboard compare` needs two sides, but there \(groups.count == 1 ? "is" : "are")"
          + " \(groups.count). Put several plugins of one side in quotes.")
    }
    lazy var library = PluginLibrary()
    sides = try groups.map { group in
      if group.count == 1, Self.isFile(group[0]) { return .file(group[0]) }
      return .rendering(try SideRendering(group, options.settings, library))
    }
    let files = sides.count { if case .file = $0 { true } else { false } }
    if files == 2, let option = options.usedOption {
      throw UsageError("\(option) is for plugins and rigs, but both sides are files. Remove it.")
    }
    guard groups != [["-"], ["-"]] else {
      throw UsageError("Standard input can be read only once. Name a file.")
    }
  }

  /// Opens the files and renders the others one after another.
  ///
  /// - Throws: errors of files and renderings.
  func inputs(
    _ interruption: TerminationSignals, show: (String) -> Void
  ) throws -> [ComparisonInput] {
    try sides.map { side in
      switch side {
      case .file(let path): return try ComparisonInput(path: path)
      case .rendering(let rendering):
        show("rendering \(rendering.name)")
        return try rendering.render(interruption)
      }
    }
  }

  /// Whether a word names a sound file or a pipe.
  private static func isFile(_ word: String) -> Bool {
    if AudioFileName.matches(word) { return true }
    var facts = stat()
    return unsafe stat(word, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO
  }
}
