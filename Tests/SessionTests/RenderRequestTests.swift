// RenderRequestTests.swift: requests for renderings that are refused. SPDX-License-Identifier: MIT

import AudioFiles
import Foundation
import OfflineDriver
import RigSchema
import RigTestSupport
import Session
import Testing

extension RenderSessionTests {
  @Test func `a rig with inputs needs a file, one without needs a length`() throws {
    let chain = try workshop.chain("outboard.gain")
    #expect(throws: SessionError.inputMissing) { try session(chain, request(nil)) }
    let tone = try workshop.chain("outboard.oscillator")
    #expect(throws: SessionError.endless) { try session(tone, request(nil)) }
    #expect(!hasOutput())
  }

  @Test func `a rig of players ends when all of them have ended, and needs no length`() throws {
    let (short, long) = try (input(frames: 4_800), input(frames: 9_600, name: "long.wav"))
    func rig(_ more: String) throws -> RigDescription {
      try workshop.rig(
        """
        nodes:
          a: {builtin: player, files: [\(short), \(short)], start_delay: 0.1 s}
          b: {builtin: player, file: \(long)\(more)}
        connections: [a -> out, b -> out]
        """)
    }
    let report = try session(rig(""), request(nil)).run { _ in true }
    #expect(report.frameCount == 14_400)
    let waiting = try session(rig(", autostart: no"), request(nil) { $0.replaces = true })
    let waited = try waiting.run { _ in true }
    #expect(waited.frameCount == 14_400)
    let round = request(nil, "round.wav") { $0.seconds = 0.5 }
    #expect(throws: SessionError.loopsForever(node: "b")) {
      try session(rig(", loop: yes"), request(nil, "none.wav"))
    }
    let rounds = try session(rig(", loop: yes"), round).run { _ in true }
    #expect(rounds.frameCount == 24_000)
    let still =
      "nodes: {a: {builtin: player, file: \(long), autostart: no}}\nconnections: [a -> out]"
    #expect(throws: SessionError.playersWait(node: "a")) {
      try session(workshop.rig(still), request(nil, "none.wav"))
    }
    #expect(!hasOutput("none.wav"))
  }

  @Test func `a rig without a connection to its output is refused`() throws {
    let rig = try workshop.rig("nodes: {ear: {builtin: analyser}}\nconnections: [in -> ear]")
    #expect(throws: SessionError.nothingToRender) { try session(rig, request(try input())) }
    #expect(!hasOutput())
  }

  @Test func `a missing input and an existing output are reported before anything is written`()
    throws
  {
    let taken = try workshop.write("mine", as: "taken.wav")
    let chain = try workshop.chain("outboard.gain")
    #expect(throws: AudioFileError.missing(path: "/nowhere/in.wav")) {
      try session(chain, request("/nowhere/in.wav", "taken.wav"))
    }
    #expect(throws: AudioFileError.outputExists(path: taken)) {
      try session(chain, request(try input(), "taken.wav"))
    }
    #expect(try String(contentsOfFile: taken, encoding: .utf8) == "mine")
  }

  @Test func `a plugin that cannot be created leaves no file`() throws {
    try workshop.write(
      """
      void *create(double rate, unsigned frames) { (void)rate; (void)frames; return 0; }
      void process(void *s, const float *const *i, float *const *o, const float *p, unsigned n) {
        (void)s; (void)i; (void)o; (void)p; (void)n;
      }
      """, as: "shy.c")
    let chain = try workshop.chain("outboard.gain", "\(workshop.path)/shy.c")
    let error = #expect(throws: (any Error).self) { try session(chain, request(try input())) }
    #expect(error.map { "\($0)" }?.hasPrefix("shy: `create` returned NULL at 48000 Hz") == true)
    #expect(!hasOutput())
  }

  @Test func `a cancelled rendering leaves no file`() throws {
    let session = try session(
      workshop.chain("outboard.gain"), request(try input(frames: 2_000_000)))
    #expect(throws: (any Error).self) { try session.run { _ in false } }
    #expect(!hasOutput())
  }

  @Test func `a missing input and an existing output are request errors, a full disk is not`() {
    #expect(AudioFileError.missing(path: "a").isUsageError)
    #expect(AudioFileError.outputExists(path: "a").isUsageError)
    #expect(!AudioFileError.diskFull(path: "a", seconds: 1).isUsageError)
  }

  @Test(arguments: [
    (
      SessionError.inputMissing,
      "No input. Name a file with -i FILE, or use -i - for standard input."
    ),
    (
      .endless,
      "No input file, so the length is unknown. Set it with --duration."
    ),
    (
      .loopsForever(node: "band"),
      "band plays in a loop, so the length is unknown. Set it with --duration."
    ),
    (
      .playersWait(node: "band"),
      "band has autostart: no, so there is nothing to render. Remove autostart: no, or set the"
        + " length with --duration."
    ),
    (
      .offlineRig(file: "a.yaml"),
      "a.yaml names no device. Specify --in or --out, or render a file with `outboard render"
        + " --rig a.yaml -i IN -o OUT`."
    ),
    (
      .offlineRig(file: ""),
      "These plugins have no audio inputs or outputs. Nothing to run."
    ),
    (.nothingToRender, "No node is connected to the output. Nothing to render."),
  ])
  func `each error message says what would be accepted`(error: SessionError, message: String) {
    #expect(error.description == message)
  }
}
