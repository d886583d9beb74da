// MeasureTests.swift: `outboard measure` and `outboard sweep`. SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@Suite struct `Plugins are measured` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private struct Side: Decodable {
    struct Point: Decodable {
      let hertz: Double
      let gain: Double?
    }
    struct Tone: Decodable {
      let input: Double
      let output: Double?
      let thd: Double?
    }
    struct Cost: Decodable {
      let frames: Int
      let nanoseconds: Double
    }
    struct Node: Decodable {
      struct Value: Decodable {
        let symbol: String
        let value: Float
      }
      let name: String
      let values: [Value]
    }
    let name: String
    let settings: [Node]
    let cpu: [Cost]
    let secondResponse: [Point]?
    let decay: [[String: Double]]?
    let declaredLatencyFrames: Int
    let measuredLatencyFrames: Int
    let response: [Point]
    let tones: [Tone]
  }

  private func measure(_ words: String...) throws -> [Side] {
    let result = try expectSuccess(["measure", "--json"] + words, in: scratch)
    return try JSONDecoder().decode([Side].self, from: result.output)
  }

  @Test func `progress is shown on a terminal only, also beside CSV for a file`() throws {
    let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(controller >= 0)
    defer { close(controller) }
    // TIOCSPTLCK and TIOCGPTN.
    var (lock, number): (Int32, Int32) = (0, 0)
    try #require(ioctl(controller, 0x4004_5431, &lock) == 0)
    try #require(ioctl(controller, 0x8004_5430, &number) == 0)
    let terminal = "/dev/pts/\(number)"
    let line = "exec $OUTBOARD measure gain --rate 8000 --csv"
    let shown = try Program.shell("\(line) 2> \(terminal)", in: scratch)
    #expect(shown.status == 0 && shown.text.contains("gain"))
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(controller, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    #expect(text.contains(#/measuring gain   [0-9]+\.[0-9] %/#), "\(text)")
    let piped = try Program.shell(line, in: scratch)
    #expect(piped.status == 0 && piped.error.isEmpty, "\(piped.error)")
  }

  @Test(
    .enabled(if: InstalledBundles.exist(["eg-amp.lv2"]), "lv2-examples are not installed"))
  func `a URI has its last part as the heading`() throws {
    let bundles = try InstalledBundles(["eg-amp.lv2"])
    let result = try Program.run(
      ["measure", "http://lv2plug.in/plugins/eg-amp"], in: scratch,
      environment: ["LV2_PATH": bundles.path])
    let heading = result.text.split(separator: "\n").first ?? ""
    #expect(heading.hasSuffix(" eg-amp"), "\(result.text) \(result.error)")
  }

  @Test func `wrong requests are refused with one message`() throws {
    for (arguments, message) in [
      (["oscillator"], "oscillator has no audio input, so there is nothing to measure."),
      (["gain gan=3"], "Gain has no parameter gan. Did you mean gain?"),
      (["gain=3"], "gain=3 has no plugin before it. Name a plugin first."),
      (["a.wav"], "a.wav is an audio file, not a plugin. Use `outboard analyse` for files."),
      (
        Array(repeating: "gain", count: 13),
        "13 plugins or rigs do not fit in a table. Use at most 12."
      ),
    ] {
      try expectFailure(["measure"] + arguments, in: scratch, message)
    }
    for wrong in [
      ["measure"], ["measure", "gain", "--rate", "3"],
    ] {
      let result = try Program.run(wrong, in: scratch)
      #expect(result.status == 2 && result.text.isEmpty && !result.error.isEmpty, "\(wrong)")
    }
  }

  @Test func `an equaliser has the response of its analog model`() throws {
    let sides = try measure(
      "parametric-eq band_3_gain=6 band_3_frequency=1000 band_3_q=1", "gain", "gain=-3")
    try #require(sides.count == 2)
    for point in sides[0].response {
      // A peaking filter: (s^2 + s A / Q + 1) / (s^2 + s / (A Q) + 1), with A of 3 dB.
      let (x, amplitude) = (point.hertz / 1_000, pow(10, 6 / 40.0))
      func power(_ damping: Double) -> Double { pow(1 - x * x, 2) + pow(x * damping, 2) }
      let expected = 10 * log10(power(amplitude) / power(1 / amplitude))
      #expect(abs((point.gain ?? .nan) - expected) < 0.15, "\(point), \(expected)")
    }
    #expect(sides[1].name == "gain gain=-3")
    #expect(sides[1].response.allSatisfy { abs(($0.gain ?? .nan) + 3) < 0.01 })
    #expect(sides[1].tones.allSatisfy { abs(($0.output ?? .nan) - $0.input + 3) < 0.01 })
  }

  @Test func `settings, CPU time and a channel that differs are reported`() throws {
    let sides = try measure("gain gain=-3 reverb decay=2 mix=100", "gain")
    try #require(sides.count == 2)
    let nodes = sides[0].settings
    #expect(nodes.count == 2 && nodes[0].values.first { $0.symbol == "gain" }?.value == -3)
    #expect(nodes[1].values.first { $0.symbol == "decay" }?.value == 2)
    #expect(sides.allSatisfy { $0.cpu.map(\.frames) == [64, 512] })
    #expect(sides.flatMap(\.cpu).allSatisfy { $0.nanoseconds > 0 })
    #expect(sides[0].secondResponse?.count == sides[0].response.count)
    #expect(sides[1].secondResponse == nil)
    #expect(sides[0].decay?.count == 7 && sides[1].decay == nil)
    let text = try expectSuccess(["measure", "gain", "gain=-3"], in: scratch).text
    #expect(text.contains("gain gain=-3: Gain: gain=-3 dB"), "\(text)")
    #expect(!text.contains("channel 2") && !text.contains("Decay"), "\(text)")
    // Names, not numbers.
    let named = try expectSuccess(["measure", "compressor"], in: scratch).text
    #expect(named.contains("key=\"The sound itself\""), "\(named)")
    #expect(!named.contains("key=0"), "\(named)")
  }

  @Test func `the grid is a table, CSV, JSON and a panel of the plot`() throws {
    let arguments = ["measure", "gain", "overdrive drive=30", "--grid"]
    let text = try expectSuccess(arguments + ["--plot", "grid.svg"], in: scratch).text
    let parts = text.components(separatedBy: "THD+N in dB by frequency and level: ")
    try #require(parts.count == 3)
    let lines = parts[2].split(separator: "\n").map { String($0).squeezed.split(separator: " ") }
    #expect(lines[0] == ["overdrive", "drive=30"])
    #expect(
      lines[1].joined(separator: " ") == "HZ \\ DBFS -60 -54 -48 -42 -36 -30 -24 -18 -12 -6 0")
    let rows = lines.dropFirst(2).prefix { Double($0.first ?? "") != nil }
    #expect(rows.count == 9 && rows.allSatisfy { $0.count == 12 }, "\(rows)")
    // More drive distorts more.
    #expect(try #require(Double(rows[6][11])) > (try #require(Double(rows[6][1]))))
    let plot = try String(contentsOfFile: scratch.path("grid.svg"), encoding: .utf8)
    #expect(plot.contains("THD+N by level of the input: overdrive drive=30"))
    let csv = try expectSuccess(arguments + ["--csv"], in: scratch).text
    let places = csv.split(separator: "\n").filter {
      $0.hasPrefix("THD+N,\"") && $0.contains("Hz, ")
    }
    #expect(places.count == 99, "\(places)")
    struct Grid: Decodable {
      struct Tone: Decodable {
        let hertz: Double
        let input: Double
        let thdAndNoise: Double?
      }
      let grid: [Tone]?
    }
    let json = try expectSuccess(arguments + ["--json"], in: scratch).output
    let sides = try JSONDecoder().decode([Grid].self, from: json)
    #expect(sides.map { $0.grid?.count } == [99, 99])
    let louder = try #require(sides[1].grid?.first { $0.input == 0 && $0.hertz > 900 })
    #expect(String(format: "%.1f", try #require(louder.thdAndNoise)) == rows[6][11])
    let plain = try expectSuccess(["measure", "gain", "--json"], in: scratch).output
    #expect(try JSONDecoder().decode([Grid].self, from: plain).first?.grid == nil)
  }

  @Test func `latency and limit of a limiter are measured`() throws {
    let side = try #require(try measure("limiter ceiling=-6 true_peak=off").first)
    #expect(side.declaredLatencyFrames == 240 && side.measuredLatencyFrames == 240)
    #expect(abs(try #require(side.tones.last?.output) + 6) < 0.1)
    #expect(abs(try #require(side.tones.first?.output) + 60) < 0.01)
  }

  @Test func `a plugin that hides its latency is found`() throws {
    try scratch.write(
      """
      #include <stdint.h>
      static float line[2][100];
      void process(void *state, const float *const *in, float *const *out, const float *parameters,
                   uint32_t count) {
        static uint32_t place;
        for (uint32_t i = 0; i < count; i++) {
          for (int c = 0; c < 2; c++) { out[c][i] = line[c][place]; line[c][place] = in[c][i]; }
          place = (place + 1) % 100;
        }
      }
      """, to: "late.c")
    let result = try Program.run(["measure", "./late.c", "--json"], in: scratch)
    try #require(result.status == 0, "\(result.error)")
    let side = try #require(try JSONDecoder().decode([Side].self, from: result.output).first)
    #expect(side.declaredLatencyFrames == 0 && side.measuredLatencyFrames == 100)
  }

  @Test func `the table has a column for each side, CSV all values, and a plot is written`() throws
  {
    let result = try expectSuccess(
      ["measure", "gain", "overdrive drive=10", "--plot", "m.svg"], in: scratch)
    let lines = result.text.split(separator: "\n").map { String($0).squeezed }
    #expect(lines[0] == "AT gain overdrive drive=10", "\(lines[0])")
    #expect(lines.contains("Latency, declared 0 47 frames"), "\(result.text)")
    #expect(try scratch.data("m.svg").starts(with: Data("<?xml".utf8)))
    let csv = try expectSuccess(["measure", "gain", "--csv"], in: scratch).text
    let rows = csv.split(separator: "\n")
    #expect(rows[0] == "quantity,at,unit,gain" && rows.count > 250, "\(rows.count)")
    #expect(rows.dropFirst().allSatisfy { $0.split(separator: ",").count >= 3 })
  }
}

