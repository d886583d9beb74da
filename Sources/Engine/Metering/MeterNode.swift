// MeterNode.swift: a node that measures its inputs. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel
import RealtimeKit

/// Passes each bit on, and measures it on another thread.
package final class MeterNode: ParameterlessNode {
  package let audioInputCount: Int
  package var audioOutputCount: Int { audioInputCount }
  package let latencyFrames = 0
  package let canRunInPlace = true
  /// The meter. [main]
  package let meter: SignalMeter
  private let state: UnsafeMutablePointer<MeterState>

  /// A meter that is not measured yet. [main]
  package init(_ request: MeterSettings, _ configuration: NodeConfiguration) {
    audioInputCount = request.channelCount
    meter = SignalMeter(
      channelCount: request.channelCount, sampleRateHz: configuration.sampleRateHz,
      maximumFrameCount: configuration.maximumFrameCount, log: request.log)
    state = .allocate(capacity: 1)
    state.initialize(
      to: MeterState(
        ring: meter.ring, channelCount: request.channelCount, waits: configuration.isOffline))
  }

  deinit {
    meter.stop()
    state.deallocate()
  }

  package var step: NodeStep {
    NodeStep(function: meterStep, context: UnsafeMutableRawPointer(state))
  }

  /// The meter. [main]
  package var capabilities: NodeCapabilities {
    var capabilities = NodeCapabilities()
    capabilities[SignalMeter.self] = meter
    return capabilities
  }

  /// Starts the measurement. [main, inactive]
  ///
  /// - Throws: `LevelLogError` if the level log cannot be created.
  package func activate() throws { try meter.start() }

  /// Measures the remaining frames. [main, not rendering]
  package func deactivate() { meter.stop() }

  /// Has no effect: measured values remain. [main]
  package func reset() {}
}

/// A meter as its step sees it.
struct MeterState: BitwiseCopyable {
  let ring: UnsafeMutablePointer<FrameRing>
  let channelCount: Int
  /// Whether no device clocks the graph, so that the step may wait for space in the ring.
  let waits: Bool
}

/// Copies the inputs to the ring and to the outputs. [render]
///
/// Real-time code: nothing here allocates, frees, locks, throws or logs.
@_noLocks @c(outboard_meter_step)
func meterStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: MeterState.self)
  let ring = state.pointee.ring
  if state.pointee.waits {
    while !ring.pointee.hasRoom(for: Int(frameCount)) {
      crealtime_sleep_for(1_000_000)
    }
  }
  _ = ring.pointee.write(buffers, frameCount: Int(frameCount))
  let count = state.pointee.channelCount
  for channel in 0 ..< count where buffers[channel] != buffers[count &+ channel] {
    UnsafeMutableRawPointer(buffers[count &+ channel]).copyMemory(
      from: UnsafeRawPointer(buffers[channel]), byteCount: Int(frameCount) &* 4)
  }
}
