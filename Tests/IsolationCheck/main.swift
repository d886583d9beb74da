// main.swift: measures isolated nodes for Benchmarks/isolation and scripts/check-isolation. SPDX-License-Identifier: MIT

import CIsolation
import CRealtime
import Glibc
import InstalledFormats
import Isolation
import PluginCatalogue
import PluginLoading
import PluginModel
import RealtimeKit
import RenderGraph
import Synchronization

/// Prints some percentiles of durations in ns, as one line in us.
func printPercentiles(_ name: String, _ durations: [UInt64]) {
  let sorted = durations.sorted()
  let texts = [0.5, 0.99, 0.999].map { share -> String in
    let place = min(sorted.count - 1, Int(Double(sorted.count) * share))
    let tenths = (sorted[place] + 50) / 100
    return "\(tenths / 10).\(tenths % 10)"
  }
  print(([name] + texts).joined(separator: "\t"))
}

/// Renders nodes in a row once in a period, on a thread with real-time priority.
final class PeriodicCalls {
  static let frameCount = 64
  static let periodNanoseconds: UInt64 = 1_333_333
  private(set) var durations: [UInt64] = []
  /// Whether the thread stays on its processor, as that of a live node does.
  var staysOnProcessor = false
  /// When the last call ended.
  private(set) var endTime: UInt64 = 0
  private let engine: Engine
  private let count: Int

  /// Connects stereo nodes in a row.
  init(_ nodes: [any Node], count: Int) throws {
    self.count = count
    var graph = Graph(inputChannelCount: 2, outputChannelCount: 2)
    var last: Graph.NodeID?
    for (index, node) in nodes.enumerated() {
      let id = graph.add(node, named: "\(index)")
      for channel in 0 ..< 2 {
        try graph.connect(
          last.map { .node($0, channel: channel) } ?? .input(channel: channel),
          to: .node(id, channel: channel))
      }
      last = id
    }
    for channel in 0 ..< 2 {
      guard let last else { continue }
      try graph.connect(.node(last, channel: channel), to: .output(channel: channel))
    }
    engine = Engine(
      Engine.Settings(
        inputChannelCount: 2, outputChannelCount: 2, maximumFrameCount: Self.frameCount,
        sampleRateHz: 48_000, startsFadedOut: false))
    engine.install(try GraphCompiler.compile(graph, for: engine))
  }

  /// Returns the duration of each block.
  func run() throws -> [UInt64] {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let thread = try RealtimeThread(entry: runPeriodicCalls, context: context)
    thread.join()
    return durations
  }

  fileprivate func call() {
    if staysOnProcessor { cisolation_stay_on_processor() }
    var next = crealtime_nanoseconds()
    durations.reserveCapacity(count)
    for _ in 0 ..< count {
      next += Self.periodNanoseconds
      crealtime_sleep_until(next)
      let began = crealtime_nanoseconds()
      for channel in 0 ..< 2 {
        engine.pointer.pointee.inputs[channel].update(repeating: 0.25, count: Self.frameCount)
      }
      renderBlock(engine.pointer, Self.frameCount)
      endTime = crealtime_nanoseconds()
      durations.append(endTime - began)
    }
  }
}

nonisolated func runPeriodicCalls(
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<PeriodicCalls>.fromOpaque(context).takeUnretainedValue().call() }
  return nil
}

/// A file with one byte in memory, which a module reads.
final class Trigger {
  let byte: UnsafeMutablePointer<UInt8>

  /// Creates the file with a zero.
  init(_ path: String) throws {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    guard pwrite(file, "0", 1, 0) == 1,
      let address = mmap(nil, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      address != MAP_FAILED
    else { throw TriggerError() }
    byte = address.assumingMemoryBound(to: UInt8.self)
  }

  deinit { munmap(byte, 1) }
}

/// The file of a trigger could not be created or mapped.
struct TriggerError: Error {}

/// When the worker process was ended and when its node was seen to be faulty, in ns.
final class EndTime: Sendable {
  let nanoseconds = Atomic<UInt64>(0)
  let faultNanoseconds = Atomic<UInt64>(0)
  /// Whether the thread that ends the process is done.
  let isDone = Atomic(false)

