// RateAdapter.swift: makes and owns what runs a node at another sample rate. SPDX-License-Identifier: MIT

package import AdaptiveResampling
import CRealtime
package import PluginModel
import RealtimeKit

/// Runs a node's step at another sample rate than the graph's, and reports the delay of that.
///
/// A node that owns an adapter returns the adapter's `step` and `eventInput` instead of those of the step
/// inside, and adds the adapter's latency to its latency. The step inside must outlive the adapter.
package final class RateAdapter {
  /// The rate of the step inside, in Hz.
  package let innerRateHz: Double
  /// The delay of both resamplers, in frames of the graph.
  package let latencyFrames: Int
  /// Frames of the graph for each frame of the step inside.
  private let framesPerInnerFrame: Double
  private let state: UnsafeMutablePointer<Resampler>

  /// How the step inside is called in a graph that `configuration` describes. [main]
  ///
  /// - Parameters:
  ///   - configuration: the graph's rate and blocks.
  ///   - rateHz: the rate of the step inside, above 0.
  /// - Returns: the rate and blocks inside.
  package static func innerConfiguration(
    _ configuration: NodeConfiguration, rateHz: Double
  ) -> NodeConfiguration {
    var inner = configuration
    let ratio = rateHz / configuration.sampleRateHz
    inner.sampleRateHz = rateHz
    // The position between two frames rounds one block up and the next one down.
    inner.maximumFrameCount =
      Int((Double(configuration.maximumFrameCount) * ratio).rounded(.up)) + 1
    inner.hasConstantBlocks = false
    return inner
  }

  /// Makes both resamplers. [main]
  ///
  /// - Parameters:
  ///   - inner: the step that is called at `rateHz`, with at most the blocks of `innerConfiguration`.
  ///   - rateHz: its rate, above 0.
  ///   - configuration: the graph's rate and longest block.
  /// - Throws: `AdaptiveResamplingError` if libsamplerate refuses the ratio, or memory is short.
  package init(
    around inner: BlockAdapter.Inner, rateHz: Double, _ configuration: NodeConfiguration
  ) throws(AdaptiveResamplingError) {
    let ratio = rateHz / configuration.sampleRateHz
    let input = try VariableRatioResampler(
      channelCount: max(1, inner.inputCount), ratio: ratio, lowestRatio: ratio, quality: .medium)
    let output = try VariableRatioResampler(
      channelCount: max(1, inner.outputCount), ratio: 1 / ratio, lowestRatio: 1 / ratio,
      quality: .medium)
    // Both resamplers are without phase shift, but each must look ahead. So many frames of silence come
    // first that a block is always complete; two more cover the rounding of both positions.
    let lookAhead = Double(input.lookAheadFrames) + Double(output.lookAheadFrames) / ratio
    let latency = Int(lookAhead.rounded(.up)) + 2
    let longest = Self.innerConfiguration(configuration, rateHz: rateHz).maximumFrameCount
    innerRateHz = rateHz
    framesPerInnerFrame = 1 / ratio
    latencyFrames = latency
    state = .allocate(capacity: 1)
    state.initialize(
      to: Resampler(
        inner, input, output, ratio: ratio, outerFrames: configuration.maximumFrameCount,
        innerFrames: longest, latencyFrames: latency))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// What the program calls. [main; the function itself: render, active]
  package var step: NodeStep { NodeStep(function: resampledStep, context: state) }

  /// Where MIDI goes; nil if the step inside takes none. [main; the function itself: render, active]
  package var eventInput: NodeEventInput? {
    guard state.pointee.eventFunction != nil else { return nil }
    return NodeEventInput(function: takeResampledEvent, context: state)
  }

  /// Converts a delay inside to frames of the graph, rounded to the nearest. [any]
  package func outerFrames(_ innerFrames: Int) -> Int {
    Int((Double(innerFrames) * framesPerInnerFrame).rounded())
  }

  /// Clears both resamplers and all waiting MIDI. [main, not rendering]
  package func reset() { state.pointee.reset() }
}

extension Resampler {
  /// Memory for a step behind an adapter. [main]
  init(
    _ inner: BlockAdapter.Inner, _ input: consuming VariableRatioResampler,
    _ output: consuming VariableRatioResampler, ratio: Double, outerFrames: Int, innerFrames: Int,
    latencyFrames: Int
  ) {
    self.ratio = ratio
    self.outerFrames = outerFrames
    self.innerFrames = innerFrames
    self.latencyFrames = latencyFrames
    inputCount = inner.inputCount
    outputCount = inner.outputCount
    inputConverter = input
    outputConverter = output
    let rowCount = inputCount + outputCount
    block = PlanarBuffer(channelCount: rowCount, frameCapacity: innerFrames)
    // A block of outputs is waiting where the step inside ran for more than one block of the graph.
    waitingCapacity = latencyFrames + 2 * outerFrames
    inputs = PlanarBuffer(channelCount: 1, frameCapacity: max(1, inputCount) * outerFrames)
    innerInputs = PlanarBuffer(channelCount: 1, frameCapacity: max(1, inputCount) * innerFrames)
    innerOutputs = PlanarBuffer(channelCount: 1, frameCapacity: max(1, outputCount) * innerFrames)
    waiting = PlanarBuffer(
      channelCount: 1, frameCapacity: max(1, outputCount) * waitingCapacity)
    waitingFrames = latencyFrames
    step = .allocate(capacity: 1)
    step.initialize(
      to: crealtime_step(
        function: inner.step.function, context: inner.step.context,
        buffers: UnsafePointer(block.channels)))
    eventFunction = inner.eventInput?.function
    eventContext = inner.eventInput?.context
    arrivals = MessageRing(capacityBytes: eventFunction == nil ? 64 : Reblocker.eventCapacityBytes)
    eventBytes = .allocate(byteCount: arrivals.maximumByteCount, alignment: 16)
  }

  /// See `RateAdapter.reset`. [main, not rendering]
  mutating func reset() {
    inputConverter.reset()
    outputConverter.reset()
    waiting[0].update(repeating: 0, count: max(1, outputCount) * waitingCapacity)
    waitingFrames = latencyFrames
    taken = 0
    given = 0
    while arrivals.nextTime() != nil { _ = arrivals.take(into: eventBytes) }
  }
}
