// AnalyseTests.swift: `outboard analyse`, and plots of renderings. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@Suite struct `Files are measured` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    // Four seconds at -20 dBFS.
    let made = try Program.run(
      ["render", "outboard.oscillator", "level=-20", "--duration", "4", "-o", "tone.wav"],
      in: scratch)
    try #require(made.status == 0, "\(made.error)")
  }

  private func analyse(_ arguments: String...) throws -> Program.Result {
    try Program.run(["analyse"] + arguments, in: scratch)
  }

  @Test func `one in lines, several in a table, all as JSON`() throws {
    let one = try analyse("tone.wav")
    #expect(one.status == 0 && one.error.isEmpty, "\(one.error)")
    #expect(one.text.hasPrefix("tone.wav: 4.00 s, "), "\(one.text)")
    for figure in [
      "Peak", "True peak", "RMS", "Integrated loudness", "Loudness range", "Momentary, highest",
      "Short-term, highest", "Clips", "DC offset", "Noise floor",
    ] {
      #expect(one.text.contains("\n\(figure) "), "\(figure)")
    }
    try FileManager.default.copyItem(
      atPath: scratch.path("tone.wav"), toPath: scratch.path("other.wav"))
    let two = try analyse("tone.wav", "other.wav")
    let lines = two.text.split(separator: "\n")
    #expect(two.status == 0 && lines.count == 3 && lines[0].hasPrefix("FILE"), "\(two.text)")
    let json = try analyse("tone.wav", "--json")
    let list = try #require(
      try JSONSerialization.jsonObject(with: json.output) as? [[String: Any]])
    let peak = try #require(list.first?["peak"] as? Double)
    #expect(abs(peak + 20) < 0.1 && list.first?["clips"] as? Int == 0)
    #expect((list.first?["channels"] as? [Any])?.isEmpty == false)
  }

  @Test func `an unreadable file is reported, and the others are measured`() throws {
    try scratch.write("no sound", to: "words.wav")
    let result = try analyse("words.wav", "tone.wav", "gone.wav")
    #expect(result.status == 1)
    #expect(result.text.contains("tone.wav"))
    #expect(result.error.contains("words.wav") && result.error.contains("gone.wav"))
    let alone = try analyse("gone.wav")
    #expect(alone.status == 2 && alone.text.isEmpty, "\(alone.error)")
  }

  @Test func `samples that are not finite are reported`() throws {
    let made = try Program.run(
      ["render", "gain", "-i", "tone.wav", "-o", "float.wav", "--format", "float"], in: scratch)
    try #require(made.status == 0, "\(made.error)")
    var data = try scratch.data("float.wav")
    // The last four bytes are one sample.
    data.replaceSubrange(data.count - 4 ..< data.count, with: [0, 0, 0xC0, 0x7F])
    try data.write(to: URL(fileURLWithPath: scratch.path("nan.wav")))
    let result = try analyse("nan.wav")
    #expect(result.status == 0)
    #expect(
      result.error.hasPrefix("outboard: nan.wav contains NaN or infinite samples. "),
      "\(result.error)")
    #expect(try analyse("float.wav").error.isEmpty)
  }

  @Test func `standard input is measured like a file`() throws {
    let read = try Program.shell(
      "cat tone.wav | \"$OUTBOARD\" analyse - --plot piped.svg", in: scratch)
    let file = try analyse("tone.wav")
    #expect(read.status == 0 && read.error.isEmpty, "\(read.error)")
    #expect(read.text == file.text.replacing("tone.wav: ", with: "Standard input: "))
    #expect(scratch.exists("piped.svg"))
    let both = try Program.shell(
      "cat tone.wav | \"$OUTBOARD\" analyse tone.wav - --plot two.svg", in: scratch)
    #expect(both.status == 0, "\(both.error)")
    #expect(scratch.exists("two-tone.svg") && scratch.exists("two-stdin.svg"))
    let twice = try analyse("-", "-")
    #expect(twice.status == 2 && twice.error.contains("Standard input can be read only once"))
    let none = try Program.shell("printf abc | \"$OUTBOARD\" analyse -", in: scratch)
    #expect(none.status == 2)
    #expect(
      none.error.hasPrefix("outboard: Standard input is not a readable audio file"),
      "\(none.error)")
  }

  @Test func `plots are written, and no file is replaced`() throws {
    let result = try analyse("tone.wav", "--plot", "tone.svg")
    #expect(result.status == 0, "\(result.error)")
    let picture = try scratch.data("tone.svg")
    #expect(picture.starts(with: Data("<?xml".utf8)))
    let again = try analyse("tone.wav", "--plot", "tone.svg")
    #expect(again.status == 2)
    #expect(
      again.error
        == "outboard: tone.svg already exists. Choose another name or use --force.\n"
    )
    #expect(try analyse("tone.wav", "--plot", "tone.svg", "--force").status == 0)
    for (name, complaint) in [
      ("tone.jpg", "Use .png or .svg."),
      ("none/tone.svg", "Its directory is missing or not writable."),
    ] {
      let refused = try analyse("tone.wav", "--plot", name)
      #expect(refused.status == 2 && refused.error.contains(complaint), "\(refused.error)")
      #expect(refused.text.isEmpty)
    }
  }

  @Test func `the plot of a rendering is written`() throws {
    let result = try Program.run(
      [
        "render", "outboard.oscillator", "--duration", "1", "-o", "out.wav", "--plot", "out.svg",
      ], in: scratch)
    #expect(result.status == 0, "\(result.error)")
    #expect(try scratch.data("out.svg").count > 10_000)
    let refused = try Program.run(
      ["render", "outboard.oscillator", "--duration", "1", "-o", "-", "--plot", "x.svg"],
      in: scratch
    )
    #expect(refused.status == 2 && refused.output.isEmpty)
  }
}

