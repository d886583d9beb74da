// Player.swift: a node that is called as a host would call it. SPDX-License-Identifier: MIT

import PluginModel

/// Buffers for one node, and the calls into it.
final class Player {
  private let node: any Node
  private let buffers: [UnsafeMutablePointer<Float>]
  private static let capacity = 8192

  init(_ node: any Node) {
    self.node = node
    buffers = (0 ..< node.audioInputCount + node.audioOutputCount).map { _ in
      let buffer = UnsafeMutablePointer<Float>.allocate(capacity: Self.capacity)
      buffer.initialize(repeating: 0, count: Self.capacity)
      return buffer
    }
  }

  deinit { buffers.forEach { $0.deallocate() } }

  /// Runs one block of a signal given by channel and frame.
  ///
  /// Returns the outputs.
  func play(_ frameCount: Int, _ input: (_ channel: Int, _ frame: Int) -> Float) -> [[Float]] {
    for channel in 0 ..< node.audioInputCount {
      for frame in 0 ..< frameCount { buffers[channel][frame] = input(channel, frame) }
    }
    let step = node.step
    step.function(step.context, buffers, UInt32(frameCount))
    return buffers.dropFirst(node.audioInputCount).map {
      Array(UnsafeBufferPointer(start: $0, count: frameCount))
    }
  }
}
