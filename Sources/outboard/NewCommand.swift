// NewCommand.swift: `outboard new`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import Console
import FoundationEssentials
import Glibc
import Rig

/// Writes a source to begin with.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract:
      "Write the source of a module to begin with: it compiles, sounds and explains itself.",
    discussion: """
      outboard new echo --c
      outboard run echo.c

      With --from it is the frame for code that is ported: a VST2-style effect, an Audio Unit's kernel, \
      a JUCE-style processor, a LADSPA plugin.
      """)

  /// The language of the source.
  enum Language: String, EnumerableFlag {
    case c, cpp, swift

    static func help(for value: Language) -> ArgumentHelp? {
      switch value {
      case .c: "Plain C."
      case .cpp: "C++."
      case .swift: "Swift (Embedded Swift, with the kit)."
      }
    }
  }

  /// What is ported.
  enum Origin: String, ExpressibleByArgument, CaseIterable {
    case vst2, au, juce, ladspa

    /// LADSPA is C; all others are classes.
    var language: Language { self == .ladspa ? .c : .cpp }
  }

  @Argument(help: ArgumentHelp("What it is called; also its file.", valueName: "name"))
  var name: String
  @Flag var language: Language?
  @Option(
    help: ArgumentHelp("Where the code comes from: vst2, au, juce or ladspa.", valueName: "kind"))
  var from: Origin?
  @Flag(help: "Overwrite a file that is there already.")
  var force = false

  func validate() throws {
    let letters = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    guard letters, name.first?.isLetter == true else {
      throw ValidationError(
        "\"\(name)\" is no name for a source; it is made of letters, digits and \"_\", and begins with"
          + " a letter.")
    }
    if let from, let language, from.language != language {
      throw ValidationError(
        "Code from \(from.rawValue) is \(from.language == .c ? "C" : "C++"); leave --\(language.rawValue)"
          + " out.")
    }
  }

  func run() throws {
    let language = from?.language ?? language ?? .c
    let file = "\(name).\(language.rawValue)"
    let template = try Templates.text(
      "\(from?.rawValue ?? language.rawValue).\(language.rawValue)", named: name)
    do {
      try WholeFile.write(template, to: file, replaces: force)
    } catch {
      if case .outputExists = error { throw Taken(file: file) }
      throw error
    }
    Terminal.output.writeLine(
      "\(file) is written; `outboard run \(file)` plays it, and again at every save.")
  }

  struct Taken: Error, CustomStringConvertible {
    let file: String
    var description: String { "\(file) is there already; --force overwrites it." }
  }
}
