// Renderer.swift: the interface between a driver and an engine. SPDX-License-Identifier: MIT

package import CRealtime

/// The format of the blocks that a renderer takes, fixed for its life.
package struct RenderFormat: Sendable, Equatable {
  /// Channels that the driver captures, at least 0.
  package let inputChannelCount: Int
  /// Channels that the driver plays, at least 0.
  package let outputChannelCount: Int
  /// The longest block, in frames, at least 1.
  package let maximumFrameCount: Int
  /// Frames a second, above 0.
  package let sampleRateHz: Double

  /// A format. [any]
  package init(
    inputChannelCount: Int, outputChannelCount: Int, maximumFrameCount: Int, sampleRateHz: Double
  ) {
    self.inputChannelCount = inputChannelCount
    self.outputChannelCount = outputChannelCount
    self.maximumFrameCount = maximumFrameCount
    self.sampleRateHz = sampleRateHz
  }
}

/// A C function with its context, and the channel buffers that it reads and writes.
///
/// The driver writes captured frames to `inputs`, calls the function, and plays `outputs`. The buffers keep their
/// addresses, so a driver can bind its conversions to them before it starts, and no block passes pointers or copies
/// samples. The audio thread keeps a copy of this value; the `Renderer` keeps what it points to alive.
package struct RenderCallback: BitwiseCopyable {
  /// The function and its context: for `crealtime_render`.
  package let function: crealtime_render_callback
  /// The captured audio; the render function reads it.
  package let inputs: ChannelBuffers
  /// The audio to play; the render function writes it.
  package let outputs: ChannelBuffers

  /// A function that renders from `inputs` to `outputs`. [any]
  package init(
    _ function: crealtime_render_callback, inputs: ChannelBuffers, outputs: ChannelBuffers
  ) {
    self.function = function
    self.inputs = inputs
    self.outputs = outputs
  }

  /// Renders one block of 1 to the format's maximum of frames, at the present time.
  ///
  /// A driver that has already read the clock calls `crealtime_render` with `function` instead: the time determines the frame of MIDI in
  /// the block. [render]
  @_noLocks
  package func render(_ frameCount: Int) {
    crealtime_render(function, UInt32(truncatingIfNeeded: frameCount), crealtime_nanoseconds())
  }
}

/// The renderer that a driver is started with.
package struct Renderer {
  /// The callback for the audio thread.
  package let callback: RenderCallback
  /// The blocks that it takes.
  package let format: RenderFormat
  /// The latency of the rendered audio when the driver starts, in frames.
  package let latencyFrames: Int
  /// Keeps the callback's context and buffers alive.
  private let owner: AnyObject

  /// A callback, which is valid as long as `owner` lives. [main]
  package init(
    _ callback: RenderCallback, format: RenderFormat, latencyFrames: Int = 0, owner: AnyObject
  ) {
    self.callback = callback
    self.format = format
    self.latencyFrames = latencyFrames
    self.owner = owner
  }

  /// Returns the renderer with another callback, which calls the original one and is valid while
  /// the driver runs. [main]
  package func wrapped(by callback: RenderCallback) -> Renderer {
    Renderer(callback, format: format, latencyFrames: latencyFrames, owner: owner)
  }
}
