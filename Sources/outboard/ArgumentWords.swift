// ArgumentWords.swift: preparation of the command line before it is parsed. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
import RigSchema
import Synchronization
import WebServer

/// Prepares the command line for the argument parser.
///
/// The parser needs quadratic time in the number of words. It also reads a file name with a dash as options.
enum ArgumentWords {
  /// Returns the words after the program name. [main]
  ///
  /// - Throws: `UsageError` for a word that is not UTF-8.
  static func read() throws -> [String] {
    try (1 ..< max(1, Int(CommandLine.argc))).compactMap { index in
      guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
      guard let text = unsafe String(validatingCString: word) else {
        throw UsageError(
          unsafe "The argument \(escaped(word)) is not UTF-8 and cannot name a file. Rename the file,"
            + " e.g. with `convmv -f latin1 -t utf8 --notest FILE`.")
      }
      return text
    }
  }

  private static func escaped(_ word: UnsafePointer<CChar>) -> String {
    unsafe UnsafeBufferPointer(start: word, count: strlen(word)).map { byte in
      let value = UInt8(bitPattern: byte)
      return 0x20 ..< 0x7F ~= value
        ? String(UnicodeScalar(value)) : "\\x" + String(value, radix: 16, uppercase: false)
    }.joined()
  }

  /// Rejects a file name that would be parsed as options: before `--`, and not after a command that runs other
  /// programs.
  ///
  /// - Throws: `UsageError` with the fix.
  static func check(_ words: [String]) throws {
    for word in words.prefix(while: { $0 != "--" }) where isDashedFile(word) {
      throw UsageError(
        "\(word) starts with a dash and is read as an option. Write ./\(word) or put -- before"
          + " the file names.")
    }
  }

  private static func isDashedFile(_ word: String) -> Bool {
    guard word.hasPrefix("-"), word.count > 2, !word.contains("/") else { return false }
    // An option with its value, such as --output=wet.wav.
    if word.hasPrefix("--"), let equals = word.firstIndex(of: "="),
      !word[..<equals].contains(".")
    {
      return false
    }
    return AudioFileName.matches(word) || FileManager.default.fileExists(atPath: word)
  }

  /// Joins each long option with a negative number after it, which the parser would read as an option. [any]
  ///
  /// The option itself then reports its range.
  static func joiningNegatives(_ words: [String]) -> [String] {
    let options = words.prefix { $0 != "--" }
    var result: [String] = []
    for word in options {
      if word.hasPrefix("-"), Double(word) != nil, let last = result.last, last.hasPrefix("--"),
        !last.contains("=")
      {
        result[result.count - 1] = "\(last)=\(word)"
      } else {
        result.append(word)
      }
    }
    return result + words.dropFirst(options.count)
  }

  /// Gives `--http` and `--osc` their default if the word after it is not an address, such as a plugin. [any]
  static func completingAddresses(_ words: [String]) -> [String] {
    let options = words.prefix { $0 != "--" }
    return words.enumerated().map { index, word in
      guard ["--http", "--osc"].contains(word), index < options.count else { return word }
      let next = index + 1 < options.count ? words[index + 1] : ""
      return looksLikeAddress(next) ? word : "\(word)=\(ListenAddress.loopbackWord)"
    }
  }

  /// Returns what `--http` or `--osc` expects, if the word after it was taken as a plugin; nil otherwise. [any]
  static func addressHint(plugin name: String, _ words: [String]) -> String? {
    zip(words, words.dropFirst()).first {
      ["--http", "--osc"].contains($0.0) && $0.1 == name
    }.map {
      "After \($0.0) an address is a port, an address such as 192.168.1.5:8000, "
        + "\(ListenAddress.loopbackWord) or \(ListenAddress.lanWord)."
    }
  }

  private static func looksLikeAddress(_ word: String) -> Bool {
    guard let first = word.first else { return false }
    let host = String(word.prefix { $0 != ":" })
    return first.isNumber || first == "[" || word.hasPrefix("::")
      || [ListenAddress.lanWord, ListenAddress.loopbackWord, "localhost"].contains(host)
  }

  // MARK: - Folding

  private static let folded = Mutex<[[String]]>([])
  /// A marker that cannot occur in a command line.
  private static let mark = "\u{0}"

  /// Replaces each run of file names by one word, for commands that take many files. [main]
  ///
  /// After `--` all words are file names.
  static func fold(_ words: [String]) -> [String] {
    guard let command = words.first, ["render", "analyse", "analyze"].contains(command) else {
      return words
    }
    var result = [command]
    var files: [String] = []
    func flush() {
      guard !files.isEmpty else { return }
      let number = folded.withLock { lists in
        lists.append(files)
        return lists.count - 1
      }
      result.append("\(mark)\(number)")
      files = []
    }
    let options = words.prefix { $0 != "--" }
    var isValue = false
    for word in options.dropFirst() {
      let isFile = command != "render" || AudioFileName.matches(word)
      if isFile, !isValue, !word.hasPrefix("-") {
        files.append(word)
      } else {
        flush()
        result.append(word)
      }
      isValue = word.hasPrefix("-") && word != "-"
    }
    // A lone dash is a file name here, not standard input.
    files += words.dropFirst(options.count + 1).map { $0 == "-" ? "./-" : $0 }
    flush()
    return result
  }

  /// Returns the file names behind a folded word; nil for any other word. [any]
  static func files(for word: String) -> [String]? {
    guard word.hasPrefix(mark), let number = Int(word.dropFirst()) else { return nil }
    return folded.withLock { $0[number] }
  }

  /// Returns the words with the file names restored. [any]
  static func expanded(_ words: [String]) -> [String] {
    words.flatMap { files(for: $0) ?? [$0] }
  }
}

/// Words that name sound files and cannot name plugins.
enum AudioFileName {
  /// Returns whether a word names a sound file, by its extension; `-` is standard input. [any]
  ///
  /// A word that sets a value is not a file name.
  static func matches(_ word: String) -> Bool {
    guard !ChainLink.isAssignment(word) else { return false }
    if word == "-" { return true }
    return AudioContainer.isAudioFile(word)
  }
}
