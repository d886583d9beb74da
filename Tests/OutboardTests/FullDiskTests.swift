// FullDiskTests.swift: logs and black boxes on a full disk. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@Suite(.enabled(if: FullDisk.isPossible, "a small file system cannot be mounted"))
struct `A run whose disk is full` {
  private let scratch: TemporaryDirectory
  private let disk: FullDisk

  init() throws {
    scratch = try TemporaryDirectory()
    disk = try FullDisk(at: scratch.path("disk"))
    try scratch.write(
      """
      outboard: 1
      output: {device: "null", channels: 2}
      nodes:
        tone: {plugin: outboard.oscillator}
        ear: {builtin: meter, log: disk/levels.jsonl, interval: 0.1 s}
      connections:
        - tone -> ear -> out
      """, to: "rig.yaml")
  }

  private var lines: Int {
    let text = String(decoding: (try? scratch.data("disk/levels.jsonl")) ?? Data(), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
  }

  private func wait(_ running: Program.Running, until isRight: () throws -> Bool) throws {
    let deadline = Deadline()
    while running.process.isRunning, try !isRight() { try deadline.rest(0.05) }
    try #require(running.process.isRunning, "it ended by itself")
  }

  @Test func `reports once that levels are not written, and continues when there is room`() throws {
    try scratch.write(Data(count: 480 << 10), to: "disk/filler")
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "rig.yaml", "--duration", "2000"], in: scratch)
    // Writes pages of four kilobytes until the disk is full.
    let errors = { () -> String in
      let names = try scratch.files().filter { $0.hasSuffix(".err") }
      return try names.map { String(decoding: try scratch.data($0), as: UTF8.self) }.joined()
    }
    try wait(running) { try errors().contains("levels.jsonl") }
    let full = lines
    #expect(full > 10)
    try FileManager.default.removeItem(atPath: scratch.path("disk/filler"))
    try wait(running) { lines > full + 10 }
    running.process.terminate()
    let result = try running.finish()
    #expect(result.status == 1, "\(result.error)")
    #expect(
      result.error.contains("The level log in ") && result.error.contains("is incomplete"),
      "\(result.error)")
    let reported = result.error.split(separator: "\n").filter { $0.contains("No space left") }
    #expect(reported.count == 1, "\(result.error.prefix(2_000))")
    // No line is incomplete.
    for line in try scratch.data("disk/levels.jsonl").split(separator: UInt8(ascii: "\n")) {
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: line) }
    }
  }

  @Test func `reports a black box that it cannot write, creates no file, and keeps running`()
    throws
  {
    try scratch.write(Data(count: 480 << 10), to: "disk/filler")
    let running = try Program.start(
      [Program.url.path, "run", "--out", "null", "--duration", "2000", "outboard.oscillator"],
      in: scratch)
    try wait(running) { try !Program.run(["status"], in: scratch).text.isEmpty }
    var result = try Program.run(["black-box", "disk/box"], in: scratch)
    while running.process.isRunning, !result.error.contains("full") {
      // It may have rendered too little to fill the disk.
      result = try Program.run(["black-box", "disk/box-\(UUID().uuidString)"], in: scratch)
    }
    #expect(result.status == 1)
    #expect(result.error.contains(" cannot be written: The disk is full: "), "\(result.error)")
    #expect(result.error.split(separator: "\n").count == 1)
    let left = try FileManager.default.contentsOfDirectory(atPath: disk.path)
    #expect(!left.contains { $0.hasSuffix(".part") }, "\(left)")
    #expect(try Program.run(["black-box", "box"], in: scratch).status == 0)
    running.process.terminate()
    #expect(try running.finish().status == 0)
  }
}
