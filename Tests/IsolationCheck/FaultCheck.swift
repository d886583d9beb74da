// FaultCheck.swift: makes worker processes fail at random times, and examines the outputs. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import GraphTestSupport
import Isolation
import PluginLoading
import PluginModel

/// A module that halves its input, and never returns from a block as a parameter demands.
private let halvingModule = """
  // outboard: inputs: 2, outputs: 2, parameters: [{symbol: hang, name: Hang, minimum: 0, default: 0, maximum: 1}]
  void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
    if (p[0] > 0.5f) for (;;) __asm__ volatile("");
    for (int c = 0; c < 2; c++) for (unsigned i = 0; i < n; i++) out[c][i] = 0.5f * in[c][i];
  }
  """

/// How a worker process fails.
enum WorkerFailure: String, CaseIterable {
  /// Not at all: shows what the machine disturbs by itself.
  case none = "no fault"
  case kill = "kill -9"
  case segmentationFault = "SIGSEGV"
  case abort = "abort"
  case loop = "endless loop"
  case stop = "SIGSTOP"

  /// Whether answers are late because of it: a process that has ended is seen before the deadline.
  var isLate: Bool { self == .loop || self == .stop }

  /// Makes the process of a node fail.
  func cause(in node: any Node) {
    guard let process = node.capabilities[IsolatedNode.self]?.worker.process else { return }
    switch self {
    case .none: break
    case .kill: _ = Glibc.kill(process, SIGKILL)
    case .segmentationFault: _ = Glibc.kill(process, SIGSEGV)
    case .abort: _ = Glibc.kill(process, SIGABRT)
    case .loop: node.setParameter(0, to: 1)
    case .stop: _ = Glibc.kill(process, SIGSTOP)
    }
  }
}

/// The worst results of failures.
struct FaultCheck {
  /// A fade of 10 ms, in frames.
  private static let fadeFrames = 480
  /// Frames between the last one of the plugin and the first one of the bypass: the block, and a fade.
  private static let longestGap = PeriodicTone.frameCount + fadeFrames
  /// One percent for the sum of two fades.
  private static let largestStep = PeriodicTone.largestStep * 1.01
  /// As for faults that the engine conceals, in dBFS.
  private static let highestSpur = -73.0
  /// The length of the passage in which spurs are measured, in frames.
  private static let passageFrames = 1 << 15

  private var worstGap = 0
  private var worstStep: Float = 0
  private var worstSpur = -Double.infinity
  private var lateCount = 0
  private var missedCount = 0
  private var otherCount = 0
  private var disturbedCount = 0

  /// Makes worker processes fail, and prints one line for each way.
  ///
  /// Returns whether all were bypassed in time and without a step, and another node was not affected.
  static func run(_ library: PluginLibrary, in directory: String, count: Int) throws -> Bool {
    let plugin = try plugin(library, in: directory)
    let transport = Transport(sampleRateHz: 48_000)
    var other = try node(plugin, library, transport)
    var isRight = true
    for failure in WorkerFailure.allCases {
      var check = FaultCheck()
      // Answers that the machine delays are no consequence of the failure, but too many of them are no machine's.
      for _ in 0 ..< count {
        while try !check.add(failure, plugin, library, transport, beside: other),
          check.disturbedCount <= disturbedLimit(count)
        {
          // A machine that delays many answers of the other worker makes it fail too.
          if isFailed(other) { other = try node(plugin, library, transport) }
        }
      }
      check.report(failure, count)
      isRight = isRight && check.isRight(count)
    }
    return isRight
  }

  /// Lets a worker stop for ever, and renders a number of blocks; returns whether all were in time.
  static func runStopped(
    _ library: PluginLibrary, in directory: String, blockCount: Int
  ) throws -> Bool {
    let transport = Transport(sampleRateHz: 48_000)
    let node = try node(try plugin(library, in: directory), library, transport)
    let tone = try PeriodicTone([node], transport)
    try tone.run {
      usleep(100_000)
      WorkerFailure.stop.cause(in: node)
      usleep(200_000)
    }
    let paced = tone.outputs[0].count / PeriodicTone.frameCount
    try tone.runAtOnce(max(0, blockCount - paced))
    print(
      "SIGSTOP for ever: \(blockCount) blocks, \(tone.lateCount) longer than a period,"
        + " \(node.capabilities[IsolatedNode.self]?.lateCount ?? 0) without an answer in time")
    _ = node.capabilities[IsolatedNode.self]?.worker.end()
    return tone.lateCount == 0
  }

  private static func plugin(
    _ library: PluginLibrary, in directory: String
  ) throws -> PluginDescription {
    let path = directory + "/halving.c"
    if let file = fopen(path, "w") {
      fputs(halvingModule, file)
      fclose(file)
    }
    return try library.find(path)
  }

  private static func node(
    _ plugin: PluginDescription, _ library: PluginLibrary, _ transport: Transport
  ) throws -> any Node {
    var configuration = NodeConfiguration(
      sampleRateHz: 48_000, maximumFrameCount: PeriodicTone.frameCount, transport: transport)
    configuration.isolation = .own
    let node = try library.makeNode(plugin, configuration)
    try node.activate()
    return node
  }

