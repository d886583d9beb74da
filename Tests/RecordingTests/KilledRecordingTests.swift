// KilledRecordingTests.swift: a recording that nobody ended, or that found no room. SPDX-License-Identifier: MIT

import AudioFiles
import AudioTestSupport
import Foundation
import LV2Fixtures
import PluginModel
import Testing

@testable import Recording

@Suite struct KilledRecordingTests {
  /// The recording program under way.
  private struct Child {
    let process = Process()
    let output = Pipe()

    /// Starts it behind a line of the shell, which may end with `exec "$@"`.
    init(_ path: String, channels: Int, format: String? = nil, shell: String = "exec \"$@\"") throws
    {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments =
        ["-c", shell, "sh", BuiltProgram.path("recording-child"), path, "\(channels)"]
        + [format].compactMap(\.self)
      process.standardOutput = output
      try process.run()
    }

    /// Waits for a line that fits, kills it, and returns all of its lines.
    func kill(at isLast: (String) -> Bool) -> [String] {
      var text = Data()
      while true {
        let news = output.fileHandleForReading.availableData
        text += news
        let lines = Self.lines(text)
        guard !news.isEmpty, !lines.contains(where: isLast) else { break }
      }
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      text += output.fileHandleForReading.readDataToEndOfFile()
      return Self.lines(text)
    }

    /// Only those that came whole.
    private static func lines(_ text: Data) -> [String] {
      let text = String(decoding: text, as: UTF8.self)
      return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
        String.init)
    }
  }

  /// Whether it is what the program feeds, on two channels.
  private static func isSignal(_ heard: [Float]) -> Bool {
    heard.enumerated().allSatisfy { place, sample in
      sample == Float((place / 2 + place % 2 * 7) % 30_000) / 32_768
    }
  }

  private static func frames(_ lines: [String]) -> Int { lines.compactMap(Int.init).last ?? 0 }

  @Test(arguments: [
    ("wav", "s24", 20), ("flac", "s16", 5), ("aiff", "s16", 3), ("caf", "float", 3),
    ("au", "s16", 3),
  ])
  func `a recording that is killed opens, and lacks at most its last second`(
    suffix: String, format: String, times: Int
  ) throws {
    let scratch = try Scratch()
    // Anywhere between two blocks and the second flush; at once, as each takes its time.
    let ends = (0 ..< times).map { _ in Int.random(in: 960 ... 96_000) }.sorted()
    let children = try ends.indices.map {
      try Child(scratch.file("\($0).\(suffix)"), channels: 2, format: format)
    }
    for (round, (child, end)) in zip(children, ends).enumerated() {
      let path = scratch.file("\(round).\(suffix)")
      let fed = Self.frames(child.kill { Int($0).map { $0 >= end } ?? false })
      #expect(fed >= end)
      // A file may be younger than any of its sound.
      let heard = (try? hear(path).samples) ?? []
      if heard.isEmpty { #expect(fed < 48_000 && FileManager.default.fileExists(atPath: path)) }
      #expect(heard.count / 2 >= fed - 48_000, "\(round): \(heard.count / 2) of \(fed)")
      #expect(Self.isSignal(heard))
    }
  }

  @Test(arguments: ["ogg", "opus"])
  func `a lossy recording that is killed opens, and lacks at most its last second`(
    suffix: String
  ) throws {
    let scratch = try Scratch()
    let path = scratch.file("a.\(suffix)")
    let child = try Child(path, channels: 2)
    let fed = Self.frames(child.kill { Int($0).map { $0 >= 120_000 } ?? false })
    #expect(try hear(path).samples.count / 2 >= fed - 48_000)
  }

  @Test(arguments: ["wav", "aiff", "flac"])
  func `a file that may not grow ends, and the sound goes on`(suffix: String) throws {
    let scratch = try Scratch()
    let path = scratch.file("a.\(suffix)")
    // Blocks of 512 bytes, or 1,024 by some shells.
    let child = try Child(path, channels: 2, format: "s16", shell: "ulimit -f 100; exec \"$@\"")
    var complaint = ""
    let lines = child.kill { line in
      if line.contains("ends at") { complaint = line }
      // It goes on for a while after that.
      return !complaint.isEmpty && (Int(line) ?? 0) > 60_000
    }
    #expect(complaint.hasPrefix("\(path) ends at "))
    #expect(complaint.contains("there is no more room (file too large)"))
    #expect(lines.count { $0.contains("ends at") } == 1)
    let heard = try hear(path).samples
    #expect(heard.count > 10_000)
    #expect(Self.isSignal(heard))
  }
}
