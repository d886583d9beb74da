// TestHost.swift: a host whose blocks are rendered by a test. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import HostCore
import HostModel
import RealtimeKit
import RigSchema
import RigTestSupport
import Session
import Synchronization
import TestRandom

/// Renders blocks on request.
final class BlockDriver: AudioDriver {
  static let rateHz = 48_000.0
  static let blockFrames = 64

  let stream: StreamDescription
  private var renderer: Renderer?

  init() {
    let side = DeviceStream(
      device: "test", name: "A test", channelCount: 2, format: "FLOAT",
      sampleRateHz: Self.rateHz, periodFrames: Self.blockFrames, bufferFrames: Self.blockFrames)
    var stream = StreamDescription(
      inputs: [side], outputs: [side], sampleRateHz: Self.rateHz, periodFrames: Self.blockFrames,
      isLinked: true)
    stream.isRealTime = false
    self.stream = stream
  }

  func start(_ renderer: Renderer) { self.renderer = renderer }
  func stop() { renderer = nil }
  var status: DriverStatus {
    var status = DriverStatus()
    status.isRunning = renderer != nil
    return status
  }

  /// The first output of a block whose inputs all have this value.
  func render(_ value: Float = 0.25) -> [Float] {
    guard let callback = renderer?.callback else { return [] }
    for channel in 0 ..< 2 {
      callback.inputs.channels[channel].update(repeating: value, count: Self.blockFrames)
    }
    callback.render(Self.blockFrames)
    return Array(
      UnsafeBufferPointer(start: callback.outputs.channels[0], count: Self.blockFrames))
  }
}

/// A running host with two gains and a delay. [the thread of the test]
final class TestHost {
  let host: HostCore.Host
  let driver: BlockDriver
  private let workshop: RigTestEnvironment
  /// The number of times that the host was woken.
  let wakes = Wakes()

  final class Wakes: Sendable {
    let count = Atomic<Int>(0)
  }

  static let rig = """
    outboard: 1
    input: {device: in, channels: 2}
    output: {device: out, channels: 2}
    period: 64
    nodes:
      a: {plugin: outboard.gain}
      b: {plugin: outboard.delay, parameters: {time: 100 ms}}
      c: {plugin: outboard.gain}
    connections: [in -> a -> b -> c -> out]
    scenes:
      low: {a.gain: -20, c.mute: on, "a -> b.gain": -6}
      slow: {over: 20 ms, a.gain: 6, c.bypass: on}
      high: {a.gain: 0, c.mute: off, c.bypass: off, "a -> b.gain": 0}
    """

  init(
    _ rig: String = TestHost.rig, midi: String = "", bundles: [String] = [],
    bundlePaths: [String] = [], controllers: TestControllers? = nil, clock: (any ClockLink)? = nil
  ) throws {
    workshop = try RigTestEnvironment(
      modules: ["gain", "delay"], bundles: bundles, bundlePaths: bundlePaths)
    let path = try workshop.write(rig + midi, as: "rig.yaml")
    try workshop.write(
      Self.rig.replacingOccurrences(of: "nodes:", with: "nodes:\n  d: {plugin: outboard.gain}")
        .replacingOccurrences(of: "c -> out", with: "c -> d -> out"), as: "other.yaml")
    let prepared = try PreparedRig(try RigReader.read(path: path), workshop.library)
    let driver = BlockDriver()
    let session = try LiveSession(prepared, workshop.library, clock: clock) { _ in driver }
    var settings = HostSettings(rig: path, runsPreflight: false)
    if let controllers { settings.openControllers = { try controllers.open($0, $1) } }
    (self.driver, host) = (
      driver,
      HostCore.Host(session, settings) { [wakes] in
        wakes.count.add(1, ordering: .relaxed)
      }
    )
    try session.start()
    _ = driver.render()
  }

  deinit {
    host.stop()
    host.session.stop()
  }

  /// Returns the path of a file in the workshop.
  func path(_ name: String) -> String { "\(workshop.path)/\(name)" }

  /// One iteration of the host's main loop.
  func turn() throws {
    host.serve()
    _ = driver.render()
    _ = try host.report()
  }

  /// Sends a command, and runs the loop until it is done.
  func reply(_ command: Command, from client: ClientID? = nil) throws -> Reply {
    let client = client ?? host.port.connect { _ in }
    let holder = Holder()
    _ = host.port.submit(command, from: client) { reply in
      holder.reply.withLock { $0 = reply }
    }
    while holder.reply.withLock({ $0 == nil }) {
      try turn()
      sched_yield()
    }
    return holder.reply.withLock { $0 } ?? Reply()
  }

  private final class Holder: Sendable {
    let reply = Mutex<Reply?>(nil)
  }
}

extension Command {
  static func set(_ node: String, _ symbol: String, _ value: String) -> Command {
    .set(.init(node: node, values: [.init(symbol, value)]))
  }
}

extension Random {
  /// A change of nodes, valid or not.
  private var edit: Command {
    mutating get {
      switch Int.random(in: 0 ..< 4, using: &self) {
      case 0: .insert(.init(.init("outboard.gain"), position: .after("a")))
      case 1: .remove(.init(node: "gain"))
      case 2: .move(.init(node: "c", to: .before("a")))
      default:
        .replace(.init(node: "c", with: .init("outboard.gain", values: [.init("gain", "-1")])))
      }
    }
  }

  /// An edit, valid or not.
  mutating func command(files: [String]) -> Command {
    let gain = "\(Int.random(in: -40 ... 12, using: &self))"
    switch Int.random(in: 0 ..< 20, using: &self) {
    case 0 ..< 8: return .set(Bool.random(using: &self) ? "a" : "c", "gain", gain)
    case 8, 9: return .set("b", "time", "\(Int.random(in: 10 ... 500, using: &self)) ms")
    case 10: return .set("c", "mute", Bool.random(using: &self) ? "on" : "off")
    case 11: return .set("c", "bypass", Bool.random(using: &self) ? "on" : "off")
    case 12: return .set("b", "wet", "\(Int.random(in: 0 ... 100, using: &self)) %")
    case 13: return .set("a -> b", "gain", gain)
    case 14: return .set("a", "nothing", "1")
    case 15:
      return .set(.init(node: "a", values: [.init("gain", gain), .init("mute", "banana")]))
    case 16:
      return .scene(.recall(["low", "high", "slow"].randomElement(using: &self) ?? "", over: nil))
    case 17: return .undo
    case 18: return [.redo, edit].randomElement(using: &self) ?? .redo
    default: return .load(.init(file: files.randomElement(using: &self) ?? ""))
    }
  }
}
