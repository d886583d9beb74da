// ChapterFileTests.swift: chapters and tags of files that were written. SPDX-License-Identifier: MIT

import AudioTestSupport
import LV2Fixtures
import Testing

@testable import AudioFiles

@Suite struct ChapterFileTests {
  private let scratch: TemporaryDirectory
  private let markers = [
    FileMarker(frame: 0, text: "Intro"),
    FileMarker(frame: 12_345, frameCount: 1000, text: "Grüße 日本"),
    FileMarker(frame: 20_000, text: ""), FileMarker(frame: 31_111, text: "End = 😀"),
  ]

  init() throws { scratch = try TemporaryDirectory() }

  /// Writes a second of noise.
  private func write(
    _ name: String, _ markers: [FileMarker], rate: Int = 48_000, tags: AudioFileTags = .init()
  ) throws {
    var settings = AudioFileWriter.Settings(
      path: scratch.file(name), sampleRateHz: rate, channelCount: 1)
    (settings.markers, settings.tags) = (markers, tags)
    var writer = try AudioFileWriter(settings)
    try writer.write(noise(rate), frameCount: rate)
    try writer.finish()
  }

  private func read(_ name: String) throws -> [FileMarker] {
    let reader = try AudioFileReader(path: scratch.file(name))
    let markers = reader.markers
    return markers.isEmpty ? reader.chapters : markers
  }

  @Test(arguments: ["wav", "mp3", "flac", "ogg", "opus"], [8000, 48_000])
  func `chapters are read back within half a millisecond, and the audio is the same`(
    format: String, rate: Int
  ) throws {
    let moved = markers.map { $0.converted(from: 48_000, to: rate) }
    try write("a.\(format)", moved, rate: rate)
    let found = try read("a.\(format)")
    #expect(found.map(\.text) == markers.map(\.text))
    for (one, other) in zip(found, moved) {
      let difference = abs(Double(one.frame - other.frame)) / Double(rate)
      #expect(difference <= (format == "wav" ? 0 : 0.000_6), "\(one) \(other)")
    }
    try write("b.\(format)", [], rate: rate)
    let (with, without) = (
      try decodeAudio(scratch.file("a.\(format)")), try decodeAudio(scratch.file("b.\(format)"))
    )
    #expect(with == without && with.note == nil && with.samples.count == rate)
    #expect(try read("b.\(format)").isEmpty)
  }

  @Test(arguments: ["mp3", "flac"])
  func `all bytes of the audio are those of a file without chapters`(format: String) throws {
    try write("a.\(format)", markers)
    try write("b.\(format)", [])
    let (with, without) = (try scratch.bytes("a.\(format)"), try scratch.bytes("b.\(format)"))
    // In front of the audio, FLAC has its format and its comments.
    let head = format == "flac" ? 4 + 4 + 34 + 4 + 40 : 0
    #expect(
      with.count > without.count && with.suffix(without.count - head) == without.dropFirst(head))
  }

  @Test(arguments: ["mp3", "flac", "ogg", "opus"])
  func `999 long titles are kept, and the pages of Ogg files count on`(format: String) throws {
    let title = String(repeating: "ü", count: 240)
    let many = (0 ..< 999).map { FileMarker(frame: 48 * $0, text: "\($0) \(title)") }
    try write("a.\(format)", many)
    #expect(try read("a.\(format)").map(\.text) == many.map(\.text))
    try write("b.\(format)", [])
    #expect(
      try decodeAudio(scratch.file("a.\(format)")) == decodeAudio(scratch.file("b.\(format)")))
    guard format == "opus" || format == "ogg" else { return }
    let bytes = try scratch.bytes("a.\(format)")
    var (place, number) = (0, 0)
    while place < bytes.count {
      #expect(bytes[place...].starts(with: "OggS".utf8))
      #expect(Array(bytes[(place + 18) ..< (place + 22)]) == little(number))
      let segments = bytes[(place + 27) ..< (place + 27 + Int(bytes[place + 26]))]
      place = segments.endIndex + segments.reduce(0) { $0 + Int($1) }
      number += 1
    }
    #expect(number > 9)
  }

  @Test func `tags of MP3 are Unicode, also beside chapters`() throws {
    let texts = [
      "TITLE=Überall", "ARTIST=日本", "COMMENT=A B", "DATE=2024-05-01", "TRACKNUMBER=3/7",
      "ALBUM=Al", "GENRE=Podcast", "LICENSE=CC BY", "COPYRIGHT=me",
    ]
    try write("a.flac", [])
    let flac = try scratch.bytes("a.flac")
    let block = comments(texts)
    // The comments follow the format.
    let old = Int(flac[43]) << 16 | Int(flac[44]) << 8 | Int(flac[45])
    _ = try scratch.put(
      "tagged.flac", flac[..<43] + big(block.count).dropFirst() + block + flac[(46 + old)...])
    let tags = try AudioFileReader(path: scratch.file("tagged.flac")).tags
    #expect(Set(tags.comments) == Set(texts))
    for (name, chapters) in [("a.mp3", []), ("b.mp3", markers)] {
      try write(name, chapters, tags: tags)
      let read = try AudioFileReader(path: scratch.file(name)).tags.comments
      // libsndfile does not read the licence.
      #expect(read == tags.comments.filter { !$0.hasPrefix("LICENSE") })
      // After the encoding and three letters for the language.
      let frame = Array("USER".utf8) + synchsafe(9) + [0, 0, 3]
      let bytes = try scratch.bytes(name)
      let place = try #require(bytes.firstRange(of: frame)).upperBound + 3
      #expect(bytes[place...].starts(with: "CC BY".utf8))
    }
  }

  @Test func `damaged Ogg headers have no chapters`() throws {
    try write("a.opus", markers)
    let whole = try scratch.bytes("a.opus")
    let header = try withFile(whole) { try #require(OggHeaders($0)).byteCount }
    for length in stride(from: 0, to: header, by: 3) {
      #expect(try withFile(Array(whole[..<length])) { Chapters.read($0) }.isEmpty)
    }
    for index in stride(from: 0, to: header, by: 3) {
      var damaged = whole
      damaged[index] ^= 0x55
      // The checksum of the page is wrong.
      #expect(try withFile(damaged) { Chapters.read($0) }.count <= 4)
    }
    // A packet that never ends, in pages of another stream.
    let page = Array("OggS".utf8) + [UInt8](repeating: 0, count: 22) + [0]
    let endless = (0 ..< 100_000).flatMap { _ in page }
    #expect(try withFile(endless) { Chapters.read($0) }.isEmpty)
    #expect(try withFile(Array("OggS".utf8), length: 300_000_000) { Chapters.read($0) }.isEmpty)
  }
}
