// Failure.swift: ends the program with an error. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import ErrorModel
import FoundationEssentials
import Glibc
import Manifests
import PluginCatalogue
import RigSchema
import ServiceManager

/// The message and the exit status of a command that ends with an error.
struct Failure {
  /// The exit statuses; see the manual page.
  enum Status: Int32 {
    case success = 0
    case failure = 1
    case usageError = 2
    case deviceError = 3
    case noSession = 4
  }

  let status: Int32
  /// One line per message, or help.
  private let message: String
  /// The usage line, if the command line was wrong.
  private let usage: String
  /// Help and the version are not errors, so they are written to standard output.
  private let isAnswer: Bool
  private let isManifestError: Bool

  init(
    _ error: any Error, parser: (some ParsableCommand).Type,
    words: [String] = Array(CommandLine.arguments.dropFirst())
  ) {
    isManifestError = error is ManifestError
    isAnswer = Self.status(of: error) == nil && parser.exitCode(for: error) == .success
    if let known = Self.status(of: error) {
      status = known.rawValue
      message = Self.hint(error, words).map { "\(error) \($0)" } ?? "\(error)"
      usage = ""
    } else if let code = error as? ExitCode {
      // All messages were already printed.
      status = code.rawValue
      message = ""
      usage = ""
    } else if isAnswer {
      status = Status.success.rawValue
      message = parser.fullMessage(for: error)
      usage = ""
    } else {
      status = Status.usageError.rawValue
      message = OptionSuggestion.improve(
        Self.message(parser.message(for: error)), words: words)
      usage = Self.usage(in: parser.fullMessage(for: error))
    }
  }

  /// The message and exit status for another process.
  var facts: ErrorReport.Facts { .init(message: message, status: Int(status)) }

  /// Whether the failure prints nothing on standard error. [main]
  var isSilent: Bool { message.isEmpty || isAnswer }

  /// Prints the error: as a message for users or the journal, or as a JSON object.
  func report(asJSON: Bool, inService: Bool) {
    guard !message.isEmpty else { return }
    if isAnswer {
      Terminal.output.writeLine(message)
    } else {
      if asJSON, Terminal.outputFailure == 0 {
        JSONOutput.print(ErrorReport(error: .init(message: message, status: Int(status))))
        // On a full disk only standard error is left.
        if Terminal.outputFailure == 0 { return }
      }
      Terminal.error.writeLine(inService ? JournalLine.text(text, .error) : text)
    }
  }

  /// Each error of a manifest is one line that begins with its file.
  ///
  /// Further lines, for example a compiler's messages, belong to the first one.
  private var text: String {
    let lines =
      isManifestError
      ? message.split(separator: "\n").map { "outboard: \($0)" } : ["outboard: \(message)"]
    return (lines + (usage.isEmpty ? [] : [usage])).joined(separator: "\n")
  }

  /// Returns what the user may have meant instead of a plugin; nil if nothing is known.
  private static func hint(_ error: any Error, _ words: [String]) -> String? {
    guard case .unknown(let name, _, _, _)? = error as? CatalogueError else { return nil }
    if name.split(separator: " ").dropFirst().contains(where: { ChainLink.isAssignment(String($0)) }
    ) {
      return "Write a plugin and its values as separate words, without quotes around them."
    }
    return ArgumentWords.addressHint(plugin: name, words)
  }

  // MARK: - Messages of the argument parser

  /// The messages come without a full stop.
  private static func message(_ message: String) -> String {
    message.isEmpty || message.hasSuffix(".") || message.hasSuffix("?") ? message : message + "."
  }

  /// Returns the usage part of an error message.
  private static func usage(in message: String) -> String {
    message.firstRange(of: "Usage:").map { String(message[$0.lowerBound...]) } ?? ""
  }

  /// The status of an error of ours; nil for one of the argument parser's.
  private static func status(of error: any Error) -> Status? {
    if let error = error as? any HostError {
      return Status(rawValue: error.exitStatus) ?? .failure
    }
    if error is ExitCode || error is CleanExit || error is ValidationError { return nil }
    return "\(type(of: error))" == "CommandError" ? nil : .usageError
  }
}

/// An error as JSON.
struct ErrorReport: Codable {
  struct Facts: Codable {
    let message: String
    let status: Int
  }
  let error: Facts
}

/// A request that is impossible: one message that says how to fix it.
struct UsageError: HostError {
  let description: String
  var kind: ErrorKind { .usage }

  init(_ description: String) { self.description = description }
}
