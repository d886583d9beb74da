// Engine.swift: a long convolution without latency. SPDX-License-Identifier: MIT
//
// The first 64 frames of the response are convolved directly, the rest in stages of growing blocks, as in W.
// G. Gardner, Efficient Convolution without Input-Output Delay, J. Audio Eng. Soc. 43 (3), 1995; G. García,
// Optimal Filter Partition Method for Nonuniform Partitioned Convolution, AES 113th Convention, 2002. Stages
// advance at ticks that are counted from the first frame, so that the result does not depend on the block
// length.

import ModuleABI
import ModuleKit

/// The convolution of two inputs with a response, to two outputs.
struct Engine {
  private let response: Response
  private let stages: UnsafeMutablePointer<Stage>
  private let stageCount: Int
  private let pathCount: Int
  // The first frames of the response in reverse, for each path: in the order of the response's channels.
  private let head: UnsafeMutablePointer<Float>
  // The last tick of each input, and the frames of the current one.
  private let history: UnsafeMutablePointer<Float>
  // The output of the stages until the next tick, for each output.
  private let tail: UnsafeMutablePointer<Float>
  // A partition while it is made, and as many zeros.
  private let scratch: UnsafeMutablePointer<Float>
  private let scratchLength: Int
  private var position = BuildPosition()
  private var energies = InlineArray<4, WeightedEnergy>(repeating: WeightedEnergy())
  private let weighting: WeightingCoefficients
  private var slope = 0.0  // natural logarithms for each frame, by which the response decays faster
  /// The gain that makes the wet signal as loud as the dry one, for speech and music.
  private(set) var normalGain: Float = 1

  /// The progress of preparing a response.
  private struct BuildPosition {
    var stage = 0
    var row = 0
    var partition = 0
    var step = 0
  }

  /// The response below this level is ignored: -140 dB, in natural logarithms.
  private static let silence = 16.1

  /// Takes the response over. [main]
  init(_ response: Response, sampleRateHz: Double) {
    self.response = response
    weighting = WeightingCoefficients(sampleRateHz: sampleRateHz)
    pathCount = response.rowCount == 4 ? 4 : 2
    let lengths = SIMD4<Int32>(64, 512, 4_096, 32_768)
    var count = 1
    // A stage is worth its transforms from two partitions on.
    while count < 4, response.frameCount >= 4 * Int(lengths[count]) { count += 1 }
    stageCount = count
    stages = .allocate(capacity: count)
    for index in 0 ..< count {
      let length = Int(lengths[index])
      let offset = index == 0 ? length : 2 * length
      let end = index + 1 < count ? 2 * Int(lengths[index + 1]) : response.frameCount
      (stages + index).initialize(
        to: Stage(
          length: length, offset: offset,
          partitionCount: max(1, (end - offset + length - 1) / length), pathCount: pathCount,
          rowCount: response.rowCount))
    }
    scratchLength = Int(lengths[count - 1])
    head = .allocate(capacity: 4 * tickFrames)
    history = .allocate(capacity: 4 * tickFrames)
    tail = .allocate(capacity: 2 * tickFrames)
    scratch = .allocate(capacity: 2 * scratchLength)
    scratch.initialize(repeating: 0, count: 2 * scratchLength)
    clear()
  }