  /// Waits for the fault of a node that the main thread does not use meanwhile, at most a second.
  func watch(_ node: UnsafeRawPointer) {
    let node = Unmanaged<IsolatedNode>.fromOpaque(node).takeUnretainedValue()
    let began = nanoseconds.load(ordering: .relaxed)
    var now = began
    while node.fault == nil, now - began < 1_000_000_000 { now = crealtime_nanoseconds() }
    faultNanoseconds.store(now, ordering: .relaxed)
  }
}

/// The times after the end of a worker process, in ns.
struct EndDurations {
  /// Until the audio thread has detected it.
  var detected: UInt64
  /// Until the block is complete, with the node bypassed.
  var bypassed: UInt64
}

/// How long it takes until a rendering sees that the worker process ended in the middle of a block.
///
/// It is killed, or crashes as soon as the file `PATH.crash` contains a one.
///
/// - Returns: the times; nil if the machine was so busy that the node was left out before.
func detection(
  _ library: PluginLibrary, _ path: String, isKilled: Bool
) throws -> EndDurations? {
  let trigger = try Trigger(path + ".crash")
  var configuration = NodeConfiguration(
    sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: true)
  configuration.isolation = .own
  let node = try library.makeNode(try library.find(path), configuration)
  try node.activate()
  guard let isolated = node.capabilities[IsolatedNode.self] else { return nil }
  let process = isolated.worker.process
  node.setParameter(0, to: 1)
  let (end, crash) = (EndTime(), UInt(bitPattern: trigger.byte))
  let watched = UInt(bitPattern: Unmanaged.passUnretained(isolated).toOpaque())
  // The module allocates and touches its memory, and then never returns.
  _ = DetachedThread.start {
    usleep(1_500_000)
    // The first write to a page of a file takes the kernel longer than the crash.
    UnsafeMutablePointer<UInt8>(bitPattern: crash)?.pointee = 0x30
    end.nanoseconds.store(crealtime_nanoseconds(), ordering: .relaxed)
    if isKilled {
      kill(process, SIGKILL)
    } else {
      UnsafeMutablePointer<UInt8>(bitPattern: crash)?.pointee = 0x31
    }
    if let watched = UnsafeRawPointer(bitPattern: watched) { end.watch(watched) }
    end.isDone.store(true, ordering: .releasing)
  }
  // The node is offline, because no answer may be late. All else is as in a session.
  let calls = try PeriodicCalls([node], count: 1)
  calls.staysOnProcessor = true
  // As a session does, if it is permitted.
  _ = crealtime_lock_memory()
  defer { munlockall() }
  _ = try calls.run()
  while !end.isDone.load(ordering: .acquiring) { usleep(1_000) }
  withExtendedLifetime((trigger, isolated)) {}
  let began = end.nanoseconds.load(ordering: .relaxed)
  guard calls.endTime > began else { return nil }
  // The thread that watches may itself wait for a processor.
  let detected = min(end.faultNanoseconds.load(ordering: .relaxed), calls.endTime)
  return EndDurations(detected: detected - began, bypassed: calls.endTime - began)
}

/// How long it takes to create a node in a worker process without and with a sandbox, and to enter the sandbox.
func sandboxes(_ library: PluginLibrary, _ path: String, count: Int) throws {
  var configuration = NodeConfiguration(
    sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: true)
  configuration.isolation = .own
  let plugin = try library.find(path)
  var (plain, sandboxed, setup): ([UInt64], [UInt64], [UInt64]) = ([], [], [])
  for _ in 0 ..< count {
    for sandbox in [nil, NodeSandbox()] {
      configuration.sandbox = sandbox
      let began = crealtime_nanoseconds()
      let node = try library.makeNode(plugin, configuration)
      let taken = crealtime_nanoseconds() - began
      if sandbox == nil { plain.append(taken) } else { sandboxed.append(taken) }
      guard let isolated = node.capabilities[IsolatedNode.self], sandbox != nil else { continue }
      setup.append(isolated.sandboxSetupNanoseconds)
    }
  }
  printPercentiles("own", plain)
  printPercentiles("sandbox", sandboxed)
  printPercentiles("set-up", setup)
}

let arguments = CommandLine.arguments
guard arguments.count > 3 else {
  print(
    "isolation-check OUTBOARD cost|ends|sandbox PLUGIN [COUNT]\nisolation-check OUTBOARD faults DIRECTORY COUNT"
  )
  exit(2)
}
let library = PluginLibrary(
  formats: .installed,
  catalogue: Catalogue(
    sources: FormatRegistry.installed.sources,
    child: ChildCommand(executable: arguments[1], arguments: [ScanHelper.argument])))
let count = arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1
if arguments[2] == "cost" {
  let late = NodeIsolation(.own, isBlockLate: true)
  for isolation in [NodeIsolation.off, .own, .group("band"), late] {
    for nodeCount in [1, 2, 4, 8] {
      var configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64)
      configuration.isolation = isolation
      let plugin = try library.find(arguments[3])
      let nodes = try (0 ..< nodeCount).map { _ in
        let node = try library.makeNode(plugin, configuration)
        try node.activate()
        return node
      }
      printPercentiles(
        "\(isolation.text) \(nodeCount)", try PeriodicCalls(nodes, count: count).run())
    }
  }
} else if arguments[2] == "sandbox" {
  try sandboxes(library, arguments[3], count: count)
} else if arguments[2] == "faults" {
  let isRight = try FaultCheck.run(library, in: arguments[3], count: count)
  let isInTime = try FaultCheck.runStopped(library, in: arguments[3], blockCount: 1_000 * count)
  guard isRight, isInTime else { exit(1) }
} else {
  for isKilled in [true, false] {
    var durations: [EndDurations] = []
    while durations.count < count {
      if let times = try detection(library, arguments[3], isKilled: isKilled) {
        durations.append(times)
      }
    }
    let name = isKilled ? "kill" : "crash"
    printPercentiles(name, durations.map(\.detected))
    printPercentiles("\(name), until the block is complete", durations.map(\.bypassed))
  }
}
