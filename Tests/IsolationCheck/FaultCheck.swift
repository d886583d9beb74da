// FaultCheck.swift: makes worker processes fail at random times, and examines the output. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import Isolation
import PluginLoading
import PluginModel
import RealtimeKit
import Synchronization

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
  case kill = "kill -9"
  case segmentationFault = "SIGSEGV"
  case abort = "abort"
  case loop = "endless loop"
  case stop = "SIGSTOP"

  /// Makes the process of a node fail.
  func cause(in node: any Node) {
    guard let process = node.abilities[IsolatedNode.self]?.worker.process else { return }
    switch self {
    case .kill: _ = Glibc.kill(process, SIGKILL)
    case .segmentationFault: _ = Glibc.kill(process, SIGSEGV)
    case .abort: _ = Glibc.kill(process, SIGABRT)
    case .loop: node.setParameter(0, to: 1)
    case .stop: _ = Glibc.kill(process, SIGSTOP)
    }
  }
}

/// Renders a tone through a node once in a period, on a thread with real-time priority.
final class PeriodicTone {
  static let frameCount = 64
  /// The largest step between two frames of the tone: 1 kHz with an amplitude of 0.5.
  static let largestStep = Float(sin(Double.pi / 48))
  private let node: any Node
  private let isEnding = Atomic<Bool>(false)
  private(set) var output: [Float] = []
  /// The number of blocks that took longer than a period.
  private(set) var lateCount = 0

  init(_ node: any Node) {
    self.node = node
    output.reserveCapacity(1 << 20)
  }

  /// The input at a frame.
  static func input(_ frame: Int) -> Float { Float(sin(Double(frame) * 2 * .pi / 48)) / 2 }

  /// Renders while `body` runs.
  func run(_ body: () -> Void) throws {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let thread = try RealtimeThread(entry: runPeriodicTone, context: context)
    body()
    isEnding.store(true, ordering: .relaxed)
    thread.join()
  }

  fileprivate func render() {
    let rows = (0 ..< 4).map { _ in
      UnsafeMutablePointer<Float>.allocate(capacity: Self.frameCount)
    }
    for row in rows { row.initialize(repeating: 0, count: Self.frameCount) }
    var next = crealtime_nanoseconds()
    rows.withUnsafeBufferPointer { buffers in
      guard let buffers = buffers.baseAddress else { return }
      var step = crealtime_step(
        function: node.step.function, context: node.step.context, buffers: buffers)
      while !isEnding.load(ordering: .relaxed) {
        next += PeriodicCalls.periodNanoseconds
        crealtime_sleep_until(next)
        for index in 0 ..< Self.frameCount {
          rows[0][index] = Self.input(output.count + index)
          rows[1][index] = rows[0][index]
        }
        let began = crealtime_nanoseconds()
        crealtime_call_step(&step, UInt32(Self.frameCount))
        if crealtime_nanoseconds() - began > PeriodicCalls.periodNanoseconds { lateCount += 1 }
        output += UnsafeBufferPointer(start: rows[2], count: Self.frameCount)
      }
    }
    for row in rows { row.deallocate() }
  }
}

nonisolated func runPeriodicTone(
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<PeriodicTone>.fromOpaque(context).takeUnretainedValue().render() }
  return nil
}

/// The worst results of failures.
struct FaultCheck {
  /// Frames between the last one of the plugin and the first one of the bypass: the block, and a fade of 10 ms.
  private static let longestGap = PeriodicTone.frameCount + 480
  /// One percent for the sum of two fades.
  private static let largestStep = PeriodicTone.largestStep * 1.01

  private var worstGap = 0
  private var worstStep: Float = 0
  private var lateCount = 0
  private var missedCount = 0

  /// Makes worker processes fail, and prints one line for each way.
  ///
  /// Returns whether all were bypassed in time and without a step.
  static func run(_ library: PluginLibrary, in directory: String, count: Int) throws -> Bool {
    let path = directory + "/halving.c"
    guard let file = fopen(path, "w") else { return false }
    fputs(halvingModule, file)
    fclose(file)
    let plugin = try library.find(path)
    var isRight = true
    for failure in WorkerFailure.allCases {
      var check = FaultCheck()
      for _ in 0 ..< count { try check.add(failure, plugin, library) }
      let step = (check.worstStep / PeriodicTone.largestStep * 1_000).rounded() / 1_000
      print(
        "\(failure.rawValue): \(count) times, gap at most \(check.worstGap) frames, largest step"
          + " \(step) of the tone's, \(check.lateCount) blocks longer than a period,"
          + " \(check.missedCount) not bypassed")
      isRight =
        isRight && check.worstGap <= longestGap && check.worstStep <= largestStep
        && check.missedCount == 0
    }
    return isRight
  }

  private mutating func add(
    _ failure: WorkerFailure, _ plugin: PluginDescription, _ library: PluginLibrary
  ) throws {
    var configuration = NodeConfiguration(
      sampleRateHz: 48_000, maximumFrameCount: PeriodicTone.frameCount)
    configuration.isolation = .own
    let node = try library.makeNode(plugin, configuration)
    try node.activate()
    let tone = PeriodicTone(node)
    try tone.run {
      usleep(UInt32.random(in: 10_000 ... 20_000))
      failure.cause(in: node)
      usleep(40_000)
    }
    _ = node.abilities[IsolatedNode.self]?.worker.end()
    examine(tone)
  }

  private mutating func examine(_ tone: PeriodicTone) {
    let output = tone.output
    lateCount += tone.lateCount
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
  }
}
