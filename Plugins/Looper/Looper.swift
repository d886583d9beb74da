// Looper.swift: records a loop, plays it repeatedly, and overdubs it. SPDX-License-Identifier: MIT
//
// The first take sets the length of the loop. Audio after its end is crossfaded with its beginning, so that
// the seam sounds continuous. Each overdub is added to a separate version of the loop (LoopBuffer.swift), so
// that it can be undone exactly. Commands are triggers, and controllers of a foot switch.

import ModuleABI
import ModuleKit

typealias Exported = Looper

// MARK: - Constants

private let smoothingSeconds: Float = 0.02
/// The longest take, if there is enough memory.
private let longestSeconds = 120.0
/// 128 MiB: at 96 kHz 87 s.
private let maximumLoopFrames = 1 << 24
/// The level that means silence.
private let silentDecibels: Float = -60

// MARK: - Parameters, in the manifest's order, after the commands

private enum Parameter {
  static let feedback = 8, level = 9, dry = 10, fade = 11, beats = 12, tempo = 13
  static let controller = 14, channel = 15
}

// MARK: - State

/// The state of an instance.
struct Looper: AudioModule {
  // Parameters as last set.
  var feedback: Smoother  // ratio
  var level: Smoother  // ratio
  var dry: Smoother  // ratio
  var fadeFrames = 1
  var beatFrames = 0.0  // frames that a loop is a multiple of; 0: any
  var firstController = 0
  var channel = 0  // 1 to 16; 0: any
  var pressed: UInt32 = 0  // commands whose parameters are on, a bit each
  var heldTriggers: UInt32 = 0  // and whose controllers are
  // Running state: the take.
  var tape: LoopBuffer
  var isRecording = false
  var taken = 0  // frames
  var takeEnd = Int.max  // frames, once it is known
  var afterTake = AfterTake.play
  var seam = 0  // frames of the seam that have been crossfaded
  var seamFrames = 0
  // The loop that is playing.
  var isPlaying = false
  var position = 0  // frames
  var entryFade: Float = 0  // 0 to 1: faded in
  // Overdubbing.
  var wantsOverdub = false
  var isOverdubbing = false
  var wantsUndo = false
  var dub: Float = 0  // 0 to 1: faded in
  // The sound that is fading out.
  var ghost = Layer()
  var ghostPosition = 0
  var ghostFade: Float = 0
  var messages: MIDIQueue
  var needsReset = true
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let smoother = Smoother(
      0, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    feedback = smoother
    level = smoother
    dry = smoother
    tape = LoopBuffer(capacity: min(maximumLoopFrames, Int(2 * longestSeconds * sampleRateHz)))
    messages = MIDIQueue()
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Looper {
  /// Frees the memory. [main]
  func free() {
    tape.free()
    messages.free()
  }

  /// Clears the signal state and the loop. [render]
  @_noLocks
  mutating func reset() {
    clear()
    ghostFade = 0
    pressed = 0
    heldTriggers = 0
    messages.clear()
    needsReset = true
  }

  /// Keeps a message until its frame. [render]
  @_noLocks
  mutating func midi(frame: Int, _ bytes: UnsafePointer<UInt8>, byteCount: Int) {
    messages.take(frame: frame, bytes, byteCount: byteCount)
  }

  /// State, position, length, overdubs that can be taken back, and brought back. [render]
  @_noLocks
  func readouts(_ values: UnsafeMutablePointer<Float>) {
    let isEmpty = tape.length == 0
    values[0] =
      isRecording ? 2 : isEmpty ? 0 : !isPlaying ? 1 : wantsOverdub ? 4 : 3
    values[1] = Float(Double(isRecording ? taken : position) / sampleRateHz)
    values[2] = Float(Double(tape.length) / sampleRateHz)
    values[3] = Float(tape.undoCount)
    values[4] = Float(tape.redoCount)
  }
}

// MARK: - Rendering

extension Looper {
  /// Sets the targets of all ramps, and executes commands that were triggered since the last block.
  @_noLocks
  private mutating func prepare(_ parameters: UnsafePointer<Float>) {
    feedback.move(to: parameters[Parameter.feedback] * 0.01)
    level.move(to: Self.gain(parameters[Parameter.level]))
    dry.move(to: Self.gain(parameters[Parameter.dry]))
    fadeFrames = max(1, Int(Double(parameters[Parameter.fade]) * 0.001 * sampleRateHz))
    let beats = Double(parameters[Parameter.beats])
    beatFrames = beats * 60 / Double(max(parameters[Parameter.tempo], 1)) * sampleRateHz
    firstController = Int(parameters[Parameter.controller])
    channel = Int(parameters[Parameter.channel])
    if needsReset {
      needsReset = false
      feedback.finish()
      level.finish()
      dry.finish()
    }
    for number in 0 ..< Command.count {
      let bit: UInt32 = 1 << UInt32(number)
      let isOn = parameters[number] >= 0.5
      if isOn, pressed & bit == 0, let command = Command(rawValue: number) { execute(command) }
      pressed = isOn ? pressed | bit : pressed & ~bit
    }
  }

  @_noLocks
  private static func gain(_ decibels: Float) -> Float {
    decibels <= silentDecibels ? 0 : Decibels.amplitude(decibels)
  }

  /// Executes the command of a foot switch whose controller value rises.
  @_noLocks
  private mutating func take(_ message: MIDIMessage) {
    let number = Int(message.first) - firstController
    guard message.status & 0xf0 == 0xb0, 0 ..< Command.count ~= number,
      channel == 0 || Int(message.status & 0x0f) == channel - 1
    else { return }
    let bit: UInt32 = 1 << UInt32(number)
    let isDown = message.second >= 64
    if isDown, heldTriggers & bit == 0, let command = Command(rawValue: number) { execute(command) }
    heldTriggers = isDown ? heldTriggers | bit : heldTriggers & ~bit
  }

  /// Returns the loop's next frame, and overdubs the input if requested.
  @_noLocks
  @inline(__always)
  private mutating func turn(_ input: SIMD2<Float>, step: Float) -> SIMD2<Float> {
    guard isPlaying || entryFade > 0 || isOverdubbing else {
      position = 0
      if seam < seamFrames { join(input) } else { tape.fill() }
      return .zero
    }
    // On its first playback, the original take is faded in.
    let sound = tape.read(tape.audible, position) * Self.shape(entryFade)
    if seam < seamFrames { join(input) } else { tape.fill() }
    if wantsOverdub, !isOverdubbing { isOverdubbing = tape.beginVersion(at: position) }
    let kept = feedback.next()
    if isOverdubbing {
      let level = Self.shape(dub)
      let old = tape.read(tape.audible, position)
      tape.overdub(old * (1 - (1 - kept) * level) + input * level, at: position)
      dub = wantsOverdub ? min(1, dub + step) : max(0, dub - step)
      if dub == 0, !wantsOverdub { isOverdubbing = false }
    }
    entryFade = isPlaying ? min(1, entryFade + step) : max(0, entryFade - step)
    position = position + 1 < tape.length ? position + 1 : 0
    if wantsUndo, !isOverdubbing {
      wantsUndo = false
      goBack()
    }
    return sound
  }

  /// Returns the next frame of the sound that is fading out.
  @_noLocks
  @inline(__always)
  private mutating func fadeGhost(step: Float) -> SIMD2<Float> {
    let sound = tape.read(ghost, ghostPosition) * Self.shape(ghostFade)
    ghostFade = max(0, ghostFade - step)
    ghostPosition = ghostPosition + 1 < ghost.length ? ghostPosition + 1 : 0
    return sound
  }

  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(block.parameters)
    let stereo = block.stereo
    let step = 1 / Float(fadeFrames)
    for frame in 0 ..< block.frameCount {
      while let message = messages.pop(upTo: frame) { take(message) }
      let input = stereo.input(at: frame)
      var wet = SIMD2<Float>.zero
      if ghostFade > 0 { wet = fadeGhost(step: step) }
      if isRecording {
        tape.write(input, atTake: taken)
        taken += 1
        if taken == tape.longest, takeEnd == .max {
          afterTake = .play
          takeEnd = taken
        }
        if taken >= takeEnd { makeLoop() }
      } else if tape.length > 0 {
        wet += turn(input, step: step)
      }
      let (through, loud) = (dry.next(), level.next())
      let passed = through == 1 ? input : through == 0 ? .zero : input * through
      stereo.output(passed + wet * loud, at: frame)
    }
    messages.clear()
  }
}
