// MasterFade.swift: fades the outputs in at the start and out at the end. SPDX-License-Identifier:
// MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime
import RealtimeKit
import Synchronization

/// A gain of all outputs that moves linearly between silence and unity.
package struct MasterFade: ~Copyable {
  private var fade: LinearFade
  private let isOpen: Atomic<Bool>
  private let isIdle = Atomic<Bool>(false)

  /// Creates a fade at unity (`isOpen`), or at silence until `open`.
  ///
  /// A whole fade takes `seconds`, above 0. [main]
  package init(isOpen: Bool, seconds: Double, sampleRateHz: Double) {
    fade = LinearFade(at: isOpen ? 1 : 0, seconds: seconds, sampleRateHz: sampleRateHz)
    self.isOpen = Atomic(isOpen)
  }

  /// Starts to fade in. [any]
  package func open() { isOpen.store(true, ordering: .relaxed) }

  /// Starts to fade out. [any]
  package func close() { isOpen.store(false, ordering: .relaxed) }

  /// Whether a fade-out was complete before the last block, so that it was silent. [any]
  package var isSilent: Bool {
    isIdle.load(ordering: .relaxed) && !isOpen.load(ordering: .relaxed)
  }

  /// Applies the gain to a block; at unity the samples are unchanged. [render]
  @_noLocks
  mutating func apply(to outputs: borrowing PlanarBuffer, _ frameCount: Int) {
    let target: Float = isOpen.load(ordering: .relaxed) ? 1 : 0
    isIdle.store(fade.gain == 0 && target == 0, ordering: .relaxed)
    if fade.gain == target {
      if target == 0 { silence(outputs, frameCount) }
      return
    }
    fade.apply(to: outputs.channels, 0 ..< outputs.channelCount, frameCount, towards: target)
  }

  @_noLocks
  private func silence(_ outputs: borrowing PlanarBuffer, _ frameCount: Int) {
    for channel in 0 ..< outputs.channelCount {
      crealtime_zero(outputs[channel], UInt32(truncatingIfNeeded: frameCount))
    }
  }
}
