// WorkerFaultTests.swift: worker processes that end, hang or are refused. SPDX-License-Identifier: MIT

import AudioFiles
import Foundation
import Glibc
import PluginCatalogue
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import Session
import TestWaits
import Testing

@testable import Isolation

/// A module that halves its input, and ends its process as a parameter demands.
let illSource = """
  // outboard: inputs: 2, outputs: 2, parameters: [{symbol: ill, name: Ill, minimum: 0, default: 0, maximum: 8}]
  #include <signal.h>
  #include <stdlib.h>
  #include <unistd.h>
  void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
    switch ((int)p[0]) {
    case 1: *(volatile int *)0 = 1; break;
    case 2: abort();
    case 3: exit(7);
    case 4: for (;;) __asm__ volatile("");
    case 5: raise(SIGSTOP); break;
    case 6: raise(SIGKILL); break;
    }
    for (int c = 0; c < 2; c++)
      for (unsigned i = 0; i < n; i++) out[c][i] = 0.5f * in[c][i];
  }
  """

/// How a module ends, and the words for it.
struct WorkerFailure: Sendable, CustomTestStringConvertible {
  let value: Float
  let text: String
  var testDescription: String { text }

  static let all = [
    WorkerFailure(value: 1, text: "crashed (signal 11, segmentation fault)"),
    WorkerFailure(value: 2, text: "aborted (signal 6)"),
    WorkerFailure(value: 3, text: "exited the process (status 7)"),
    WorkerFailure(value: 4, text: "did not return from a block for 2000 ms"),
    WorkerFailure(value: 6, text: "was killed by signal 9"),
  ]
}

@Suite struct `A rendering with an isolated node` {
  @Test(arguments: WorkerFailure.all)
  func `fails with the reason, and leaves no file`(end: WorkerFailure) throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    let path = try workshop.write(illSource, as: "ill.c")
    var prepared = try PreparedRig(
      try workshop.chain("outboard.oscillator", path, "ill=\(Int(end.value))"), workshop.library)
    prepared.rig.nodes[1].isolation = .own
    var request = RenderRequest(output: "\(workshop.path)/out.wav")
    request.seconds = 0.5
    let session = try RenderSession(prepared, workshop.library, request)
    let name = prepared.rig.nodes[1].name
    #expect(
      throws: SessionError.workerFailed(
        node: name, plugin: prepared.plugins[1].name, fault: end.text)
    ) { try session.run { _ in true } }
    #expect(!FileManager.default.fileExists(atPath: request.output))
  }

  @Test func `refuses built-in nodes, and works without them`() throws {
    let workshop = try RigTestEnvironment()
    let rig = try workshop.rig(
      "nodes: {desk: {builtin: mixer, channels: 2}}\nconnections: [in -> desk -> out]")
    let prepared = try PreparedRig(rig, workshop.library)
    var configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64)
    configuration.isolation = .own
    #expect(throws: IsolationError.builtin(name: "Mixer")) {
      try workshop.library.makeNode(prepared.plugins[0], configuration)
    }
  }
}

@Suite struct `A worker process that cannot be used` {
  private func error(executable: String) throws -> IsolationError? {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find("outboard.gain")
    let pool = WorkerPool(ChildCommand(executable: executable, arguments: []))
    var configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64)
    configuration.isolation = .own
    do {
      _ = try pool.makeNode(plugin, configuration, [])
      return nil
    } catch {
      return error
    }
  }

  @Test func `is reported if its program is missing`() throws {
    let found = try error(executable: "/nonexistent/outboard")
    #expect(found == .notStarted(name: "Gain", code: ENOENT))
    #expect(found?.description.hasSuffix("Reinstall Outboard.") == true)
  }

  @Test func `is reported if its program is another one`() throws {
    // Ends at once, without an answer.
    guard case .ended("Gain", _) = try error(executable: "/bin/true") else {
      Issue.record("another program was accepted")
      return
    }
  }

  @Test func `is reported if its program has another version`() throws {
    let workshop = try RigTestEnvironment()
    // A reply with version 9: no error, no flag, the number, and nothing else.
    let reply = WorkerReply(number: 9).record
    let bytes = withUnsafeBytes(of: UInt32(reply.count).littleEndian) { Array($0) } + reply
    let octal = bytes.map { "\\" + String($0, radix: 8) }.joined()
    let script = try workshop.write("#!/bin/sh\nprintf '\(octal)' >&3\nsleep 100\n", as: "other")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    #expect(try error(executable: script) == .otherVersion(name: "Gain"))
  }

  @Test func `is reported at the process limit`() async {
    // In a separate process, which cannot raise its limit again.
    await #expect(processExitsWith: .success) {
      let workshop = try RigTestEnvironment()
      let plugin = try workshop.library.find("outboard.gain")
      let pool = WorkerPool(ChildCommand(executable: "/bin/true", arguments: []))
      var configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64)
      configuration.isolation = .own
      // Root has no limit.
      if geteuid() == 0 { try #require(setuid(65_534) == 0) }
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      try #require(setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &none) == 0)
      let error = #expect(throws: IsolationError.notStarted(name: "Gain", code: EAGAIN)) {
        try pool.makeNode(plugin, configuration, [])
      }
      #expect(
        error?.description.contains("the process limit is reached. Raise `ulimit -u`") == true)
    }
  }

  @Test func `is reported without shared memory`() async {
    await #expect(processExitsWith: .success) {
      let workshop = try RigTestEnvironment(modules: ["gain"])
      let plugin = try workshop.library.find("outboard.gain")
      let pool = WorkerPool(workshop.library.catalogue.child)
      var configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64)
      configuration.isolation = .own
      // Memory files have the size limit of files.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 4_096, rlim_max: 4_096)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let error = #expect(throws: IsolationError.self) {
        try pool.makeNode(plugin, configuration, [])
      }
      let text = error?.description ?? ""
      #expect(text.hasPrefix("Gain cannot be isolated: no "), "\(text)")
      #expect(text.contains(" KiB of shared memory (File too large)."), "\(text)")
    }
  }
}
