// Engine+Renderer.swift: the engine as a driver calls it. SPDX-License-Identifier: MIT

import CRealtime
package import RealtimeKit

extension Engine {
  /// The engine for a driver, which does not know the graph: a render callback, its channel buffers
  /// and its format.
  ///
  /// The value keeps the engine alive. `latencyFrames` is the latency of the render sequence that
  /// is installed now. [main]
  package var renderer: Renderer {
    let function = crealtime_render_callback(function: renderEngine, context: pointer)
    return Renderer(
      RenderCallback(
        function, inputs: ChannelBuffers(pointer.pointee.inputs),
        outputs: ChannelBuffers(pointer.pointee.outputs)),
      format: RenderFormat(
        inputChannelCount: settings.inputChannelCount,
        outputChannelCount: settings.outputChannelCount,
        maximumFrameCount: settings.maximumFrameCount, sampleRateHz: settings.sampleRateHz),
      latencyFrames: latencyFrames, owner: self)
  }
}

/// The engine's render callback; `context` is a `RenderEngine`. [render]
@_noLocks
nonisolated private func renderEngine(
  _ context: UnsafeMutableRawPointer, _ frameCount: UInt32, _ started: UInt64
) {
  renderBlock(
    context.assumingMemoryBound(to: RenderEngine.self), Int(frameCount), startedAt: started)
}