@Suite struct `A run is measured` {
  @Test func `from another terminal: input, output and the rig's own meters`() throws {
    let scratch = try TemporaryDirectory()
    try scratch.write(
      """
      outboard: 1
      output: default
      nodes:
        tone: {plugin: outboard.oscillator, parameters: {level: -20}}
        eye: {builtin: meter, log: eye.jsonl, interval: 0.2 s}
      connections: [tone -> eye, eye -> out]
      """, to: "eye.yaml")
    let running = try Program.start(
      [
        Program.url.path, "run", "--rig", "eye.yaml", "--out", "null", "--duration", "200",
        "--meters",
      ], in: scratch)
    func outboard(_ arguments: String...) throws -> Program.Result {
      try Program.run(arguments, in: scratch)
    }
    let deadline = Deadline()
    while running.process.isRunning, try outboard("status").text.isEmpty {
      try deadline.rest(0.1)
    }
    let looked = try outboard("meters", "--json", "--count", "1", "--interval", "1.5")
    #expect(looked.status == 0, "\(looked.error)")
    let meters = try #require(
      try JSONSerialization.jsonObject(with: looked.output) as? [[String: Any]], "\(looked.text)")
    #expect(meters.map { $0["name"] as? String } == ["output", "eye"])
    for meter in meters {
      let channels = try #require(meter["channels"] as? [[String: Any]])
      let peak = try #require(channels.first?["peak"] as? Double)
      #expect(channels.count == 2 && abs(peak + 20) < 0.1, "\(meter)")
      #expect((meter["bands"] as? [Any])?.isEmpty == false)
    }
    let bars = try outboard("meters", "eye", "--count", "1", "--spectrum")
    let lines = bars.text.split(separator: "\n")
    // The null device is faster than any meter. Then there is an additional line.
    #expect(5 ... 6 ~= lines.count && lines.allSatisfy { $0.count < 80 }, "\(bars.text)")
    let wrong = try outboard("meters", "ear")
    #expect(wrong.status == 2)
    #expect(wrong.error.contains("No such meter: ear. Use output, eye."))
    running.process.terminate()
    #expect(try running.finish().status == 0)
    let log = try scratch.data("eye.jsonl")
    #expect(String(decoding: log, as: UTF8.self).split(separator: "\n").count > 3)
  }
}
