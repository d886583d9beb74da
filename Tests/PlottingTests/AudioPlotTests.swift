// AudioPlotTests.swift: plots of audio. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Metering
@testable import Plotting

@Suite struct AudioPlotTests {
  /// A tone of 1 kHz, then silence, as a file of 16 bits.
  private func audio(
    channels: Int = 2, seconds: Double = 1, rate: Int = 48_000
  ) throws -> FileAnalysis {
    let path = NSTemporaryDirectory() + "outboard-plot-\(UUID().uuidString).wav"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let count = Int(seconds * Double(rate))
    var samples: [Int16] = []
    for frame in 0 ..< count {
      let tone = frame < count / 2 ? sin(2 * .pi * 1_000 * Double(frame) / Double(rate)) : 0
      for _ in 0 ..< channels { samples.append(Int16(tone * 32_767)) }
    }
    func little<Number: FixedWidthInteger>(_ number: Number) -> Data {
      withUnsafeBytes(of: number.littleEndian) { Data($0) }
    }
    let bytes = UInt32(samples.count * 2)
    var file = Data("RIFF".utf8) + little(36 + bytes) + Data("WAVEfmt ".utf8) + little(UInt32(16))
    file += little(UInt16(1)) + little(UInt16(channels)) + little(UInt32(rate))
    file += little(UInt32(rate * channels * 2)) + little(UInt16(channels * 2)) + little(UInt16(16))
    file += Data("data".utf8) + little(bytes)
    samples.forEach { file += little($0) }
    try file.write(to: URL(fileURLWithPath: path))
    let found = try FileAnalysis.of(path, isDrawn: true)
    return try #require(found)
  }

  @Test func `a whole file is plotted with its level over time`() throws {
    let audio = try audio()
    #expect(audio.seconds == 1 && audio.channelCount == 2 && audio.frameCount == 48_000)
    #expect(abs(audio.reading.highest) < 0.001)
    // Half of the file is a sine of full scale.
    #expect(audio.means.allSatisfy { abs($0 + 3.01) < 0.01 })
    #expect(audio.correlation == 1 && audio.noiseFloor == -.infinity)
    let course = try #require(audio.history)
    #expect(course.waveform.count == 2 && course.waveform[0].count == 800)
    #expect(course.waveform[0][80].high > 0.99 && course.waveform[0][720].high == 0)
    let row = try #require(course.bandHz.firstIndex { $0 > 1_000 })
    #expect((course.meanSpectrum[row - 3 ... row + 3].max() ?? 0) > -10)
    #expect(course.meanSpectrum[10] < -50)
  }

  @Test func `points are merged in pairs when there are too many`() {
    var line = Timeline<Int>(limit: 8) { max($0, $1) }
    for point in 0 ..< 100 { line.append(point) }
    line.flush()
    #expect(line.span == 16 && line.points == [15, 31, 47, 63, 79, 95, 99])
  }

  @Test(arguments: [1, 2, 6, 10])
  func `a picture of any number of channels is well-formed XML`(channels: Int) throws {
    let bytes = try AudioPlot.bytes(of: audio(channels: channels, seconds: 0.5), for: "a.svg")
    let text = try #require(String(bytes: bytes, encoding: .utf8))
    #expect(text.hasPrefix("<?xml") && text.hasSuffix("</svg>\n"))
    for part in ["Waveform", "Loudness", "Spectrogram", "Spectrum", "LUFS", "dBFS", ">10k<"] {
      #expect(text.contains(part), "\(part)")
    }
    #expect(!text.contains("nan") && !text.contains("inf,"))
    // Every element is self-closing or has a closing tag.
    let opened = text.components(separatedBy: "<text").count
    #expect(opened == text.components(separatedBy: "</text>").count)
  }

  @Test func `an empty or silent file gives a valid plot`() throws {
    let one = try audio(channels: 1, seconds: 0.001)
    #expect(try AudioPlot.bytes(of: one, for: "a.svg").count > 1_000)
  }

  @Test func `a PNG has a valid start and the size of the sheet`() throws {
    // scripts/setup installs cairo for the tests.
    let bytes = try AudioPlot.bytes(of: audio(), for: "a.PNG")
    #expect(bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]))
    let width = bytes[16 ..< 20].reduce(0) { $0 << 8 | Int($1) }
    #expect(width == 1_800)
  }

  @Test func `cells are stored as a PNG that other programs read`() {
    let image = IndexedImage(
      columns: 3, rows: 2, cells: [0, 1, 2, 3, 4, 255], palette: Palette.heat)
    let bytes = UncompressedPNG.bytes(of: image)
    #expect(bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    // The checksum of an empty IEND is known.
    #expect(Array(bytes.suffix(4)) == [0xae, 0x42, 0x60, 0x82])
    #expect(UncompressedPNG.base64(of: image) == Data(bytes).base64EncodedString())
  }

  @Test func `an extension other than that of a picture is refused`() throws {
    #expect(throws: PlotError.unknownKind(path: "a.jpg")) {
      try AudioPlot.checkExtension("a.jpg")
    }
  }

  @Test func `time marks are at round steps`() {
    #expect(Axis.times(10).step == 1 && Axis.times(3_600).step == 300)
    #expect(Axis.times(0.01).step == 0.001 && Axis.times(200 * 86_400).marks.count <= 13)
    #expect(Axis.text(75, step: 15) == "1:15" && Axis.text(3_725, step: 60) == "1:02:05")
    #expect(Axis.text(0.25, step: 0.05) == "0.25")
  }
}
