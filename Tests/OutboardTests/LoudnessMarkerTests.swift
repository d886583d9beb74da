// LoudnessMarkerTests.swift: markers and chapters in `outboard render --loudness`. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Markers pass a rendering with loudness` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// A second of a tone in `a.wav`.
  private func addSignal() throws {
    let row = (0 ..< 48_000).map { 0.03 * sinf(Float($0) * 0.1) }
    try FloatWave(channels: [row, row], sampleRateHz: 48_000).write(to: scratch.path("a.wav"))
  }

  private func render(_ arguments: String...) throws -> Program.Result {
    try Program.run(["render"] + arguments, in: scratch)
  }

  private func frameCount(_ name: String) -> Int? { scratch.samples(name)?[0].count }

  /// Adds three markers, two with a text, to `a.wav`.
  private func addMarkers() throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: scratch.path("a.wav")))
    func little(_ values: UInt32...) -> Data {
      values.reduce(into: Data()) { data, value in
        withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
      }
    }
    func chunk(_ name: String, _ content: Data) -> Data {
      Data(name.utf8) + little(UInt32(content.count)) + content
    }
    func cue(_ number: UInt32, _ frame: UInt32) -> Data {
      little(number, frame) + Data("data".utf8) + little(0, 0, frame)
    }
    data += chunk("cue ", little(3) + cue(1, 24_000) + cue(2, 480) + cue(3, 40_000))
    data += chunk(
      "LIST",
      Data("adtl".utf8) + chunk("labl", little(1) + Data("Part 2\0\0".utf8))
        + chunk("labl", little(2) + Data("Part 1\0\0".utf8)))
    data.replaceSubrange(4 ..< 8, with: little(UInt32(data.count - 8)))
    try data.write(to: URL(fileURLWithPath: scratch.path("a.wav")))
  }

  @Test func `markers of WAV files are kept, and a note says where they are lost`() throws {
    try addSignal()
    try addMarkers()
    let kept = try render("--loudness", "-20", "a.wav", "-o", "b.wav")
    #expect(kept.status == 0 && kept.error.isEmpty, "\(kept.error)")
    // The markers are read back, also in a rendering with a plugin.
    let again = try render("gain", "--loudness", "-22", "b.wav", "-o", "c.wav")
    #expect(again.status == 0 && again.error.isEmpty, "\(again.error)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path("c.wav")))
    let found = try #require(bytes.range(of: Data("cue ".utf8)))
    let cues = bytes[found.upperBound...].prefix(4 + 4 + 3 * 24)
    let frames = (0 ..< 3).map { index in
      (0 ..< 4).reduce(0) { $0 | Int(cues[cues.startIndex + 12 + 24 * index + $1]) << (8 * $1) }
    }
    #expect(frames == [480, 24_000, 40_000])
    #expect(bytes.range(of: Data("Part 1\0".utf8)) != nil)
    #expect(frameCount("c.wav") == 48_000)
    let lost = try render("--loudness", "-20", "b.wav", "-o", "d.aiff")
    #expect(lost.status == 0)
    #expect(
      lost.error
        == "outboard: b.wav has markers. d.aiff does not get them: set them with a tag editor.\n")
    let stream = try render("--loudness", "-20", "b.wav", "-o", "-")
    #expect(stream.error.hasPrefix("outboard: b.wav has markers. - does not get them: "))
  }

  private static let programs = ["ffmpeg", "ffprobe"]
  private static func has(_ programs: [String]) -> Bool {
    programs.allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
  }

  /// Chapters as ffprobe lists them: start in milliseconds and title.
  private func probed(_ name: String) throws -> [String] {
    let result = try Program.shell(
      "ffprobe -v error -show_entries chapter=start_time:chapter_tags=title -of compact=p=0:nk=1 \(name)",
      in: scratch)
    try #require(result.status == 0, "\(result.error)")
    return try result.text.split(separator: "\n").map { line in
      let parts = line.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
      let time = Int((try #require(Double(parts[0])) * 1000).rounded())
      return "\(time) \(parts.count > 1 ? String(parts[1]) : "")"
    }
  }

  /// A file of ffmpeg with three chapters; `options` are further ones of ffmpeg.
  private func addChapters(_ name: String, options: String = "-ar 48000") throws {
    try addSignal()
    // Chapters of FLAC and Ogg are comments, which ffmpeg copies. With Opus it would write the chapters, too.
    try scratch.write(
      """
      ;FFMETADATA1
      title=Überall
      CHAPTER001=00:00:00.000
      CHAPTER001NAME=Intro
      CHAPTER002=00:00:00.123
      CHAPTER002NAME=Grüße 日本
      CHAPTER003=00:00:00.777
      CHAPTER003NAME=😀
      [CHAPTER]
      TIMEBASE=1/1000
      START=0
      END=123
      title=Intro
      [CHAPTER]
      TIMEBASE=1/1000
      START=123
      END=600
      title=Grüße 日本
      [CHAPTER]
      TIMEBASE=1/1000
      START=777
      END=1000
      title=😀
      """, to: "chapters.txt")
    let made = try Program.shell(
      "ffmpeg -nostdin -loglevel error -i a.wav -i chapters.txt -map_metadata 1 -map_chapters \(name.hasSuffix("mp3") ? "1" : "-1") \(options) \(name)",
      in: scratch)
    try #require(made.status == 0, "\(made.error)")
  }

  private static let expected = ["0 Intro", "123 Grüße 日本", "777 😀"]

  @Test(
    .enabled(if: Self.has(Self.programs), "ffmpeg is not installed"),
    arguments: ["mp3", "flac", "ogg", "opus"], ["mp3", "flac", "ogg", "opus", "wav"])
  func `chapters pass from each format to each other one, as ffprobe lists them`(
    input: String, output: String
  ) throws {
    try addChapters("in.\(input)")
    let result = try render("--loudness", "-20", "in.\(input)", "-o", "out.\(output)")
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(try probed("out.\(output)") == Self.expected)
  }

  @Test(
    .enabled(if: Self.has(Self.programs), "ffmpeg is not installed"),
    arguments: ["mp3", "flac", "ogg", "opus"], ["44.1k", "96k"])
  func `markers of WAV become chapters, also at another sample rate and behind a plugin`(
    format: String, rate: String
  ) throws {
    try addChapters("in.flac", options: "-ar \(rate)")
    let made = try render("--loudness", "-20", "in.flac", "-o", "in.wav")
    try #require(made.status == 0, "\(made.error)")
    let result = try render("gain", "--loudness", "podcast", "in.wav", "-o", "out.\(format)")
    #expect(result.status == 0, "\(result.error)")
    #expect(try probed("out.\(format)") == Self.expected)
    #expect(!result.error.contains("chapters") && !result.error.contains("markers"))
    // Longer markers of WAV are written again as chapters.
    let mp3 = try Program.shell(
      "ffmpeg -nostdin -loglevel error -i a.wav -i chapters.txt -map_chapters 1 in.mp3"
        + " && \"$OUTBOARD\" render --loudness -20 in.mp3 -o regions.wav"
        + " && \"$OUTBOARD\" render --loudness -20 regions.wav -o again.\(format)", in: scratch)
    #expect(mp3.status == 0, "\(mp3.error)")
    #expect(try probed("again.\(format)") == Self.expected)
  }

  @Test(.enabled(if: Self.has(Self.programs), "ffmpeg is not installed"))
  func `frames of ID3v2.4 whose sizes ffmpeg writes as in 2.3 are read`() throws {
    try addSignal()
    let chapters = (0 ..< 40).map { index in
      "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(20 * index)\nEND=\(20 * index + 20)\ntitle=\(index)"
        + String(repeating: "e", count: 100 + 7 * index) + "\n"
    }
    try scratch.write(";FFMETADATA1\n" + chapters.joined(), to: "chapters.txt")
    let made = try Program.shell(
      "ffmpeg -nostdin -loglevel error -i a.wav -i chapters.txt -map_chapters 1 in.mp3", in: scratch
    )
    try #require(made.status == 0, "\(made.error)")
    #expect(try render("--loudness", "-20", "in.mp3", "-o", "out.ogg").status == 0)
    let found = try probed("out.ogg")
    #expect(found.map { $0.prefix { $0 != "e" } } == (0 ..< 40).map { "\(20 * $0) \($0)" })
    #expect(found.first?.hasSuffix("eee") == true)
  }

  @Test(
    .enabled(if: Self.has(Self.programs), "ffmpeg is not installed"))
  func `what a format cannot keep is named`() throws {
    try addSignal()
    let many = (1 ... 1_100).map { index in
      "[CHAPTER]\nTIMEBASE=1/2000\nSTART=\(index)\nEND=\(index + 1)\ntitle=\(index)\n"
    }
    try scratch.write(";FFMETADATA1\n" + many.joined(), to: "many.txt")
    let made = try Program.shell(
      "ffmpeg -nostdin -loglevel error -i a.wav -i many.txt -map_chapters 1 -id3v2_version 3 many.mp3",
      in: scratch)
    try #require(made.status == 0, "\(made.error)")
    let kept = try render("--loudness", "-20", "many.mp3", "-o", "out.mp3")
    #expect(kept.error.isEmpty, "\(kept.error)")
    #expect(try probed("out.mp3").count == 1_100)
    // The audio fits, the chapters do not: no file is left. The limit has units of 512 bytes.
    let full = try Program.shell(
      "trap '' XFSZ; ulimit -f 100; \"$OUTBOARD\" render --loudness -20 many.mp3 -o full.mp3",
      in: scratch)
    #expect(full.status == 1 && full.error.contains("full.mp3 failed at 1.0 s: file too large"))
    #expect(!FileManager.default.fileExists(atPath: scratch.path("full.mp3")))
    let cut = try render("--loudness", "-20", "many.mp3", "-o", "out.flac")
    #expect(
      cut.error == "outboard: many.mp3 has 1100 chapters. out.flac gets the first 999 only.\n")
    #expect(try probed("out.flac").count == 999)
    let none = try render("--loudness", "-20", "many.mp3", "-o", "out.caf")
    #expect(
      none.error
        == "outboard: many.mp3 has chapters. out.caf does not get them: set them with a tag editor.\n"
    )
  }

  @Test(
    .enabled(
      if: Self.has(Self.programs + ["metaflac"]),
      "ffmpeg or metaflac (package flac) is not installed"))
  func `the tracks of a cue sheet become chapters`() throws {
    try addSignal()
    try scratch.write(
      """
      TITLE "Album"
      FILE "a.wav" WAVE
        TRACK 01 AUDIO
          TITLE "Eins, „zwei“"
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          INDEX 00 00:00:20
          INDEX 01 00:00:30
      """, to: "a.cue")
    // The tag of the second file has titles, too.
    let made = try Program.shell(
      "ffmpeg -nostdin -loglevel error -i a.wav -ar 44100 cue.flac && cp cue.flac text.flac"
        + " && metaflac --import-cuesheet-from=a.cue cue.flac"
        + " && metaflac --set-tag-from-file=CUESHEET=a.cue text.flac", in: scratch)
    try #require(made.status == 0, "\(made.error)")
    for (name, first) in [("cue", "Track 1"), ("text", "Eins, „zwei“")] {
      for format in ["mp3", "flac", "opus"] {
        let kept = try render("--loudness", "-20", "\(name).flac", "-o", "\(name)-2.\(format)")
        #expect(kept.status == 0 && !kept.error.contains("cue sheet"), "\(kept.error)")
        let chapters = try probed("\(name)-2.\(format)")
        #expect(chapters == ["0 \(first)", "400 Track 2"], "\(format)")
      }
    }
  }

  /// A program that reads metadata with its own code.
  struct MetadataReader: CustomTestStringConvertible {
    let program: String
    let format: String
    let command: String
    /// What it has to print.
    let text: String
    var testDescription: String { program }
  }

  private static let readers = [
    MetadataReader(
      program: "metaflac", format: "flac", command: "metaflac --list out.flac",
      text: "CHAPTER002=00:00:00.500"),
    MetadataReader(
      program: "flac", format: "flac", command: "flac --test out.flac 2>&1", text: "ok"),
    MetadataReader(
      program: "opusinfo", format: "opus", command: "opusinfo out.opus",
      text: "CHAPTER002NAME=Part 2\n"),
    MetadataReader(
      program: "vorbiscomment", format: "ogg", command: "vorbiscomment --list --raw out.ogg",
      text: "CHAPTER002NAME=Part 2\n"),
    MetadataReader(
      program: "ogginfo", format: "ogg", command: "ogginfo out.ogg", text: "CHAPTER003=00:00:00.833"
    ),
    MetadataReader(
      program: "eyeD3", format: "mp3", command: "LC_ALL=C.UTF-8 eyeD3 -v out.mp3", text: "ID3 v2.4"),
    MetadataReader(
      program: "mid3v2", format: "mp3", command: "LC_ALL=C.UTF-8 mid3v2 --list out.mp3",
      text: "CTOC=toc flags=3 child_element_ids=chp0,chp1,chp2"),
    MetadataReader(
      program: "ffmpeg", format: "opus",
      command: "ffmpeg -nostdin -v warning -xerror -i out.opus -f null - && echo ok", text: "ok"),
    MetadataReader(
      program: "ffmpeg", format: "mp3",
      command: "ffmpeg -nostdin -v warning -xerror -i out.mp3 -f null - && echo ok", text: "ok"),
  ]

  @Test(
    .enabled(
      if: readers.contains { has([$0.program]) },
      "none of ffmpeg, eyed3, python3-mutagen, flac, opus-tools and vorbis-tools is installed"),
    arguments: readers.filter { has([$0.program]) })
  func `other programs read the chapters and find no fault`(reader: MetadataReader) throws {
    try addSignal()
    try addMarkers()
    let result = try render("--loudness", "-20", "a.wav", "-o", "out.\(reader.format)")
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    let read = try Program.shell(reader.command, in: scratch)
    #expect(read.status == 0 && read.text.contains(reader.text), "\(read.text)\(read.error)")
    let text = (read.text + read.error).lowercased()
    #expect(!text.contains("warning") && !text.contains("error"), "\(text)")
  }
}
