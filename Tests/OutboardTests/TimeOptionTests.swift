// TimeOptionTests.swift: times on the command line. SPDX-License-Identifier: MIT

import LV2Fixtures
import Testing

@Suite struct `Times on the command line` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func refuses(_ arguments: [String], says message: String) throws {
    let result = try Program.run(arguments, in: scratch)
    #expect(result.error.contains(message), "\(arguments): \(result.error)")
    #expect(result.text == "" && result.status == 2)
  }

  @Test(arguments: [
    (["render", "oscillator", "-o", "a.wav", "--rate", "8000", "--duration", "250 ms"], "0.25 s"),
    (["render", "oscillator", "-o", "b.wav", "--rate", "8000", "--duration", "0:01"], "1.00 s"),
    (["render", "reverb", "-i", "in.wav", "-o", "c.wav", "--tail", "0.5s"], "0.51 s"),
  ])
  func `times have units or the form of a clock`(words: [String], length: String) throws {
    try FloatWave(channels: [[Float](repeating: 0.5, count: 80)], sampleRateHz: 8_000)
      .write(to: scratch.path("in.wav"))
    let result = try Program.run(words, in: scratch)
    #expect(result.status == 0 && result.text.contains(": \(length), "), "\(result)")
  }

  @Test(arguments: [
    ["compare", "a.wav", "b.wav", "--tail", "1:00:00:00"], ["run", "gain", "--duration", "5 dB"],
    ["find-period", "hw:0", "--duration", "x"], ["top", "--interval", ""],
    ["meters", "--interval", "1:"], ["sweep", "gain", "a=1..2", "-o", "d", "--tail", "s"],
  ])
  func `a time that is not one is refused`(words: [String]) throws {
    let option = try #require(words.first { $0.hasPrefix("--") })
    try refuses(words, says: "is invalid for '\(option) <time>'")
  }

  @Test(arguments: [
    (["compare", "a.wav", "b.wav", "--tail", "2 days"], "is invalid"),
    (["compare", "a.wav", "b.wav", "--tail", "25h"], "--tail 90000 is out of range (0 to 86400"),
    (["render", "gain", "-o", "a.wav", "--tail", "-1"], "--tail -1 is out of range (0 to 86400"),
    (["run", "gain", "--duration", "0.00001"], "--duration 1e-05 is out of range (0.001 to"),
    (["top", "--interval", "50ms"], "--interval 0.05 is out of range (0.1 to 4 s)."),
    (["meters", "--interval", "2h"], "--interval 7200 is out of range (0.05 to 3600 s)."),
    (["find-period", "hw:0", "--duration", "nan"], "is out of range (0.001 to 864000 s)."),
  ])
  func `a time out of range is refused with the range`(words: [String], message: String) throws {
    try refuses(words, says: message)
  }
}