  func free() {
    for index in 0 ..< stageCount { stages[index].free() }
    stages.deallocate()
    head.deallocate()
    history.deallocate()
    tail.deallocate()
    scratch.deallocate()
    response.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func clear() {
    for index in 0 ..< stageCount { stages[index].clear() }
    history.update(repeating: 0, count: 4 * tickFrames)
    tail.update(repeating: 0, count: 2 * tickFrames)
  }

  // MARK: - Taking a response up

  /// Starts to prepare the response, or the same one with another decay. [render]
  ///
  /// - Parameter decay: 1 leaves the response unchanged. Below that it decays faster: it is 60 dB down at
  ///   this fraction of its length.
  @_noLocks
  mutating func beginBuilding(decay: Double) {
    slope = 6.907_755 * (1 / decay - 1) / Double(response.frameCount)
    position = BuildPosition()
    energies = InlineArray(repeating: WeightedEnergy())
    for row in 0 ..< response.rowCount {
      shape(row, from: 0, tickFrames, scale: 1)
      for frame in 0 ..< tickFrames { head[tickFrames * (row + 1) - 1 - frame] = scratch[frame] }
    }
    let audible = slope > 0 ? Self.silence / slope : Double(response.frameCount)
    for index in 0 ..< stageCount {
      let rest = audible - Double(stages[index].offset)
      let count = Int(rest / Double(stages[index].length)) + 1
      stages[index].use(partitions: rest > 0 ? count : 0)
    }
  }

  /// Carries out one of many steps of about equal cost; returns false when the response is complete. [render]
  @_noLocks
  mutating func build() -> Bool {
    guard position.stage < stageCount else { return false }
    let stage = stages[position.stage]
    if position.step == 0 {
      shape(
        position.row, from: stage.offset + stage.length * position.partition, stage.length,
        scale: 0.5 / Double(stage.length))
    }
    stage.build(
      step: position.step, row: position.row, partition: position.partition, scratch,
      scratch + scratchLength)
    position.step += 1
    guard position.step == stage.transform.stepCount else { return true }
    position.step = 0
    position.partition += 1
    guard position.partition == stage.partitionCount else { return true }
    position.partition = 0
    position.row += 1
    guard position.row == response.rowCount else { return true }
    position.row = 0
    position.stage += 1
    guard position.stage == stageCount else { return true }
    let outputs =
      pathCount == 4
      ? max(energies[0].energy + energies[2].energy, energies[1].energy + energies[3].energy)
      : max(energies[0].energy, energies[1].energy)
    normalGain = outputs > 0 ? Float(1 / realtime_sqrt(outputs)) : 1
    return false
  }

  /// Copies frames of a channel to the scratch buffer, with decay and gain, and adds up their energy.
  @_noLocks
  private mutating func shape(_ row: Int, from start: Int, _ count: Int, scale: Double) {
    let source = response.row(row)
    let kept = min(count, max(0, response.frameCount - start))
    var gain = realtime_exp(-slope * Double(start))
    let ratio = realtime_exp(-slope)
    var energy = energies[row]
    for frame in 0 ..< kept {
      let sample = Double(source[start + frame]) * gain
      energy.add(sample, weighting)
      scratch[frame] = Float(sample * scale)
      gain *= ratio
    }
    if kept < count { (scratch + kept).update(repeating: 0, count: count - kept) }
    energies[row] = energy
  }

  // MARK: - Convolving

  /// Takes a frame at a position within its tick, and returns the direct output. [render]
  @_noLocks
  @inline(__always)
  func next(_ frame: SIMD2<Float>, at position: Int) -> SIMD2<Float> {
    let (left, right) = (history, history + 2 * tickFrames)
    left[tickFrames + position] = frame.x
    right[tickFrames + position] = frame.y
    let late = SIMD2(tail[position], tail[tickFrames + position])
    let (leftPast, rightPast) = (left + position + 1, right + position + 1)
    if pathCount == 2 {
      let second = response.rowCount == 1 ? head : head + tickFrames
      return late + SIMD2(dot(leftPast, head), dot(rightPast, second))
    }
    return late
      + SIMD2(
        dot(leftPast, head) + dot(rightPast, head + 2 * tickFrames),
        dot(leftPast, head + tickFrames) + dot(rightPast, head + 3 * tickFrames))
  }

  /// Does the work that is due after each 64 frames. [render]
  @_noLocks
  func tick() {
    let (left, right) = (history, history + 2 * tickFrames)
    tail.update(repeating: 0, count: 2 * tickFrames)
    for index in 0 ..< stageCount {
      stages[index].advance(left + tickFrames, right + tickFrames)
      stages[index].add(to: tail, tail + tickFrames)
    }
    UnsafeMutableRawPointer(left).copyMemory(from: left + tickFrames, byteCount: tickFrames * 4)
    UnsafeMutableRawPointer(right).copyMemory(from: right + tickFrames, byteCount: tickFrames * 4)
  }

  @_noLocks
  @inline(__always)
  private func dot(_ history: UnsafePointer<Float>, _ taps: UnsafePointer<Float>) -> Float {
    var (even, odd) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for tap in stride(from: 0, to: tickFrames, by: 8) {
      even += UnalignedSIMD.load(history + tap) * UnalignedSIMD.load(taps + tap)
      odd += UnalignedSIMD.load(history + tap + 4) * UnalignedSIMD.load(taps + tap + 4)
    }
    return UnalignedSIMD.sum(even + odd)
  }
}
