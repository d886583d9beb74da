// ArgumentWords.swift: the words of the command line before they are parsed. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
import Rig
import Synchronization

/// Prepares the command line for the argument parser, whose time grows with the square of the number of words
/// and to which a file name with a dash is a list of options.
enum ArgumentWords {
  /// The words behind the program's name. [main]
  ///
  /// - Throws: `UsageError` for a word that is not UTF-8.
  static func read() throws -> [String] {
    try (1 ..< max(1, Int(CommandLine.argc))).compactMap { index in
      guard let word = CommandLine.unsafeArgv[index] else { return nil }
      guard let text = String(validatingCString: word) else {
        throw UsageError(
          "The argument \(escaped(word)) is not UTF-8 and cannot name a file. Rename the file,"
            + " e.g. with `convmv -f latin1 -t utf8 --notest FILE`.")
      }
      return text
    }
  }

  private static func escaped(_ word: UnsafePointer<CChar>) -> String {
    UnsafeBufferPointer(start: word, count: strlen(word)).map { byte in
      let value = UInt8(bitPattern: byte)
      return 0x20 ..< 0x7F ~= value
        ? String(UnicodeScalar(value)) : "\\x" + String(value, radix: 16, uppercase: false)
    }.joined()
  }

  /// Refuses the name of a file that would be taken for options: before `--`, and not behind a command that
  /// is started by the words.
  ///
  /// - Throws: `UsageError` with the remedy.
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
    return SoundFileName.isMeant(by: word) || FileManager.default.fileExists(atPath: word)
  }

  // MARK: - Folding

  private static let folded = Mutex<[[String]]>([])
  /// No word of a command line can hold it.
  private static let mark = "\u{0}"

  /// The words with one in the place of each row of file names, for commands that take many. [main]
  ///
  /// Behind `--` all words are names of files.
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
      let isFile = command != "render" || SoundFileName.isMeant(by: word)
      if isFile, !isValue, !word.hasPrefix("-") {
        files.append(word)
      } else {
        flush()
        result.append(word)
      }
      isValue = word.hasPrefix("-") && word != "-"
    }
    // A lone dash is a file's name here, and not standard input.
    files += words.dropFirst(options.count + 1).map { $0 == "-" ? "./-" : $0 }
    flush()
    return result
  }

  /// The file names that a word stands for; nil for any other word. [any]
  static func files(for word: String) -> [String]? {
    guard word.hasPrefix(mark), let number = Int(word.dropFirst()) else { return nil }
    return folded.withLock { $0[number] }
  }

  /// The words with the names of files in their places. [any]
  static func unfolded(_ words: [String]) -> [String] {
    words.flatMap { files(for: $0) ?? [$0] }
  }
}

/// Words that name sound files: no plugin is called so.
enum SoundFileName {
  /// Whether a word names a sound file, by its extension; `-` is standard input. [any]
  ///
  /// A word that sets a value names none.
  static func isMeant(by word: String) -> Bool {
    guard !ChainLink.isAssignment(word) else { return false }
    if word == "-" { return true }
    if let container = AudioContainer(path: word) { return container != .raw }
    return ["mp3", "w64", "rf64", "wave", "aifc"].contains {
      word.lowercased().hasSuffix(".\($0)")
    }
  }
}
