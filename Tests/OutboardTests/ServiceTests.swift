// ServiceTests.swift: `outboard run --service`, under a manager that listens. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `A service` {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The socket of a service manager.
  private final class Manager {
    let name = "@outboard-service-\(UUID().uuidString)"
    private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

    init() throws {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = [0] + Array(name.utf8.dropFirst())
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
      let status = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(status == 0)
    }

    deinit { close(descriptor) }

    /// Messages up to the first that begins so; nil where that does not come.
    func messages(until start: String) -> [String]? {
      var messages: [String] = []
      var bytes = [UInt8](repeating: 0, count: 4_096)
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // Longer than the longest trial of a plugin on a busy machine.
      while poll(&waiting, 1, 120_000) == 1 {
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        messages.append(String(decoding: bytes[..<count], as: UTF8.self))
        if messages.last?.hasPrefix(start) == true { return messages }
      }
      return nil
    }
  }

  @Test func `whose card is not there is ready, alive, and ends well`() throws {
    let manager = try Manager()
    let running = try Program.start(
      [
        Program.url.path, "run", "outboard.oscillator", "--in", "none", "--out", "hw:NoSuchCard",
        "--service",
      ], in: scratch,
      environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "400000"])
    let ready = try #require(manager.messages(until: "READY=1\nSTATUS="))
    #expect(ready.last?.hasSuffix("; hw:NoSuchCard is missing") == true, "\(ready)")
    for _ in 1 ... 3 { #expect(manager.messages(until: "WATCHDOG=1") != nil) }
    kill(running.process.processIdentifier, SIGTERM)
    #expect(manager.messages(until: "STOPPING=1") != nil)
    let result = try running.finish()
    #expect(result.status == 0)
    #expect(result.text == "")
    let lines = result.error.split(separator: "\n")
    #expect(lines.contains("<6>out  hw:NoSuchCard, not there"))
    #expect(lines.allSatisfy { $0.wholeMatch(of: /<[3-6]>.+/) != nil }, "\(result.error)")
    #expect(lines.last?.hasPrefix("<6>Stopped after ") == true)
  }

  @Test func `whose rig is wrong ends for good, with its mistake in the journal`() throws {
    let result = try Program.run(["run", "xyzzyxyzzy", "--service"], in: scratch)
    #expect(result.status == 2)
    #expect(
      result.error
        == "<3>outboard: No plugin is called \"xyzzyxyzzy\"; `outboard list` shows all that are"
        + " installed.\n")
  }

  @Test func `prints no JSON`() throws {
    let result = try Program.run(["run", "outboard.gain", "--service", "--json"], in: scratch)
    #expect(result.status == 2)
    #expect(result.text.contains("--service writes lines for the journal; leave --json out."))
  }
}

@Suite struct `The doctor` {
  private struct Report: Decodable {
    struct Check: Decodable {
      let id: String
      let state: String
    }
    let state: String
    let checks: [Check]
  }

  @Test func `fails where something is bad, and only there`() throws {
    let scratch = try Scratch()
    let text = try Program.run(["doctor"], in: scratch)
    let result = try Program.run(["doctor", "--json"], in: scratch)
    let report = try JSONDecoder().decode(Report.self, from: result.output)
    let isBad = report.checks.contains { $0.state == "bad" }
    #expect(report.checks.count >= 18)
    #expect((report.state == "bad") == isBad)
    #expect(result.status == (isBad ? 1 : 0))
    #expect(text.status == result.status)
    #expect(text.text.split(separator: "\n").contains { $0.hasPrefix("bad ") } == isBad)
    #expect(text.error == "" && result.error == "")
  }
}
