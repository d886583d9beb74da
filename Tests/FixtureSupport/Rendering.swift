// Rendering.swift: a node's step called block by block. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel

/// Renders the given number of frames of a node, in blocks with the lengths `blocks`, which
/// repeat.
///
/// Inputs and outputs are separate buffers unless `inPlace`. Each call of the step is between the
/// brackets of the render path, so that the same tests work under the real-time sanitizer. Outputs
/// are filled with NaN before each block, so that unwritten frames are visible. `beforeBlock` is
/// called with the number of frames rendered so far.
package func render(
  _ node: any Node, _ input: [[Float]] = [], frames: Int, blocks: [Int], inPlace: Bool = false,
  beforeBlock: (Int) -> Void = { _ in }
) -> [[Float]] {
  let longest = blocks.max() ?? 1
  let (inputCount, outputCount) = (node.audioInputCount, node.audioOutputCount)
  let memory = UnsafeMutablePointer<Float>.allocate(
    capacity: max(1, (inputCount + outputCount) * longest))
  let channels = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(
    capacity: max(1, inputCount + outputCount))
  defer {
    memory.deallocate()
    channels.deallocate()
  }
  for channel in 0 ..< inputCount + outputCount {
    let row = inPlace && channel >= inputCount ? channel - inputCount : channel
    (channels + channel).initialize(to: memory + row * longest)
  }
  let step = node.step
  var output = [[Float]](repeating: [], count: outputCount)
  var done = 0
  var turn = 0
  while done < frames {
    let count = min(blocks[turn % blocks.count], frames - done)
    turn += 1
    beforeBlock(done)
    for channel in 0 ..< inputCount + outputCount {
      channels[channel].update(repeating: .nan, count: count)
    }
    for channel in 0 ..< inputCount {
      for frame in 0 ..< count { channels[channel][frame] = input[channel][done + frame] }
    }
    crealtime_enter()
    step.function(step.context, channels, UInt32(count))
    crealtime_exit()
    for channel in 0 ..< outputCount {
      output[channel] += UnsafeBufferPointer(start: channels[inputCount + channel], count: count)
    }
    done += count
  }
  return output
}

/// Pseudo-random numbers from -1 to 1, the same in each run.
package struct Noise {
  private var state: UInt64

  /// Each seed has a different sequence.
  package init(seed: UInt64 = 1) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  /// The next number (Marsaglia's xorshift).
  package mutating func next() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(Int32(truncatingIfNeeded: state >> 32)) / 2_147_483_648
  }

  /// Returns the next `count` numbers.
  package mutating func take(_ count: Int) -> [Float] { (0 ..< count).map { _ in next() } }
}
