// EventNode.swift: a node that records and passes its MIDI, for tests of graphs. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel
package import RealtimeKit

/// Records every message with its frame in the stream, and sends it to its output.
package final class EventNode: Node {
  /// A message and the frame of the stream at which it arrived.
  package struct Arrival: Equatable, CustomStringConvertible {
    package var frame: UInt64
    package var bytes: [UInt8]

    package init(_ frame: UInt64, _ bytes: [UInt8]) {
      self.frame = frame
      self.bytes = bytes
    }

    package var description: String { "\(frame): \(bytes)" }
  }

  package let audioInputCount: Int
  package let audioOutputCount = 1
  package let latencyFrames: Int
  package let canRunInPlace = false
  package fileprivate(set) var arrivals: [Arrival] = []
  fileprivate var position: UInt64 = 0
  fileprivate var waiting: [(UInt32, [UInt8])] = []
  private let queue: UnsafeMutablePointer<EventQueue>
  private let takes: Bool
  private let sends: Bool

  /// Creates a node with these inputs and outputs; its latency is only reported. [main]
  package init(takes: Bool = true, sends: Bool = true, audioInputs: Int = 0, latency: Int = 0) {
    (self.takes, self.sends, audioInputCount, latencyFrames) = (takes, sends, audioInputs, latency)
    queue = .allocate(capacity: 1)
    queue.initialize(to: EventQueue(capacity: 64, capacityBytes: 256))
  }

  deinit {
    queue.deinitialize(count: 1)
    queue.deallocate()
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  package var step: NodeStep { NodeStep(function: eventNodeStep, context: context) }
  package var eventInput: NodeEventInput? {
    takes ? NodeEventInput(function: eventNodeEvent, context: context) : nil
  }
  package var eventOutput: UnsafeMutablePointer<EventQueue>? { sends ? queue : nil }
  package var parameterInput: NodeParameterInput? {
    NodeParameterInput(function: eventNodeParameter, context: context)
  }
  package func setParameter(_ index: Int, to value: Float) {}
  package func parameter(_ index: Int) -> Float { 0 }
  package func activate() throws {}
  package func deactivate() {}
  package func reset() {}

  fileprivate func render(_ frameCount: UInt32) {
    queue.pointee.clear()
    for (frame, bytes) in waiting {
      queue.pointee.add(frame: frame, bytes, bytes.count)
    }
    waiting = []
    position += UInt64(frameCount)
  }
}

@c(test_event_node_event)
private func eventNodeEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let node = Unmanaged<EventNode>.fromOpaque(context).takeUnretainedValue()
  let message = Array(UnsafeBufferPointer(start: bytes, count: Int(byteCount)))
  node.arrivals.append(EventNode.Arrival(node.position + UInt64(frame), message))
  node.waiting.append((frame, message))
}

@c(test_event_node_step)
private func eventNodeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let node = Unmanaged<EventNode>.fromOpaque(context).takeUnretainedValue()
  node.render(frameCount)
}

@c(test_event_node_parameter)
private func eventNodeParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isJump: Bool
) {}
