// Commands.swift: the commands of a looper, and the end of its take. SPDX-License-Identifier: MIT

import ModuleKit

/// The commands, numbered as parameters and as controllers.
enum Command: Int {
  case pedal, record, overdub, play, stop, undo, redo, clear

  static var count: Int { @_noLocks get { 8 } }
}

/// The action after a take.
enum AfterTake {
  case play, overdub, stop
}

extension Looper {
  @_noLocks
  mutating func execute(_ command: Command) {
    switch command {
    case .pedal: pedal()
    case .record:
      if isRecording { endTake(.play) } else { beginTake() }
    case .overdub:
      if isRecording || tape.length == 0 { return isRecording ? endTake(.overdub) : beginTake() }
      wantsOverdub.toggle()
      if wantsOverdub { play() }
    case .play:
      if isRecording { return endTake(.play) }
      wantsOverdub = false
      play()
    case .stop:
      if isRecording { return endTake(.stop) }
      isPlaying = false
      wantsOverdub = false
    case .undo:
      wantsOverdub = false
      // An overdub first fades out as usual.
      if isOverdubbing { wantsUndo = true } else { goBack() }
    case .redo:
      guard !isOverdubbing, tape.redoCount > 0 else { return }
      crossfade()
      _ = tape.redo()
    case .clear: clear()
    }
  }

  /// One pedal for all: a take, the loop, an overdub, the loop, and so on.
  @_noLocks
  mutating func pedal() {
    if isRecording { return endTake(.play) }
    if tape.length == 0 { return beginTake() }
    wantsOverdub = isPlaying && !wantsOverdub
    play()
  }

  @_noLocks
  mutating func play() {
    guard !isPlaying, tape.length > 0 else { return }
    crossfade()
    isPlaying = true
    position = 0
  }

  @_noLocks
  mutating func goBack() {
    guard tape.undoCount > 0 else { return }
    crossfade()
    _ = tape.undo()
  }

  /// Fades out the current sound while the next one plays.
  @_noLocks
  mutating func crossfade() {
    guard entryFade > 0 else { return }
    ghost = tape.audible
    ghostPosition = position
    ghostFade = entryFade
    entryFade = 0
  }

  @_noLocks
  mutating func clear() {
    crossfade()
    tape.clear()
    isRecording = false
    takeEnd = .max
    (seam, seamFrames) = (0, 0)
    isPlaying = false
    position = 0
    wantsOverdub = false
    isOverdubbing = false
    wantsUndo = false
    dub = 0
  }

  // MARK: - The take

  @_noLocks
  mutating func beginTake() {
    clear()
    isRecording = true
    taken = 0
  }

  /// Ends the take, now or as soon as it is long enough.
  @_noLocks
  mutating func endTake(_ next: AfterTake) {
    guard takeEnd == .max else { return }
    afterTake = next
    var end = taken
    if beatFrames > 0 {
      let maximumBeats = max(1, (Double(tape.longest) / beatFrames).rounded(.down))
      let count = min(max(1, (Double(taken) / beatFrames).rounded()), maximumBeats)
      end = Int((count * beatFrames).rounded())
    }
    takeEnd = min(max(end, 2 * fadeFrames), tape.longest)
    if takeEnd <= taken { makeLoop() }
  }

  /// Makes a loop of the take; audio that was recorded after its end is already in the loop, as if it had
  /// been played.
  @_noLocks
  mutating func makeLoop() {
    let length = min(takeEnd, taken)
    tape.endTake(length: length)
    isRecording = false
    takeEnd = .max
    seamFrames = min(fadeFrames, length / 2)
    seam = 0
    while seam < seamFrames, length + seam < taken { join(tape.take(at: length + seam)) }
    isPlaying = afterTake != .stop
    wantsOverdub = afterTake == .overdub
    position = isPlaying ? taken - length : 0
  }

  /// Crossfades the next frame of the seam: from the audio after the end to the beginning.
  @_noLocks
  mutating func join(_ sound: SIMD2<Float>) {
    let fade = Self.shape(Float(seam) / Float(seamFrames))
    tape.write(tape.take(at: seam) * fade + sound * (1 - fade), atTake: seam)
    seam += 1
  }

  /// Returns a fade's gain for its phase, 0 to 1; the gains of both directions add up to 1.
  @_noLocks
  @inline(__always)
  static func shape(_ phase: Float) -> Float { phase * phase * (3 - 2 * phase) }
}
