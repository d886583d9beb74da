// NewCommand.swift: `outboard new`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import Console
import ErrorModel
import FoundationEssentials
import Glibc
import Installation

/// Creates a module source from a template.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Create a module source file from a template.",
    discussion: """
      outboard new echo --c
      outboard run echo.c

      With --template the file is a frame for ported code: a VST2-style effect, the kernel of an \
      Audio Unit, a JUCE-style processor, or a LADSPA plugin.
      """)

  /// The language of the source.
  enum Language: String, EnumerableFlag {
    case c, cpp, swift

    static func help(for value: Language) -> ArgumentHelp? {
      switch value {
      case .c: "Create a C source."
      case .cpp: "Create a C++ source."
      case .swift: "Create a Swift source (Embedded Swift, ModuleKit)."
      }
    }
  }

  /// The plugin format of the code to port.
  enum Origin: String, ExpressibleByArgument, CaseIterable {
    case vst2, au, juce, ladspa

    /// LADSPA plugins are C; all others are C++ classes.
    var language: Language { self == .ladspa ? .c : .cpp }
  }

  @Argument(help: ArgumentHelp("Name of the module and its file.", valueName: "name"))
  var name: String
  @Flag var language: Language?
  @Option(
    help: ArgumentHelp("Porting template: vst2, au, juce, ladspa.", valueName: "format"))
  var template: Origin?
  @Flag(help: "Overwrite existing files.")
  var force = false

  func validate() throws {
    let letters = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    for language in [Language.c, .cpp, .swift] where name.hasSuffix(".\(language.rawValue)") {
      throw ValidationError(
        "Write the name without extension: `outboard new \(name.dropLast(language.rawValue.count + 1))"
          + " --\(language.rawValue)`.")
    }
    guard letters, name.first?.isLetter == true else {
      throw ValidationError(
        "\"\(name)\" is not a valid name. Use letters, digits and \"_\", starting with a letter.")
    }
    if let template, let language, template.language != language {
      throw ValidationError(
        "The \(template.rawValue) template is \(template.language == .c ? "C" : "C++"). Remove"
          + " --\(language.rawValue).")
    }
  }

  func run() throws {
    let language = template?.language ?? language ?? .c
    let file = "\(name).\(language.rawValue)"
    let text = try Templates.text(
      "\(template?.rawValue ?? language.rawValue).\(language.rawValue)", named: name)
    do {
      try WholeFile.write(text, to: file, replaces: force)
    } catch {
      if case .outputExists = error { throw Taken(file: file) }
      throw error
    }
    Terminal.output.writeLine(
      "Created \(file). Run it with `outboard run \(file)`; it reloads on save.")
  }

  struct Taken: HostError {
    let file: String
    var kind: ErrorKind { .usage }
    var description: String { "\(file) already exists. Choose another name or use --force." }
  }
}
