// blocks.swift: the duration of blocks with and without edits of the graph. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import GraphTestSupport
import PluginModel
import RenderGraph
import Synchronization

/// State that the audio thread and the editing thread share.
final class Stage: @unchecked Sendable {
  // Only the audio thread renders the engine. The times are read after it has ended.
  let engine: Engine
  let isEdited = Atomic<Bool>(false)
  let isOver = Atomic<Bool>(false)
  /// Nanoseconds of processor time and of wall time, without edits and with.
  var still: (work: [UInt64], wall: [UInt64]) = ([], [])
  var edited: (work: [UInt64], wall: [UInt64]) = ([], [])

  init(_ engine: Engine) {
    self.engine = engine
    still.work.reserveCapacity(1 << 20)
    still.wall.reserveCapacity(1 << 20)
    edited.work.reserveCapacity(1 << 20)
    edited.wall.reserveCapacity(1 << 20)
  }

  /// Renders blocks at the rate of a card. [render]
  func play() {
    var parameters = sched_param(sched_priority: 20)
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters)
    var due = nanoseconds()
    while !isOver.load(ordering: .relaxed) {
      due += UInt64(Double(blockFrames) / rateHz * 1e9)
      var time = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
      let isEdited = isEdited.load(ordering: .relaxed)
      let (wall, work) = (nanoseconds(), nanoseconds(CLOCK_THREAD_CPUTIME_ID))
      renderBlock(engine.pointer, blockFrames)
      let (wallEnd, workEnd) = (nanoseconds(), nanoseconds(CLOCK_THREAD_CPUTIME_ID))
      if isEdited {
        edited.work.append(workEnd - work)
        edited.wall.append(wallEnd - wall)
      } else {
        still.work.append(workEnd - work)
        still.wall.append(wallEnd - wall)
      }
      // After a delay of more than 0.1 s, continues from now, without rendering the missed blocks.
      if nanoseconds() > due + 100_000_000 { due = nanoseconds() }
    }
  }
}

/// Measures blocks with edits and blocks without in turns of equal length, and prints the times of both.
func measureBlocks() {
  let stage = Stage(makeEngine())
  var desk = Desk(nodeCount)
  var numbers = Numbers(seed: 7)
  guard let editor = try? GraphEditor(desk.graph(), stage.engine) else { fatalError("a loop") }
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Stage>.fromOpaque(argument).takeUnretainedValue().play()
      return nil
    }, Unmanaged.passUnretained(stage).toOpaque())
  func wait(_ milliseconds: Int) {
    usleep(UInt32(milliseconds * 1_000))
    _ = editor.advance(at: Double(nanoseconds()) / 1e9)
  }
  wait(500)
  let rounds = 20
  for _ in 0 ..< rounds {
    // Both kinds include tails of nodes that earlier edits removed.
    for isEdited in [true, false] {
      stage.isEdited.store(isEdited, ordering: .relaxed)
      for _ in 0 ..< editCount / rounds {
        if isEdited {
          desk.change(&numbers)
          guard (try? editor.edit(to: desk.graph())) != nil else { fatalError("a loop") }
        } else {
          _ = desk.graph()
        }
        for _ in 0 ..< 4 { wait(16) }
      }
    }
  }
  stage.isOver.store(true, ordering: .relaxed)
  pthread_join(thread, nil)
  report("processor", stage.still.work, stage.edited.work)
  report("wall", stage.still.wall, stage.edited.wall)
}

private func report(_ what: String, _ still: [UInt64], _ edited: [UInt64]) {
  let (still, edited) = (still.sorted(), edited.sorted())
  for (name, share) in [("median", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("worst", 1)] {
    let (without, with) = (percentile(still, share) / 1_000, percentile(edited, share) / 1_000)
    let ratio = (with / without * 100).rounded() / 100
    print(
      "\(what) \(name): \((without * 10).rounded() / 10) us without, \((with * 10).rounded() / 10) us with, \(ratio)"
    )
  }
}

/// Renders blocks without or with edits, all in one thread, for a profiler that counts only within `renderBlock`.
func countInstructions() {
  let engine = makeEngine()
  var desk = Desk(nodeCount)
  var numbers = Numbers(seed: 7)
  guard let editor = try? GraphEditor(desk.graph(), engine) else { fatalError("a loop") }
  var seconds = 0.0
  for block in 0 ..< max(1, editCount) * 64 {
    if block % 64 == 0, words.last == "edited" {
      desk.change(&numbers)
      guard (try? editor.edit(to: desk.graph())) != nil else { fatalError("a loop") }
    }
    renderBlock(engine.pointer, blockFrames)
    seconds += Double(blockFrames) / rateHz
    if block % 8 == 0 { _ = editor.advance(at: seconds) }
  }
}
