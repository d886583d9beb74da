// TakeFileName.swift: names of files with numbers and times in them. SPDX-License-Identifier: MIT

import Glibc

/// A path whose last part may contain placeholders that differ for each take.
///
/// `%take` is a number, one above those of all existing files of this name. `%part` counts the
/// parts of a split take. `%date` and `%time` are those of its start, in local time.
struct TakeFileName: Sendable, Equatable {
  /// The placeholders, without the sign.
  static let placeholders = ["take", "part", "date", "time"]

  private enum Piece: Sendable, Equatable {
    case text(String)
    case take, part, date, time
  }

  /// One take's facts.
  struct Values: Sendable, Equatable {
    /// From 1 on.
    var take = 1
    /// From 1 on.
    var part = 1
    /// When it began, in seconds since 1970.
    var time: time_t

    /// The first part of a take.
    init(take: Int = 1, time: time_t = Glibc.time(nil)) {
      (self.take, self.time) = (take, time)
    }
  }

  /// With a slash at its end; empty for the working directory.
  private let directory: String
  private let pieces: [Piece]
  /// From the last dot on.
  private let ending: String

  /// Whether each take has its own number.
  var countsTakes: Bool { pieces.contains(.take) }

  /// Reads a path. [any]
  ///
  /// - Throws: `RecordingError.unknownWord`.
  init(_ path: String) throws(RecordingError) {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    directory = String(path[..<slash])
    var rest = path[slash...]
    let dot = rest.lastIndex(of: ".")
    ending = dot.map { String(rest[$0...]) } ?? ""
    if let dot, !ending.contains("%") { rest = rest[..<dot] }
    var pieces: [Piece] = []
    while let sign = rest.firstIndex(of: "%") {
      pieces.append(.text(String(rest[..<sign])))
      rest = rest[sign...].dropFirst()
      if rest.first == "%" {
        pieces.append(.text("%"))
        rest = rest.dropFirst()
        continue
      }
      // "100%.wav" needs no second sign.
      let word = rest.prefix { $0.isASCII && $0.isLetter }
      guard !word.isEmpty else {
        pieces.append(.text("%"))
        continue
      }
      guard let known = Self.placeholders.first(where: { word.hasPrefix($0) }) else {
        throw .unknownWord(path: path, word: String(word))
      }
      switch known {
      case "take": pieces.append(.take)
      case "part": pieces.append(.part)
      case "date": pieces.append(.date)
      default: pieces.append(.time)
      }
      rest = rest.dropFirst(known.count)
    }
    pieces.append(.text(String(rest)))
    self.pieces = pieces.filter { $0 != .text("") }
  }

  /// The path of one part of a take. [any]
  func path(_ values: Values) -> String {
    var name = ""
    for piece in pieces {
      switch piece {
      case .text(let text): name += text
      case .take: name += Self.number(values.take, digits: 3)
      case .part: name += Self.number(values.part, digits: 2)
      case .date: name += Self.stamp("%Y-%m-%d", values.time)
      case .time: name += Self.stamp("%H-%M-%S", values.time)
      }
    }
    if values.part > 1, !pieces.contains(.part) { name += "-\(values.part)" }
    return directory + name + (ending.contains("%") ? "" : ending)
  }

  /// The number of the next take: one above the highest that is there. [any]
  func nextTake() -> Int {
    guard countsTakes, let stream = opendir(directory.isEmpty ? "." : directory) else { return 1 }
    defer { closedir(stream) }
    var highest = 0
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let take = take(in: name) { highest = max(highest, take) }
    }
    return highest + 1
  }

  // MARK: - Reading names

  /// Returns the number in a file's name; nil if the name does not match.
  private func take(in name: String) -> Int? {
    var rest = Substring(name)
    var take: Int?
    for piece in pieces {
      switch piece {
      case .text(let text):
        guard rest.hasPrefix(text) else { return nil }
        rest = rest.dropFirst(text.count)
      case .take:
        guard let number = Self.digits(&rest) else { return nil }
        take = number
      case .part:
        guard Self.digits(&rest) != nil else { return nil }
      case .date, .time:
        let count = piece == .date ? 10 : 8
        guard rest.count >= count, rest.prefix(count).allSatisfy({ $0.isNumber || $0 == "-" })
        else { return nil }
        rest = rest.dropFirst(count)
      }
    }
    // Further parts and a file's companions count as the file.
    return take
  }

  private static func digits(_ rest: inout Substring) -> Int? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }.prefix(15)
    rest = rest.dropFirst(digits.count)
    return Int(digits)
  }

  private static func number(_ number: Int, digits: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private static func stamp(_ format: String, _ time: time_t) -> String {
    var (time, parts) = (time, tm())
    localtime_r(&time, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
      text.initialize(repeating: 0)
      strftime(text.baseAddress, 32, format, &parts)
      return text.baseAddress.map { String(cString: $0) } ?? ""
    }
  }
}
