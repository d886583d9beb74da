// RenderBatchTests.swift: many files in one `outboard render`. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import TestWaits
import Testing

@Suite struct `Rendering many files` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    for name in ["a.wav", "b.wav", "c.wav"] {
      _ = try scratch.addNoise(name, bytesPerSample: 2, frames: 4_800)
    }
  }

  @Test func `each result equals a single rendering, in a directory that is created`() throws {
    let result = try Program.run(
      ["render", "outboard.echo", "time=20", "a.wav", "-i", "b.wav", "c.wav", "-o", "wet/"],
      in: scratch)
    #expect(result.status == 0 && result.error == "", "\(result.error)")
    let lines = result.text.split(separator: "\n")
    #expect(
      Set(lines.dropLast().map { $0.prefix { $0 != ":" } }) == [
        "wet/a.wav", "wet/b.wav", "wet/c.wav",
      ])
    #expect(lines.last?.hasPrefix("3 files, ") == true)
    for name in ["a", "b", "c"] {
      try expectSuccess(
        ["render", "outboard.echo", "time=20", "-i", "\(name).wav", "-o", "alone-\(name).wav"],
        in: scratch)
      #expect(try scratch.data("alone-\(name).wav") == scratch.data("wet/\(name).wav"))
    }
  }

  @Test func `the format is the input's or the requested one`() throws {
    try expectSuccess(["render", "outboard.gain", "a.wav", "-o", "b.flac"], in: scratch)
    try expectSuccess(["render", "outboard.gain", "a.wav", "b.flac", "-o", "same/"], in: scratch)
    try expectSuccess(
      ["render", "outboard.gain", "a.wav", "c.wav", "--container", "ogg", "-o", "ogg/"],
      in: scratch)
    #expect(files(in: "same") == ["a.wav", "b.flac"])
    #expect(files(in: "ogg") == ["a.ogg", "c.ogg"])
    #expect(try scratch.data("same/b.flac").prefix(4) == Data("fLaC".utf8))
    #expect(try scratch.data("ogg/c.ogg").prefix(4) == Data("OggS".utf8))
  }

  @Test func `a single file is written to a directory under its own name`() throws {
    try expectSuccess(["render", "outboard.gain", "a.wav", "-o", "wet/"], in: scratch)
    #expect(scratch.exists("wet/a.wav"))
  }

  @Test func `a failed file is reported, and the others are rendered`() throws {
    try scratch.write(Data("no sound".utf8), to: "broken.wav")
    let result = try Program.run(
      ["render", "outboard.gain", "a.wav", "broken.wav", "missing.wav", "b.wav", "-o", "wet/"],
      in: scratch)
    #expect(result.status == 1)
    let reported = Set(result.error.split(separator: "\n").map(String.init))
    #expect(
      reported == [
        "outboard: broken.wav is not a readable audio file (format not recognised).",
        "outboard: missing.wav does not exist. Give the path of an audio file, or - for standard"
          + " input.",
        "2 of 4 files, 0.20 s in "
          + "\(reported.compactMap { $0.firstMatch(of: /in (.*)$/)?.1 }.first ?? "")",
      ])
    #expect(files(in: "wet") == ["a.wav", "b.wav"])
  }

  @Test(arguments: [[], ["--no-helpers"]])
  func `a new directory that gets no file is removed, and an old one stays`(
    options: [String]
  ) throws {
    try scratch.write(Data("no sound".utf8), to: "broken.wav")
    try FileManager.default.createDirectory(
      atPath: scratch.path("old"), withIntermediateDirectories: false)
    for directory in ["new", "old"] {
      let result = try Program.run(
        ["render"] + options
          + ["outboard.gain", "broken.wav", "missing.wav", "-o", "\(directory)/"], in: scratch)
      #expect(result.status == 2)
      #expect(scratch.exists(directory) == (directory == "old"))
    }
    let single = try Program.run(
      ["render"] + options + ["outboard.gain", "broken.wav", "-o", "new/"], in: scratch)
    #expect(single.status == 2 && !scratch.exists("new"))
  }

  @Test(arguments: [["gain"], ["--loudness", "-20"], ["--loudness", "-20", "--album"]])
  func `an output that links to any input is refused`(options: [String]) throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path("wet"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("wet/b.wav"), withDestinationPath: "../a.wav")
    let before = try scratch.data("a.wav")
    try expectFailure(
      ["render"] + options + ["a.wav", "b.wav", "c.wav", "-o", "wet/", "--force"], in: scratch,
      "a.wav would be overwritten. Name another directory with -o.")
    #expect(try scratch.data("a.wav") == before)
    #expect(files(in: "wet") == ["b.wav"])
  }

  @Test func `a module that crashes with one file does not affect the others`() throws {
    try scratch.write(
      """
      #include <stdlib.h>
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++) {
          if (in[0][i] == 0.3125f && in[1][i] == -0.3125f) abort();
          for (unsigned c = 0; c < 2; c++) out[c][i] = in[c][i];
        }
      }
      """, to: "fragile.c")
    try FloatWave(
      channels: [[0, 0.3125, 0], [0, -0.3125, 0]], sampleRateHz: 48_000
    ).write(to: scratch.path("poison.wav"))
    let result = try Program.run(
      ["render", "fragile.c", "a.wav", "poison.wav", "b.wav", "-o", "wet/"], in: scratch)
    #expect(result.status == 1)
    #expect(
      result.error.contains(
        "outboard: poison.wav: fragile.c (fragile) crashed (signal 6, abort) at fragile.c:4, "),
      "\(result.error)")
    #expect(files(in: "wet") == ["a.wav", "b.wav"])
  }

  @Test func `each crash loses only its own file, and is reported with its position`()
    throws
  {
    try scratch.write(
      """
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++) {
          if (in[0][i] == 0.3125f) *(volatile int *)0 = 1;
          for (unsigned c = 0; c < 2; c++) out[c][i] = in[c][i];
        }
      }
      """, to: "fragile.c")
    let good = (0 ..< 40).map { "good-\($0).wav" }
    let bad = (0 ..< 5).map { "bad-\($0).wav" }
    for name in good { try scratch.addTone(name, frames: 100) }
    for name in bad {
      try FloatWave(channels: [[0, 0.3125, 0], [0, 0, 0]], sampleRateHz: 48_000)
        .write(to: scratch.path(name))
    }
    let result = try Program.run(
      ["render", "fragile.c", "-o", "wet/"] + (good + bad).sorted { $0.hashValue < $1.hashValue },
      in: scratch)
    #expect(result.status == 1)
    #expect(files(in: "wet") == good.sorted())
    for name in bad {
      let line =
        "outboard: \(name): fragile.c (fragile) crashed (signal 11, segmentation fault) at "
        + "fragile.c:3, "
      #expect(result.error.components(separatedBy: line).count == 2, "\(result.error)")
    }
    #expect(result.error.contains("40 of 45 files, "))
  }

  @Test func `a plugin that crashes in its cleanup leaves all files complete`() throws {
    try scratch.write(
      """
      #include <stdlib.h>
      void *create(double rate, unsigned longest) { return malloc(1); }
      static int loud;
      void destroy(void *s) { if (loud) *(volatile int *)0 = 1; }
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++) {
          if (in[0][i] == 0.7f) loud = 1;
          for (unsigned c = 0; c < 2; c++) out[c][i] = in[c][i];
        }
      }
      """, to: "ending.c")
    for name in ["a.wav", "b.wav", "c.wav"] {
      try FloatWave(channels: [[0, 0.7, 0], [0, 0, 0]], sampleRateHz: 48_000)
        .write(to: scratch.path(name))
    }
    let result = try Program.run(
      ["render", "ending.c", "a.wav", "b.wav", "c.wav", "-o", "wet/"], in: scratch)
    #expect(result.status == 0, "\(result.error)")
    #expect(files(in: "wet") == ["a.wav", "b.wav", "c.wav"])
    let lines = result.error.split(separator: "\n").filter {
      $0.contains("ending.c (ending) crashed (signal 11") && $0.contains("ending.c:4")
    }
    #expect(lines.count == 3, "\(result.error)")
    for name in ["a.wav", "b.wav", "c.wav"] {
      #expect(lines.contains { $0.hasSuffix("wet/\(name) is complete.") }, "\(result.error)")
    }
  }

  @Test func `JSON has all results in the order of the inputs`() throws {
    let result = try Program.run(
      ["render", "outboard.gain", "c.wav", "missing.wav", "a.wav", "-o", "wet/", "--json"],
      in: scratch)
    #expect(result.status == 1 && result.error == "", "\(result.error)")
    let report = try #require(
      try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    let files = try #require(report["files"] as? [[String: Any]])
    #expect(files.map { $0["input"] as? String } == ["c.wav", "missing.wav", "a.wav"])
    #expect(files.map { $0["output"] as? String } == ["wet/c.wav", nil, "wet/a.wav"])
    let error = try #require(files[1]["error"] as? [String: Any])
    #expect(error["status"] as? Int == 2)
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func `a signal ends all renderings and leaves no partial file`(_ signal: Int32) throws {
    let running = try Program.start(
      [Program.url.path, "render", "outboard.reverb", "a.wav", "b.wav", "c.wav"]
        + ["--tail", "86400", "--threads", "2", "-o", "wet/"], in: scratch)
    let parent = running.process.processIdentifier
    // The processes of the module's preflight come before them.
    let deadline = Deadline()
    while !scratch.exists("wet") || children(of: parent).count < 2 {
      try deadline.rest(0.02)
    }
    let begun = children(of: parent)
    for child in begun { waitUntilOutputIsOpen(child, in: scratch.path("wet")) }
    kill(parent, signal)
    let result = try running.finish()
    #expect(result.status == (signal == SIGKILL ? 128 + SIGKILL : 1))
    if signal == SIGTERM {
      #expect(result.error.contains("The rendering was stopped at "), "\(result.error)")
      #expect(result.error.contains("Interrupted: 0 of 3 files"), "\(result.error)")
    }
    let deadline2 = Deadline()
    while begun.contains(where: isAtWork) { try deadline2.rest(0.02) }
    // The new directory is removed, unless the program was killed.
    #expect(files(in: "wet") == (signal == SIGKILL ? [] : nil))
  }

  private func files(in directory: String) -> [String]? {
    try? FileManager.default.contentsOfDirectory(atPath: scratch.path(directory)).sorted()
  }

  private func children(of process: Int32) -> [Int32] {
    // Each is the child of the thread that started it.
    let tasks = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return threads.flatMap { thread in
      let file = "\(tasks)/\(thread)/children"
      let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { Int32($0) }
    }
  }

  @Test(arguments: [
    (
      ["a.wav", "b.wav", "-o", "out.wav"],
      "Several inputs need an output directory, and out.wav is not one. To create it, add a"
        + " slash: -o out.wav/."
    ),
    (
      ["a.wav", "b.wav", "-o", "-"],
      "Several inputs need an output directory, e.g. -o wet/."
    ),
    (
      ["a.wav", "-i", "-", "-o", "wet/"],
      "Standard input cannot be one of several inputs. Render it separately."
    ),
    (
      ["a.wav", "b.wav", "-o", "."],
      "a.wav would be overwritten. Name another directory with -o."
    ),
    (
      ["a.wav", "./a.wav", "-o", "wet/"],
      "a.wav and ./a.wav would both be written to wet/a.wav. Render them to different directories."
    ),
  ])
  func `inputs that do not each have their own output file are refused`(
    _ arguments: [String], _ message: String
  ) throws {
    try expectFailure(["render", "outboard.gain"] + arguments, in: scratch, message)
  }

  @Test func `an error in the rig is reported once`() throws {
    try expectFailure(
      ["render", "outboard.gain", "gian=3", "a.wav", "b.wav", "-o", "wet/"], in: scratch,
      "Gain has no parameter gian. Did you mean gain?")
  }

  @Test func `an audio file in place of a plugin is recognised`() throws {
    try expectFailure(
      ["run", "outboard.gain", "a.wav"], in: scratch,
      "a.wav is an audio file, not a plugin. Use `outboard render`, or a player in a rig.")
  }
}
