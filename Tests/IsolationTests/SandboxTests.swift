// SandboxTests.swift: what a sandbox refuses and allows. SPDX-License-Identifier: MIT

import CSandbox
import Foundation
import Glibc
import LV2Fixtures
import PluginLoading
import PluginModel
import RigPlanning
import RigSchema
import RigTestSupport
import Testing

@testable import Isolation

/// A request of the test module, and what becomes of it.
struct AskCase: Sendable, CustomTestStringConvertible {
  let ask: Ask
  /// Nil if it is allowed.
  let kind: SandboxRefusal.Kind?
  var testDescription: String { "\(ask)" }

  static let refused: [AskCase] = [
    AskCase(ask: .socket, kind: .network), AskCase(ask: .localSocket, kind: .communication),
    AskCase(ask: .readSecret, kind: .read), AskCase(ask: .listHome, kind: .home),
    AskCase(ask: .fork, kind: .process), AskCase(ask: .spawn, kind: .process),
    AskCase(ask: .system, kind: .process), AskCase(ask: .rawClone, kind: .process),
    AskCase(ask: .execute, kind: .process), AskCase(ask: .trace, kind: .inspection),
    AskCase(ask: .readMemory, kind: .inspection), AskCase(ask: .signalParent, kind: .signal),
    AskCase(ask: .mount, kind: .system), AskCase(ask: .unshare, kind: .system),
    AskCase(ask: .ring, kind: .system), AskCase(ask: .writeTemporary, kind: .write),
    AskCase(ask: .changeMode, kind: .write), AskCase(ask: .deathSignal, kind: .signal),
    AskCase(ask: .openForTruncation, kind: .write),
  ]
  static let allowed: [Ask] = [
    .ownState, .thread, .ownSignal, .executable, .systemFile, .device, .processor,
  ]
}

@Suite struct `A sandbox` {
  private let workshop: RigTestEnvironment
  private let secret: String
  private let path: String

  init() throws {
    workshop = try RigTestEnvironment()
    secret = try workshop.write("secret", as: "secret.txt")
    path = try workshop.write(askingSource(secret: secret), as: "asking.c")
  }

  /// Renders the module while it asks, and returns the output and the results of its requests.
  private func render(
    _ asks: [Ask], isSandboxed: Bool = true
  ) throws -> (player: IsolatedRig, audio: [[Float]], results: [UInt8]) {
    let player = try IsolatedRig(
      try workshop.chain(path), workshop.library, isSandboxed ? .own : .off,
      isSandboxed: isSandboxed)
    player.render(64)
    for ask in asks {
      player.members[0].nodes[0].setParameter(0, to: Float(ask.rawValue))
      player.render(200)
      player.render(64)
    }
    let results = try #require(player.members[0].nodes[0].capabilities.state?.save())
    #expect(player.isolated.allSatisfy { $0.describeFault() == nil })
    return (player, player.takeOutput().audio, results)
  }

  @Test(arguments: AskCase.refused)
  func `refuses a request, names it, and lets the plugin go on`(request: AskCase) throws {
    let (player, audio, results) = try render([request.ask])
    let expected = [Ask.readSecret, .listHome, .writeTemporary].contains(request.ask)
    #expect(results[request.ask.rawValue] == UInt8(expected ? EACCES : EPERM))
    let refusals = player.isolated[0].takeRefusals()
    #expect(refusals.map(\.kind) == [request.kind])
    #expect(player.isolated[0].takeRefusals().isEmpty)
    #expect(player.isolated[0].refusals == refusals)
    // The same as without a sandbox, where it asks for nothing.
    let inside = try render([], isSandboxed: false)
    inside.player.render(200)
    inside.player.render(64)
    #expect(audio == inside.player.takeOutput().audio)
    #expect(audio[0].contains { abs($0) > 0.001 })
  }

  @Test func `names the files`() throws {
    let (player, _, _) = try render([.readSecret, .writeTemporary, .listHome])
    let home = try #require(ProcessInfo.processInfo.environment["HOME"])
    #expect(
      player.isolated[0].refusals == [
        SandboxRefusal(kind: .read, path: secret), SandboxRefusal(kind: .home, path: home),
        SandboxRefusal(kind: .write, path: "/tmp/outboard-asking"),
      ])
    #expect(try String(contentsOfFile: secret, encoding: .utf8) == "secret")
    #expect(!FileManager.default.fileExists(atPath: "/tmp/outboard-asking"))
  }

  @Test func `allows what plugins need`() throws {
    let (player, _, results) = try render(AskCase.allowed)
    for ask in AskCase.allowed { #expect(results[ask.rawValue] == 0, "\(ask)") }
    #expect(player.isolated[0].refusals == [])
    #expect(player.isolated[0].sandboxParts == [.files, .calls])
  }

  @Test func `refuses a plugin that blocks all signals and ignores SIGSYS`() throws {
    let (player, _, results) = try render([.blocked])
    #expect(results[Ask.blocked.rawValue] == 0)
    #expect(player.isolated[0].refusals.map(\.kind) == [.network])
  }

  @Test func `has a folder that ends with the node`() throws {
    var folder = ""
    do {
      let (player, _, _) = try render([.ownState])
      folder = try #require(player.isolated[0].worker.sandbox).kept.directory
      #expect(try String(contentsOfFile: folder + "/notes", encoding: .utf8) == "x")
    }
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func `is refused for built-in nodes and groups`() throws {
    let plugin = try workshop.library.find(path)
    var configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64)
    configuration.sandbox = NodeSandbox()
    configuration.isolation = .group("band")
    #expect(throws: (any Error).self) { try workshop.library.makeNode(plugin, configuration) }
    let desk = try workshop.library.find("mixer")
    configuration.isolation = .own
    #expect(throws: IsolationError.builtin(name: desk.name)) {
      try workshop.library.makeNode(desk, configuration)
    }
  }

  @Test func `validates the record of a plugin that writes into it`() throws {
    let record = try #require(SandboxRecord())
    #expect(record.all.isEmpty)
    memset(record.memory, 0xff, MemoryLayout<csandbox_record>.stride)
    let all = record.all
    // Seven kinds without files, and files that were written.
    #expect(all.count == 7 + Int(CSANDBOX_FILE_COUNT))
    #expect(all.allSatisfy { $0.call == nil })
    #expect(all.allSatisfy { $0.path?.utf8.count ?? 0 < 4 * Int(CSANDBOX_PATH_BYTES) })
  }
}
