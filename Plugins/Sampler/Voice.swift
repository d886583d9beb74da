// Voice.swift: a voice that plays the recording for one key. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// Frames from one setting of pitches to the next.
let stretch = 16

/// The values that all voices share, for one stretch.
struct Patch {
  var region = Region()
  var start = 0.0  // frames
  var envelope: EnvelopeSettings
  let recording: Recording
  let kernel: Kernel
  /// The change of gain per frame of a stolen note's fade-out.
  let ghostStep: Float
}

/// A playhead under an envelope.
struct Voice: SynthVoice {
  var note = NoteID()
  /// Whether keys that go up do not end it.
  var isOneShot = false
  /// Whether its pan position must be set before its next frame.
  private(set) var isNew = false
  private var envelope = Envelope()
  private var level: Float = 0
  private var playhead: Playhead?
  private var region = Region()
  private var gains = SIMD2<Float>(1, 1)
  // The playback before a jump, which fades out to avoid a click.
  private var ghost: Playhead?
  private var ghostRegion = Region()
  private var ghostGains = SIMD2<Float>.zero
  private var ghostRest: Float = 0  // of its time, 1 to 0
  private var isFadingIn = false  // as the ghost fades out

  @_noLocks
  init(index: Int, of count: Int) {}

  /// The position, in frames of the recording.
  @_noLocks
  func position() -> Double { playhead?.position ?? 0 }

  @_noLocks
  func isReleased() -> Bool { envelope.isReleased }

  @_noLocks
  func loudness() -> Double { envelope.level }

  @_noLocks
  mutating func begin(_ stroke: NoteOn) { begin(level: stroke.level) }

  /// Starts a note, at a level from 0 to 1; a playing note fades out.
  @_noLocks
  mutating func begin(level: Float) {
    if !note.isFree, !isNew { leaveGhost() }
    isFadingIn = false
    isNew = true
    self.level = level
    envelope.clear()
    envelope.begin()
  }

  @_noLocks
  mutating func noteOff() { if !isOneShot { envelope.noteOff() } }

  @_noLocks
  mutating func end() { envelope.noteOff() }

  @_noLocks
  private mutating func leaveGhost() {
    ghost = playhead
    ghostRegion = region
    ghostGains = gains * (Float(envelope.level) * level)
    ghostRest = 1
  }

  /// Sets pitch and pan position for the next stretch. [render]
  ///
  /// - Parameters:
  ///   - patch: the values that all voices share.
  ///   - octaves: the pitch above that of the recording.
  ///   - side: the pan position, -1, left, to 1, right, which is used at the start of a note.
  @_noLocks
  mutating func prepare(_ patch: Patch, octaves: Double, side: Float) {
    var head = playhead ?? Playhead(patch.recording, patch.kernel)
    if isNew {
      head.jump(to: patch.start)
      region = patch.region
      gains = SIMD2(1 - max(side, 0), 1 + min(side, 0))
    } else if region != patch.region, ghostRest == 0 {
      // One after the other: a loop whose ends are dragged is followed as fast as it can be faded.
      leaveGhost()
      isFadingIn = true
      region = patch.region
      if head.isBeyond(region) { head.jump(to: region.start) }
    }
    isNew = false
    head.setSpeed(octaves: octaves, patch.recording, patch.kernel)
    playhead = head
  }

  /// Becomes free when it is inaudible. [render]
  @_noLocks
  mutating func rest() {
    guard !isNew, ghostRest == 0 else { return }
    let isSilent = envelope.level == 0 && isReleased()
    if isSilent || playhead?.isOver(region) ?? true { note.isFree = true }
  }

  /// Adds some frames of one stretch. [render]
  @_noLocks
  mutating func render(
    _ patch: Patch, to sum: UnsafeMutablePointer<Partials>, frameCount: Int
  ) {
    guard var head = playhead else { return }
    var envelope = self.envelope
    let (gains, region, settings) = (self.gains * level, self.region, patch.envelope)
    var rest = isFadingIn ? ghostRest : 0
    for frame in 0 ..< frameCount {
      var amplitude = Float(envelope.next(settings))
      if rest > 0 {
        rest = max(rest - patch.ghostStep, 0)
        amplitude *= 1 - Self.smooth(rest)
      }
      head.add(region, gains * amplitude, to: sum + frame)
    }
    self.envelope = envelope
    playhead = head
    if ghostRest > 0 { renderGhost(patch, to: sum, frameCount: frameCount) }
  }

  /// Returns a smooth step from 0 to 1.
  @_noLocks
  @inline(__always)
  private static func smooth(_ fraction: Float) -> Float {
    fraction * fraction * (3 - 2 * fraction)
  }

  @_noLocks
  private mutating func renderGhost(
    _ patch: Patch, to sum: UnsafeMutablePointer<Partials>, frameCount: Int
  ) {
    guard var head = ghost else { return }
    for frame in 0 ..< frameCount {
      ghostRest = max(ghostRest - patch.ghostStep, 0)
      head.add(ghostRegion, ghostGains * Self.smooth(ghostRest), to: sum + frame)
    }
    ghost = head
  }
}