  private static func isFailed(_ node: any Node) -> Bool {
    node.capabilities[IsolatedNode.self]?.fault != nil
  }

  /// The number of blocks in which answers of nodes were late.
  private static func lateCount(of nodes: [any Node]) -> UInt64 {
    nodes.reduce(0) { $0 + ($1.capabilities[IsolatedNode.self]?.lateCount ?? 0) }
  }

  private static func disturbedLimit(_ count: Int) -> Int { 5 + count / 50 }

  /// Returns false if an answer was late for another reason, so that this failure does not count.
  private mutating func add(
    _ failure: WorkerFailure, _ plugin: PluginDescription, _ library: PluginLibrary,
    _ transport: Transport, beside other: any Node
  ) throws -> Bool {
    let node = try Self.node(plugin, library, transport)
    guard let isolated = node.capabilities[IsolatedNode.self] else { return true }
    let tone = try PeriodicTone([node, other], transport)
    var (lateCount, isSteady, steadyFrame): (UInt64, Bool, Int) = (0, false, 0)
    try tone.run {
      // The first answers of a worker may be late. Then the node fades to its bypass, and back.
      repeat {
        lateCount = Self.lateCount(of: [node, other])
        tone.wait(frames: Self.fadeFrames + 2 * PeriodicTone.frameCount)
      } while Self.lateCount(of: [node, other]) != lateCount
      steadyFrame = tone.renderedFrames
      usleep(UInt32.random(in: 0 ... 4_000))
      isSteady = isolated.fault == nil && !Self.isFailed(other)
      failure.cause(in: node)
      // A signal arrives when a thread of the process gets a processor.
      for _ in 0 ..< 20_000 where failure != .none && isolated.fault == nil { usleep(500) }
      tone.wait(frames: Self.fadeFrames + 4 * PeriodicTone.frameCount)
    }
    _ = isolated.worker.end()
    guard isSteady, (Self.lateCount(of: [node, other]) > lateCount) == failure.isLate else {
      disturbedCount += 1
      return false
    }
    examineOther(tone, from: steadyFrame)
    if failure != .none { examine(tone, from: steadyFrame) }
    return true
  }

  private mutating func examineOther(_ tone: PeriodicTone, from steadyFrame: Int) {
    lateCount += tone.lateCount
    let isSame = tone.outputs[1].indices.dropFirst(steadyFrame).allSatisfy {
      tone.outputs[1][$0] == PeriodicTone.input($0) / 2
    }
    if !isSame { otherCount += 1 }
  }

  /// Examines the output, and takes what is before a frame for the node's undisturbed output.
  private mutating func examine(_ tone: PeriodicTone, from steadyFrame: Int) {
    var output = tone.outputs[0]
    for frame in 0 ..< steadyFrame { output[frame] = PeriodicTone.input(frame) / 2 }
    let isDry = output.indices.map { output[$0] == PeriodicTone.input($0) }
    let isWet = output.indices.map { output[$0] == PeriodicTone.input($0) / 2 }
    // Zero is both.
    guard let lastWet = isWet.indices.last(where: { isWet[$0] && !isDry[$0] }),
      let firstDry = isDry.indices.first(where: { $0 > lastWet && isDry[$0] && !isWet[$0] }),
      isDry[firstDry...].allSatisfy({ $0 })
    else {
      missedCount += 1
      return
    }
    worstGap = max(worstGap, firstDry - lastWet - 1)
    for (one, other) in zip(output, output.dropFirst()) {
      worstStep = max(worstStep, abs(one - other))
    }
    worstSpur = max(worstSpur, Self.spur(output, around: (lastWet + firstDry) / 2))
  }

  /// Returns the highest spur of a passage around a frame.
  ///
  /// The tone is continued before and after what was rendered.
  private static func spur(_ output: [Float], around middle: Int) -> Double {
    let passage = (middle - passageFrames / 2 ..< middle + passageFrames / 2).map { frame in
      frame < 0
        ? PeriodicTone.input(frame) / 2
        : frame < output.count ? output[frame] : PeriodicTone.input(frame)
    }
    return spurs(of: passage).map(\.decibels).max() ?? 0
  }

  private func isRight(_ count: Int) -> Bool {
    worstGap <= Self.longestGap && worstStep <= Self.largestStep && worstSpur <= Self.highestSpur
      && missedCount == 0 && otherCount == 0 && lateCount == 0
      && disturbedCount <= Self.disturbedLimit(count)
  }

  private func report(_ failure: WorkerFailure, _ count: Int) {
    let step = (worstStep / PeriodicTone.largestStep * 1_000).rounded() / 1_000
    let bypass =
      failure == .none
      ? ""
      : " gap at most \(worstGap) frames, largest step \(step) of the tone's, spurs at most"
        + " \((worstSpur * 10).rounded() / 10) dBFS, \(missedCount) not bypassed,"
    print(
      "\(failure.rawValue): \(count) times,\(bypass) \(disturbedCount) repeated because of another late answer,"
        + " \(lateCount) blocks longer than a period, another node"
        + " affected \(otherCount) times")
    fflush(nil)
  }
}
