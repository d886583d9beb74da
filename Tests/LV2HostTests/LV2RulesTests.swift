// LV2RulesTests.swift: the order, threads and arguments of calls to a plugin. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import RenderGraph
import Synchronization
import TestWaits
import Testing

/// The fixture that records every violation of the rules, and its record.
///
/// Each has a separate library, so that violations are not mixed up.
private final class RulesFixture {
  /// The counters, in the fixture's order.
  enum Count: Int32 {
    case runs, works, answers, ends, saves, restores, changes, notes
  }

  let directory: BundleDirectory
  private let library: UnsafeMutableRawPointer

  init() throws {
    directory = try BundleDirectory(["rules"])
    library = try #require(dlopen(directory.bundle("rules") + "/plugin.so", RTLD_NOW))
  }

  var plugin: LV2Plugin {
    get throws {
      try LV2Scanner.plugin("urn:outboard:test:rules", inBundle: directory.bundle("rules"))
    }
  }

  var breaches: [String] {
    get throws {
      let read = unsafeBitCast(
        try function("rules_breach"),
        to: (@convention(c) (Int32) -> UnsafePointer<CChar>?).self)
      return (0 ..< 64).map { read($0) }.prefix { $0 != nil }.compactMap {
        $0.map(String.init(cString:))
      }
    }
  }

  func count(_ what: Count) throws -> Int {
    let read = unsafeBitCast(
      try function("rules_count"), to: (@convention(c) (Int32) -> UInt32).self)
    return Int(read(what.rawValue))
  }

  /// Makes the plugin's own host violate the rules.
  func breakAll() throws {
    unsafeBitCast(try function("rules_break"), to: (@convention(c) () -> Void).self)()
  }

  private func function(_ name: String) throws -> UnsafeMutableRawPointer {
    try #require(dlsym(library, name))
  }
}

@Suite struct `The rules between host and plugin` {
  private let rules: RulesFixture

  init() throws { rules = try RulesFixture() }

  /// On the first and the last frame of blocks, and between them.
  private static let chord: [ScheduledEvent] = (0 ..< 50).map { index in
    let frame = index * 64 + (index % 3) * 31
    return ScheduledEvent(frame: UInt64(frame), bytes: [0x90, UInt8(index), 100])
  }

  /// Uses an instance from creation to destruction, without a second thread.
  private func live(isOffline: Bool) throws {
    let stage = try EngineFixture(rules.plugin, Self.chord, isOffline: isOffline)
    let node = stage.node
    let drive = try #require(node.description.properties.firstIndex { $0.isWritable })
    stage.render(4_000, blocks: [1, 512, 64, 37, 511])
    for (index, parameter) in node.description.parameters.enumerated() {
      let values: [Float] = [-1e9, 1e9, Float(parameter.defaultValue), .nan]
      for value in values {
        node.setParameter(index, to: value)
        stage.render(64, blocks: [64])
      }
    }
    try node.setProperty(drive, to: .float(0.25))
    stage.render(512)
    let kept = rules.directory.path + "/kept-\(isOffline)"
    #expect(try node.saveState(to: kept))
    try node.restoreState(from: kept)
    stage.render(512)
    node.reset()
    stage.render(512)
    node.deactivate()
    #expect(node.blockLengthChanged(to: 128))
    try node.activate()
    stage.render(1_000, blocks: [128])
    node.deactivate()
  }

  @Test func `are all kept from creation to destruction offline`() throws {
    try live(isOffline: true)
    let breaches = try rules.breaches
    #expect(breaches == [])
    #expect(try rules.count(.works) == rules.count(.runs))
    #expect(try rules.count(.notes) == Self.chord.count)
    #expect(try rules.count(.changes) > 0)
  }

  @Test func `are all kept with a worker thread`() throws {
    try live(isOffline: false)
    let breaches = try rules.breaches
    #expect(breaches == [])
    #expect(try rules.count(.works) > 0)
    #expect(try rules.count(.ends) == rules.count(.runs))
  }

  @Test func `are all kept by the main thread during a block`() throws {
    let stage = try EngineFixture(rules.plugin, Self.chord, isOffline: false)
    let player = BackgroundPlayer(stage)
    let node = stage.node
    let drive = try #require(node.description.properties.firstIndex { $0.isWritable })
    for turn in 0 ..< 20 {
      let kept = rules.directory.path + "/kept-\(turn % 3)"
      #expect(try node.saveState(to: kept))
      node.setParameter(0, to: turn % 2 == 0 ? 0.25 : 0.75)
      // A full queue is an error, but not a violation.
      try? node.setProperty(drive, to: PropertyValue.float(Float(turn)))
      try node.restoreState(from: kept)
      let other = try EngineFixture(rules.plugin, isOffline: turn % 2 == 0)
      other.render(100)
      other.node.deactivate()
    }
    player.stop()
    node.deactivate()
    let breaches = try rules.breaches
    #expect(breaches == [])
    #expect(try rules.count(.restores) >= 20)
    #expect(try rules.count(.answers) > 0)
  }

  @Test func `the test plugin detects a violation`() throws {
    try rules.breakAll()
    let expected = [
      "instantiate was given no list of features",
      "instantiate was given a path that does not end with a slash",
      "a required feature is missing", "activate was called before port 0 was connected",
      "activate was called before the default state was restored", "activate was called twice",
      "cleanup was called during run", "cleanup was called before deactivate",
      "deactivate was called after cleanup",
      "extension_data was called beside another function of the library",
    ]
    let breaches = try rules.breaches
    #expect(expected.filter { !breaches.contains($0) } == [])
  }
}

/// Renders an engine repeatedly on a separate thread.
private final class BackgroundPlayer: @unchecked Sendable {
  // Only the thread uses it until it has ended.
  private let stage: EngineFixture
  private let isStopped = Atomic<Bool>(false)
  private let ended = DispatchSemaphore(value: 0)

  init(_ stage: EngineFixture) {
    self.stage = stage
    Thread { [self] in
      while !isStopped.load(ordering: .relaxed) { self.stage.render(64, blocks: [64]) }
      ended.signal()
    }.start()
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    ended.waitOrTrap()
  }
}
