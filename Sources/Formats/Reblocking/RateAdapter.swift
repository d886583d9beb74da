// RateAdapter.swift: owns the resampling around a node. SPDX-License-Identifier: MIT

package import AdaptiveResampling
import CRealtime
package import PluginModel
import RealtimeKit

/// Runs a node's step at another sample rate than the graph's, and reports the latency.
///
/// The node returns the adapter's `step` and `eventInput` instead of those of the inner step, and adds the
/// adapter's latency. The inner step must outlive the adapter.
package final class RateAdapter {
  /// The rate of the inner step, in Hz.
  package let innerRateHz: Double
  /// The latency of both resamplers, in frames of the graph.
  package let latencyFrames: Int
  /// The graph's rate divided by the inner rate.
  private let framesPerInnerFrame: Double
  private let state: UnsafeMutablePointer<Resampler>

  /// Returns the configuration of the inner step in a graph. [main]
  ///
  /// - Parameters:
  ///   - configuration: the graph's rate and blocks.
  ///   - rateHz: the rate of the inner step, above 0.
  /// - Returns: the inner rate and blocks.
  package static func innerConfiguration(
    _ configuration: NodeConfiguration, rateHz: Double
  ) -> NodeConfiguration {
    var inner = configuration
    let ratio = rateHz / configuration.sampleRateHz
    inner.sampleRateHz = rateHz
    // The position between two frames may round one block up and the next one down.
    inner.maximumFrameCount =
      Int((Double(configuration.maximumFrameCount) * ratio).rounded(.up)) + 1
    inner.hasConstantBlocks = false
    return inner
  }

  /// Creates both resamplers. [main]
  ///
  /// - Parameters:
  ///   - inner: the step, called at `rateHz` with at most the blocks of `innerConfiguration`.
  ///   - rateHz: its rate, above 0.
  ///   - configuration: the graph's rate and longest block.
  /// - Throws: `AdaptiveResamplingError` if libsamplerate rejects the ratio or memory is low.
  package init(
    around inner: BlockAdapter.Inner, rateHz: Double, _ configuration: NodeConfiguration
  ) throws(AdaptiveResamplingError) {
    let ratio = rateHz / configuration.sampleRateHz
    let input = try VariableRatioResampler(
      channelCount: max(1, inner.inputCount), ratio: ratio, lowestRatio: ratio, quality: .medium)
    let output = try VariableRatioResampler(
      channelCount: max(1, inner.outputCount), ratio: 1 / ratio, lowestRatio: 1 / ratio,
      quality: .medium)
    // Both resamplers need look-ahead. The silence at the start is long enough that a block is always complete.
    // Two more frames cover the rounding of both positions.
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

  /// The step for the render sequence. [main; the function itself: render, active]
  package var step: NodeStep { NodeStep(function: resampledStep, context: state) }

  /// The MIDI input; nil if the inner step has none. [main; the function itself: render, active]
  package var eventInput: NodeEventInput? {
    guard state.pointee.eventFunction != nil else { return nil }
    return NodeEventInput(function: takeResampledEvent, context: state)
  }

  /// Converts an inner latency to frames of the graph, rounded. [any]
  package func outerFrames(_ innerFrames: Int) -> Int {
    Int((Double(innerFrames) * framesPerInnerFrame).rounded())
  }

  /// Clears both resamplers and all pending MIDI. [main, not rendering]
  package func reset() { state.pointee.reset() }
}

extension Resampler {
  /// Allocates memory for a step behind an adapter. [main]
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
    // One block of outputs is pending if the inner step has rendered more than one graph block.
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
