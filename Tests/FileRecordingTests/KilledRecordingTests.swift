// KilledRecordingTests.swift: recordings of a killed process or without space. SPDX-License-Identifier: MIT

import AudioFiles
import AudioTestSupport
import Foundation
import LV2Fixtures
import PluginModel
import Testing

@testable import FileRecording

@Suite struct KilledRecordingTests {
  /// scripts/check-recordings runs more kills.
  private static let rounds =
    ProcessInfo.processInfo.environment["OUTBOARD_KILL_ROUNDS"].flatMap(Int.init) ?? 1
  private static let allRounds = Array(0 ..< rounds)

  /// The running recording program.
  private struct Child {
    let process = Process()
    let output = Pipe()

    /// Starts it with a shell command before it, which may end with `exec "$@"`.
    init(
      _ path: String, channels: Int, format: String? = nil, more: [String] = [],
      shell: String = "exec \"$@\""
    ) throws {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments =
        ["-c", shell, "sh", BuiltProgram.path("recording-child"), path, "\(channels)"]
        + [format].compactMap(\.self) + more
      process.standardOutput = output
      try process.run()
    }

    /// Waits for a matching line, kills the process, and returns all of its lines.
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

    /// Returns complete lines only.
    private static func lines(_ text: Data) -> [String] {
      let text = String(decoding: text, as: UTF8.self)
      return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
        String.init)
    }
  }

  /// Whether the frames equal the program's signal on two channels, starting at a frame.
  private static func isSignal(_ captured: [Float], from frame: Int = 0) -> Bool {
    captured.enumerated().allSatisfy { place, sample in
      sample == Float((frame + place / 2 + place % 2 * 7) % 30_000) / 32_768
    }
  }

  private static func frames(_ lines: [String]) -> Int { lines.compactMap(Int.init).last ?? 0 }

  @Test(
    arguments: [
      ("wav", "s24", 20), ("flac", "s16", 5), ("aiff", "s16", 3), ("caf", "float", 3),
      ("au", "s16", 3),
    ], allRounds)
  func `after a kill a recording opens and lacks at most its last second`(
    kind: (suffix: String, format: String, times: Int), round: Int
  ) throws {
    let scratch = try TemporaryDirectory()
    // Any time between two blocks and the second flush. The kills run in parallel, because each takes time.
    let ends = (0 ..< kind.times).map { _ in Int.random(in: 960 ... 96_000) }.sorted()
    let paths = ends.indices.map { scratch.file("\($0).\(kind.suffix)") }
    let children = try paths.map { try Child($0, channels: 2, format: kind.format) }
    for (path, (child, end)) in zip(paths, zip(children, ends)) {
      let fed = Self.frames(child.kill { Int($0).map { $0 >= end } ?? false })
      #expect(fed >= end)
      // A file may be created after its audio began.
      let captured = (try? decodeAudio(path).samples) ?? []
      if captured.isEmpty { #expect(fed < 48_000 && FileManager.default.fileExists(atPath: path)) }
      #expect(captured.count / 2 >= fed - 48_000, "\(path): \(captured.count / 2) of \(fed)")
      #expect(Self.isSignal(captured))
    }
  }

  @Test(arguments: ["ogg", "opus"], allRounds)
  func `after a kill a lossy recording opens and lacks at most its last second`(
    suffix: String, round: Int
  ) throws {
    let scratch = try TemporaryDirectory()
    let ends = (0 ..< 3).map { _ in Int.random(in: 60_000 ... 120_000) }.sorted()
    let paths = ends.indices.map { scratch.file("\($0).\(suffix)") }
    let children = try paths.map { try Child($0, channels: 2) }
    for (path, (child, end)) in zip(paths, zip(children, ends)) {
      let fed = Self.frames(child.kill { Int($0).map { $0 >= end } ?? false })
      let captured = try decodeAudio(path).samples.count / 2
      #expect(captured >= fed - 48_000, "\(path): \(captured) of \(fed)")
    }
  }

  @Test(arguments: [("wav", "s24"), ("flac", "s16"), ("aiff", "s16")], allRounds)
  func `after a kill the parts of a split recording open and lack at most the last second`(
    kind: (suffix: String, format: String), round: Int
  ) throws {
    let scratch = try TemporaryDirectory()
    let ends = (0 ..< 2).map { _ in Int.random(in: 30_000 ... 120_000) }.sorted()
    let children = try ends.indices.map {
      try Child(
        scratch.file("\($0)-%part.\(kind.suffix)"), channels: 2, format: kind.format, more: ["0.4"])
    }
    for (place, (child, end)) in zip(children, ends).enumerated() {
      let fed = Self.frames(child.kill { Int($0).map { $0 >= end } ?? false })
      let parts = try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter {
        $0.hasPrefix("\(place)-")
      }.sorted()
      // The last one may still be empty.
      var all: [Float] = []
      for (index, part) in parts.enumerated() {
        let captured = (try? decodeAudio(scratch.file(part)).samples) ?? []
        #expect(
          captured.count == 2 * 19_200 || index >= parts.count - 2, "\(part): \(captured.count)")
        all += captured
      }
      #expect(parts.count > 1 && all.count / 2 >= fed - 48_000, "\(all.count / 2) of \(fed)")
      #expect(Self.isSignal(all))
    }
  }

  @Test(
    .enabled(if: rounds > 1, "scripts/check-recordings runs it: it writes 4 GB"),
    arguments: 0 ..< 3)
  func `after a kill a recording beyond 4 GB opens and lacks at most its last second`(
    time: Int
  ) throws {
    let scratch = try TemporaryDirectory()
    let path = scratch.file("a.wav")
    // 64 channels of 4 bytes: starts two seconds before 4 GiB, and continues beyond.
    let fast = (1 << 32) / 256 - 96_000
    let child = try Child(path, channels: 64, format: "float", more: ["0", "\(fast)"])
    let end = fast + Int.random(in: 60_000 ... 160_000)
    let fed = Self.frames(child.kill { Int($0).map { $0 >= end } ?? false })
    var reader = try AudioFileReader(path: path)
    let count = reader.frameCount ?? 0
    #expect(count >= fed - 48_000 && count <= fed, "\(count) of \(fed)")
    let start = try reader.seek(to: count - 1_000)
    let rows = (0 ..< 64).map { _ in UnsafeMutablePointer<Float>.allocate(capacity: 1_000) }
    defer { rows.forEach { $0.deallocate() } }
    let got = try reader.read(into: rows, frameCount: 1_000)
    #expect(got == 1_000)
    let isSame = rows.enumerated().allSatisfy { channel, row in
      (0 ..< 1_000).allSatisfy {
        row[$0] == Float((start + $0 + channel * 7) % 30_000) / 32_768
      }
    }
    #expect(isSame)
  }

  @Test(arguments: ["wav", "aiff", "flac"])
  func `a file that cannot grow ends, and audio continues`(suffix: String) throws {
    let scratch = try TemporaryDirectory()
    let path = scratch.file("a.\(suffix)")
    // Blocks of 512 bytes, or 1,024 in some shells.
    let child = try Child(path, channels: 2, format: "s16", shell: "ulimit -f 100; exec \"$@\"")
    var complaint = ""
    let lines = child.kill { line in
      if line.contains("ends at") { complaint = line }
      // It continues for a while after that.
      return !complaint.isEmpty && (Int(line) ?? 0) > 60_000
    }
    #expect(complaint.hasPrefix("\(path) ends at "))
    #expect(complaint.contains("because the disk is full (file too large)"))
    #expect(lines.count { $0.contains("ends at") } == 1)
    let captured = try decodeAudio(path).samples
    #expect(captured.count > 10_000)
    #expect(Self.isSignal(captured))
  }
}
