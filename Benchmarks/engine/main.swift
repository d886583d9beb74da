// main.swift: the time to compile and edit a graph, and its effect on blocks. SPDX-License-Identifier: MIT
//
// For Benchmarks/edits. Usage: edits compile|edit|blocks|instructions [NODES [EDITS [THREADS]]]

import CRealtime
import Glibc
import GraphTestSupport
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
  // Each edit starts when the graph is idle, so that the next block can use it.
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
    // The end of a tail has a fade as well.
    while !editor.isIdle {
      render()
      _ = editor.advance(at: seconds)
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
      if block % 8 == 0 { _ = editor.advance(at: seconds) }
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
