// NetworkFrames.swift: renders the network, four frames at once. SPDX-License-Identifier: MIT
//
// All lines are longer than four frames. Lanes are frames where lines are read and written, and lines where
// the low-passes need the previous frame. The matrix uses both, so that it needs no shuffle.

import ModuleKit

extension Network {
  /// The frames until the next update of the modulation, 1 to 32: the maximum of a call.
  var framesLeft: Int { @_noLocks @inline(__always) get { Self.stretch - frame } }

  /// Takes the input of both sides for 1 to 4 frames and returns the output of both.
  @_noLocks
  @inline(__always)
  mutating func next(
    left: SIMD4<Float>, right: SIMD4<Float>, count: Int
  ) -> (left: SIMD4<Float>, right: SIMD4<Float>) {
    if frame == 0 { startStretch() }
    let read = isGliding ? readGliding(count) : readAll()
    let damped = damp(read, count)
    // The rest of the matrix; groups are four lines, in the order of the sides' signs.
    let first = Self.group(damped, 0), second = Self.group(damped, 1)
    let third = Self.group(damped, 2), fourth = Self.group(damped, 3)
    let position = (newest + 1) & mask
    write(first, Float4x4(left, right, -left, right), 0, position)
    write(second, Float4x4(left, -right, -left, -right), 4, position)
    write(third, Float4x4(left, right, left, -right), 8, position)
    write(fourth, Float4x4(-left, right, -left, right), 12, position)
    newest = (newest + count) & mask
    frame = (frame + count) & (Self.stretch - 1)
    // Two rows of the matrix, so that the sides have little correlation.
    return (first.b, first.c)
  }

  /// Four frames of all lines: one vector for each line, in four groups.
  private struct Frames {
    var first, second, third, fourth: Float4x4
  }

  @_noLocks
  @inline(__always)
  private func readAll() -> Frames {
    let numbers = SIMD4<Float>(0, 1, 2, 3) + Float(frame)
    return Frames(
      first: readFour(0, numbers), second: readFour(4, numbers), third: readFour(8, numbers),
      fourth: readFour(12, numbers))
  }

  @_noLocks
  @inline(__always)
  private func readFour(_ line: Int, _ numbers: SIMD4<Float>) -> Float4x4 {
    Float4x4(
      read(line, numbers), read(line + 1, numbers), read(line + 2, numbers),
      read(line + 3, numbers))
  }

  /// Reads one line, whose integer age is constant over the stretch, except for a few lines.
  @_noLocks
  @inline(__always)
  private func read(_ line: Int, _ numbers: SIMD4<Float>) -> SIMD4<Float> {
    let fractions = modulationStep[line] * numbers + fraction[line]
    let row = samples + line * pitch
    let start = newest - 1 - Int(ages[line])
    if crosses[line] != 0 { return MirroredRing.blend(row, from: start, fractions, mask: mask) }
    return MirroredRing.blend(row + (start & mask), fractions)
  }

  /// Reads one line during a ramp of the lengths; the results are the same without a ramp.
  @_noLocks
  @inline(never)
  private mutating func readGliding(_ count: Int) -> Frames {
    let numbers = SIMD4<Float>(0, 1, 2, 3) + Float(frame)
    excess *= glideRemaining
    let now = excess
    var second = now, third = now, fourth = now
    if count > 1 {
      excess *= glideRemaining
      second = excess
    }
    if count > 2 {
      excess *= glideRemaining
      third = excess
    }
    if count > 3 {
      excess *= glideRemaining
      fourth = excess
    }
    func row(_ line: Int) -> SIMD4<Float> {
      let fractions = modulationStep[line] * numbers + fraction[line]
      let glide = SIMD4(now[line], second[line], third[line], fourth[line])
      return MirroredRing.blend(
        samples + line * pitch, from: newest - 1 - Int(ages[line]), fractions + glide, mask: mask)
    }
    func rows(_ line: Int) -> Float4x4 {
      Float4x4(row(line), row(line + 1), row(line + 2), row(line + 3))
    }
    return Frames(first: rows(0), second: rows(4), third: rows(8), fourth: rows(12))
  }

  /// Passes all lines through their low-passes, and the first two rounds of the matrix, which are between
  /// groups: a vector for each group in each of four frames.
  @_noLocks
  @inline(__always)
  private mutating func damp(
    _ read: Frames, _ count: Int
  ) -> (Float4x4, Float4x4, Float4x4, Float4x4) {
    let first = read.first.transposed(), second = read.second.transposed()
    let third = read.third.transposed(), fourth = read.fourth.transposed()
    let one = damp(Float4x4(first.a, second.a, third.a, fourth.a))
    if count == 1 { return (one, one, one, one) }
    let two = damp(Float4x4(first.b, second.b, third.b, fourth.b))
    if count == 2 { return (one, two, two, two) }
    let three = damp(Float4x4(first.c, second.c, third.c, fourth.c))
    if count == 3 { return (one, two, three, three) }
    return (one, two, three, damp(Float4x4(first.d, second.d, third.d, fourth.d)))
  }

