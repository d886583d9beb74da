// ProcAsound.swift: reads the kernel's list of sound cards in /proc. SPDX-License-Identifier: MIT

import Glibc

/// The kernel's view of the cards, which needs no open device.
package enum ProcAsound {
  /// Returns the names of the files in a directory, or none. [main]
  static func files(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Returns the text of a small file, or nil. [main]
  static func text(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Returns the numbers of the cards. [main]
  package static func cards(root: String = "/proc") -> [Int] {
    files(in: "\(root)/asound").compactMap(number(ofCard:)).sorted()
  }

  /// Returns the kernel's lists of cards and devices, as text. [main]
  static func devices(root: String = "/proc") -> String {
    ["cards", "pcm"].compactMap { text(of: "\(root)/asound/\($0)") }.joined(separator: "\n")
  }

  /// Returns the programs that hold a card's streams open, as `aplay (process 312)`.
  ///
  /// Nil means any card, device or direction. Programs of other users are included. [main]
  package static func holders(
    card: Int?, device: Int?, direction: ALSADriverError.Direction?, root: String = "/proc"
  ) -> [String] {
    var found: [String] = []
    for cardDirectory in files(in: "\(root)/asound") where matches(cardDirectory, card) {
      for stream in files(in: "\(root)/asound/\(cardDirectory)")
      where matches(stream, device, direction) {
        let directory = "\(root)/asound/\(cardDirectory)/\(stream)"
        for substream in files(in: directory) where substream.hasPrefix("sub") {
          guard let text = text(of: "\(directory)/\(substream)/status"), let owner = owner(in: text)
          else { continue }
          let holder = name(of: owner, root: root)
          if !found.contains(holder) { found.append(holder) }
        }
      }
    }
    return found
  }

  /// Returns the number in `card0`.
  private static func number(ofCard directory: String) -> Int? {
    directory.hasPrefix("card") ? Int(directory.dropFirst(4)) : nil
  }

  private static func matches(_ directory: String, _ card: Int?) -> Bool {
    guard let number = number(ofCard: directory) else { return false }
    return card == nil || card == number
  }

  private static func matches(
    _ stream: String, _ device: Int?, _ direction: ALSADriverError.Direction?
  ) -> Bool {
    guard stream.hasPrefix("pcm"), let number = Int(stream.dropFirst(3).dropLast()) else {
      return false
    }
    switch direction {
    case .capture where !stream.hasSuffix("c"): return false
    case .playback where !stream.hasSuffix("p"): return false
    default: return device == nil || device == number
    }
  }

  /// Returns the number in a line `owner_pid   : 312`.
  private static func owner(in status: String) -> Int? {
    for line in status.split(separator: "\n") where line.hasPrefix("owner_pid") {
      return line.split(separator: ":").last.flatMap { Int($0.filter(\.isNumber)) }
    }
    return nil
  }

  private static func name(of process: Int, root: String) -> String {
    guard let name = text(of: "\(root)/\(process)/comm")?.split(separator: "\n").first else {
      return "process \(process)"
    }
    return "\(name) (process \(process))"
  }
}
