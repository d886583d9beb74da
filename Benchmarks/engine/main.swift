// main.swift: how long a graph takes to be compiled and edited, and what the audio thread feels of it. SPDX-License-Identifier: MIT
//
// For Benchmarks/edits. Usage: edits compile|edit|blocks|instructions [NODES [EDITS [THREADS]]]

import CRealtime
import Glibc
import GraphTestSupport
import PluginModel
import RealtimeKit
import RenderGraph

let words = Array(CommandLine.arguments.dropFirst())
func number(_ place: Int, _ usual: Int) -> Int {
  words.count > place ? Int(words[place]) ?? usual : usual
}
let nodeCount = number(1, 1_000)
let editCount = number(2, 1_000)
let threadCount = number(3, 1)
let blockFrames = 64
let rateHz = 48_000.0

func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func percentile(_ sorted: [UInt64], _ share: Double) -> Double {
  Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))])
}

/// A gain, as cheap as a node can be, that may delay its sound.
final class Gain: Node {
  let audioInputCount = 1
  let audioOutputCount = 1
  let latencyFrames: Int
  let canRunInPlace = true
  private let gain: UnsafeMutablePointer<Float>

  init(latency: Int = 0) {
    latencyFrames = latency
    gain = .allocate(capacity: 1)
    gain.initialize(to: 0.9)
  }
  deinit { gain.deallocate() }
  var step: NodeStep { NodeStep(function: gainStep, context: UnsafeMutableRawPointer(gain)) }
  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() {}
  func deactivate() {}
  func reset() {}
}

@c(benchmark_gain_step)
func gainStep(
  _ context: UnsafeMutableRawPointer, _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>,
  _ frameCount: UInt32
) {
  let gain = context.assumingMemoryBound(to: Float.self).pointee
  let (from, to) = (buffers[0], buffers[1])
  for frame in 0 ..< Int(frameCount) { to[frame] = from[frame] * gain }
}

/// A desk: strips of eight nodes each, every one into the sum and into two of eight effects, which come back;
/// one strip in four delays its sound, so that all others are held back.
struct Desk {
  var strips: [[Gain]] = []
  var effects: [Gain] = []
  /// How much of each strip is heard.
  var levels: [Float] = []

  init(_ count: Int) {
    effects = (0 ..< 8).map { Gain(latency: $0 * 16) }
    while strips.count * 8 + 8 < count {
      let late = strips.count % 4 == 3 ? 64 : 0
      strips.append((0 ..< 8).map { Gain(latency: $0 == 3 ? late : 0) })
      levels.append(0.01)
    }
  }

  func graph() -> Graph {
    var graph = Graph(inputChannelCount: 2, outputChannelCount: 2)
    let returns = effects.map { graph.add($0, named: "effect") }
    do {
      for (index, strip) in strips.enumerated() {
        var last = Graph.Source.input(channel: index % 2)
        for node in strip {
          let id = graph.add(node, named: "strip")
          try graph.connect(last, to: .node(id, channel: 0))
          last = .node(id, channel: 0)
        }
        try graph.connect(last, to: .output(channel: index % 2), gain: levels[index])
        try graph.connect(last, to: .node(returns[index % 8], channel: 0), gain: 0.1)
        try graph.connect(last, to: .node(returns[(index + 3) % 8], channel: 0), gain: 0.1)
      }
      for (index, id) in returns.enumerated() {
        try graph.connect(.node(id, channel: 0), to: .output(channel: index % 2))
      }
    } catch { fatalError("\(error)") }
    return graph
  }

  /// Any of the things that happen during a show.
  mutating func change(_ numbers: inout Numbers) {
    let strip = numbers.next(below: strips.count)
    switch numbers.next(below: 5) {
    case 0: levels[strip] = 0.02 - levels[strip]
    case 1: strips[strip][numbers.next(below: strips[strip].count)] = Gain()
    case 2: strips[strip].insert(Gain(), at: numbers.next(below: strips[strip].count))
    case 3 where strips[strip].count > 4: strips[strip].removeLast()
    case 3: strips[strip].append(Gain())
    default: strips[strip][1] = Gain(latency: 1 + numbers.next(below: 63))
    }
  }
}

func makeEngine() -> Engine {
  var threads = ThreadPolicy(count: threadCount)
  threads.isForced = threadCount > 1
  return Engine(
    Engine.Settings(
      inputChannelCount: 2, outputChannelCount: 2, maximumFrameCount: blockFrames,
      sampleRateHz: rateHz, startsFadedOut: false, guardsNodes: true, threads: threads))
}

func say(_ what: String, _ times: [UInt64]) {
  let sorted = times.sorted()
  func text(_ share: Double) -> String {
    let hundredths = Int((percentile(sorted, share) / 10_000).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
  print(
    "\(what): median \(text(0.5)) ms, p99 \(text(0.99)) ms, worst \(text(1)) ms (\(times.count) times)"
  )
}

switch words.first {
case "compile":
  let engine = makeEngine()
  let graph = Desk(nodeCount).graph()
  let times = (0 ..< editCount).map { _ in
    let start = nanoseconds()
    guard (try? GraphCompiler.compile(graph, for: engine)) != nil else { fatalError("a loop") }
    return nanoseconds() - start
  }
  say("\(graph.nodes.count) nodes compiled, \(threadCount) threads", times)

case "edit":
  // Each at rest, so that it is taken over by the very next block.
  let engine = makeEngine()
  var desk = Desk(nodeCount)
  var numbers = Numbers(seed: 7)
  let editor = try GraphEditor(desk.graph(), engine)
  var (times, blocks): ([UInt64], [Int: Int]) = ([], [:])
  var seconds = 0.0
  func render() {
    renderBlock(engine.pointer, blockFrames)
    seconds += Double(blockFrames) / rateHz
  }
  render()
  for _ in 0 ..< editCount {
    // The end of a tail is faded, too.
    while !editor.isAtRest {
      render()
      _ = editor.attend(at: seconds)
    }
    desk.change(&numbers)
    let graph = desk.graph()
    let start = nanoseconds()
    try editor.edit(to: graph)
    times.append(nanoseconds() - start)
    var count = 0
    while engine.waitsForAudioThread {
      render()
      count += 1
    }
    blocks[count, default: 0] += 1
    for block in 0 ..< 60 {
      render()
      if block % 8 == 0 { _ = editor.attend(at: seconds) }
    }
  }
  say("an edit of \(nodeCount) nodes prepared, \(threadCount) threads", times)
  for (count, edits) in blocks.sorted(by: { $0.key < $1.key }) {
    print("taken over within \(count) block\(count == 1 ? "" : "s"): \(edits) of \(editCount)")
  }

case "blocks": measureBlocks()
case "instructions": countInstructions()
default:
  print("Usage: edits compile|edit|blocks|instructions [NODES [EDITS [THREADS]]]")
  exit(2)
}