  @_noLocks
  @inline(__always)
  private mutating func damp(_ leaving: Float4x4) -> Float4x4 {
    if isGliding {
      gain += (gainGoal - gain) * gainGlide
      pole += (poleGoal - pole) * gainGlide
    }
    damped = leaving.lanes * gain + damped * pole
    return Float4x4(damped).mixed()
  }

  /// One group's lines in all four frames, and the last two rounds, which are within groups.
  @_noLocks
  @inline(__always)
  private static func group(
    _ frames: (Float4x4, Float4x4, Float4x4, Float4x4), _ group: Int
  ) -> Float4x4 {
    let rows: Float4x4
    switch group {
    case 0: rows = Float4x4(frames.0.a, frames.1.a, frames.2.a, frames.3.a)
    case 1: rows = Float4x4(frames.0.b, frames.1.b, frames.2.b, frames.3.b)
    case 2: rows = Float4x4(frames.0.c, frames.1.c, frames.2.c, frames.3.c)
    default: rows = Float4x4(frames.0.d, frames.1.d, frames.2.d, frames.3.d)
    }
    return rows.transposed().mixed()
  }

  /// Returns the input of four lines: the output of the matrix, scaled to preserve energy, plus the input.
  @_noLocks
  @inline(__always)
  private func write(_ mixed: Float4x4, _ entering: Float4x4, _ line: Int, _ position: Int) {
    let row = samples + line * pitch
    MirroredRing.put(mixed.a * 0.25 + entering.a, in: row, at: position, mask: mask)
    MirroredRing.put(mixed.b * 0.25 + entering.b, in: row + pitch, at: position, mask: mask)
    MirroredRing.put(mixed.c * 0.25 + entering.c, in: row + 2 * pitch, at: position, mask: mask)
    MirroredRing.put(mixed.d * 0.25 + entering.d, in: row + 3 * pitch, at: position, mask: mask)
  }

  /// Computes the modulation of each line at the end of the next stretch, and ends completed ramps.
  @_noLocks
  @inline(never)
  private mutating func startStretch() {
    // The sines have 3 to 10 times this frequency, so that all are whole when `turns` wraps.
    turns += 0.11 * Double(Self.stretch) / sampleRateHz
    if turns >= 1 { turns -= 1 }
    var sines = Lanes.zero
    for line in stride(from: 0, to: Self.lineCount, by: 2) {
      let phases = SIMD2(turn(line), turn(line + 1))
      let pair = SIMD2<Float>(
        Sine.ofTurns(phases - SIMD2(Double(Int(phases.x)), Double(Int(phases.y)))))
      sines[line] = pair.x
      sines[line + 1] = pair.y
    }
    let target = sines * modulationDepth
    modulationStep = (target - sway) * (1 / Float(Self.stretch))
    // All lines split into whole frames and fractions at once, as in `SplitDelay`.
    let first = sway + modulationStep
    let magic: Float = 12_582_912
    let rounded = (first - 0.5) + magic
    fraction = first - (rounded - magic)
    ages = lengths &+ (unsafeBitCast(rounded, to: SIMD16<Int32>.self) &- Int32(magic.bitPattern))
    let last = fraction + modulationStep * Float(Self.stretch - 1)
    crosses = SIMD16<Int32>.zero.replacing(
      with: 1, where: (last .< 0) .| (last .> 1))
    sway = target
    if isGliding { endGlides() }
  }

  /// Returns the phase of a line's sine, 0 to 26.
  @_noLocks
  @inline(__always)
  private func turn(_ line: Int) -> Double {
    turns * Double(3 + line % 8) + Double(line) * 0.381_966
  }

  @_noLocks
  private mutating func endGlides() {
    for line in 0 ..< Self.lineCount {
      if abs(excess[line]) < 1e-3 { excess[line] = 0 }
      if abs(gainGoal[line] - gain[line]) < 1e-4 { gain[line] = gainGoal[line] }
      if abs(poleGoal[line] - pole[line]) < 1e-4 { pole[line] = poleGoal[line] }
    }
    isGliding = excess != .zero || gain != gainGoal || pole != poleGoal
  }
}