@Suite struct `A parameter is swept` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
  }

  private func sweep(_ arguments: String...) throws -> Program.Result {
    try Program.run(["sweep"] + arguments, in: scratch)
  }

  @Test func `wrong requests are refused with one message`() throws {
    for (arguments, message) in [
      (["gain"], "No parameter has a range. Give one, for example drive=0..40/5."),
      (
        ["gain", "gain=0..3", "balance=0..1"],
        "Only one parameter can have a range, but 2 have one."
      ),
      (["gain", "gain=0..3/1"], "gain=0..3/1 has 1 values. Use 2 to 1000."),
      (["gain", "gan=0..3"], "Gain has no parameter gan. Did you mean gain?"),
    ] {
      try expectFailure(
        ["sweep"] + arguments + ["-i", "in.wav", "-o", "out/"], in: scratch, message)
    }
    let missing = try sweep("gain", "gain=0..3", "-i", "gone.wav", "-o", "out/")
    #expect(missing.status == 2 && missing.error.contains("gone.wav does not exist"), "\(missing)")
    #expect(!scratch.exists("out"))
  }

  @Test func `each value has a file and a line, and there is a plot`() throws {
    let result = try sweep("gain", "gain=-12..0/3", "-i", "in.wav", "-o", "out", "--plot", "s.svg")
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    let lines = result.text.split(separator: "\n").map { String($0).squeezed }
    #expect(lines.count == 4 && lines[0] == "GAIN PEAK TRUE RMS LUFS FILE", "\(lines)")
    let peaks = lines.dropFirst().compactMap { Double($0.split(separator: " ")[1]) }
    #expect(abs(peaks[2] - peaks[0] - 12) < 0.11 && abs(peaks[1] - peaks[0] - 6) < 0.11)
    for value in ["-12", "-6", "0"] { #expect(scratch.exists("out/gain-\(value).wav"), "\(value)") }
    #expect(try scratch.data("s.svg").starts(with: Data("<?xml".utf8)))
    let again = try sweep("gain", "gain=-12..0/3", "-i", "in.wav", "-o", "out")
    #expect(again.status == 2 && again.error.contains("already exists"), "\(again.error)")
    #expect(try sweep("gain", "gain=-12..0/3", "-i", "in.wav", "-o", "out", "--force").status == 0)
  }

  @Test func `a logarithmic parameter has equal ratios, and units are read`() throws {
    let result = try sweep(
      "parametric-eq", "band_3_frequency=100Hz..1.6kHz/5", "band_3_gain=6", "-i", "in.wav", "-o",
      "eq/", "--json")
    #expect(result.status == 0, "\(result.error)")
    let rows = try #require(
      try JSONSerialization.jsonObject(with: result.output) as? [[String: Any]])
    #expect(rows.compactMap { $0["value"] as? Double } == [100, 200, 400, 800, 1_600])
    #expect(rows.allSatisfy { $0["peak"] is Double })
  }

  @Test func `ends beyond the range are reported`() throws {
    let result = try sweep("gain", "gain=0..999/2", "-i", "in.wav", "-o", "out/")
    #expect(result.status == 0)
    #expect(result.error.contains("is above the maximum"), "\(result.error)")
  }
}
