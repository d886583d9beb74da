// MemoryProbe.swift: detects reads of uninitialised memory. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc
package import PluginModel

/// Runs a plugin several times from the same process state, with different contents of unwritten memory.
///
/// Each run is in a copy of this process with the same addresses, variables and inputs. If the output differs,
/// the plugin has read uninitialised memory. Use it in a helper process with one thread that was started with
/// `cachesSmallMemory` off.
package struct MemoryProbe {
  /// Loads the plugin's code and returns a function that creates instances.
  package typealias Loader = () throws -> () throws -> any Node

  /// A location of unwritten memory.
  package enum Region: CaseIterable, Sendable {
    /// Allocated memory.
    case heap
    /// Local variables.
    case stack
    /// The output buffers.
    case outputs
  }

  /// A read of uninitialised memory.
  package struct UninitialisedRead: Sendable, Equatable {
    /// The locations; at least one.
    package var regions: [Region]
    /// Whether the plugin crashed if the memory was not zero.
    package var crashes: Bool
  }

  let load: Loader
  let frameCount: Int
  let limitSeconds: Double
  let sendHeartbeat: () -> Void

  /// Creates a probe of a plugin. [main]
  ///
  /// - Parameters:
  ///   - frameCount: the block length in frames.
  ///   - limitSeconds: the timeout of a run.
  ///   - sendHeartbeat: called a few times a second during a run.
  ///   - load: loads the plugin's code.
  package init(
    frameCount: Int, limitSeconds: Double, sendHeartbeat: @escaping () -> Void,
    load: @escaping Loader
  ) {
    self.load = load
    self.frameCount = frameCount
    self.limitSeconds = limitSeconds
    self.sendHeartbeat = sendHeartbeat
  }

  // MARK: - Reads of uninitialised memory

  /// Byte patterns.
  ///
  /// As samples, one is far too large and one is normal. As counts or indices, both are too large.
  private static let fillBytes: [UInt8] = [0x7f, 0xc3]
  private static let minimumFrameCount = 8_192
  private static let minimumBlockCount = 4

  /// The content of unwritten memory.
  private struct Fill {
    var heap: UInt8
    var stack: UInt8
    var outputs: UInt8

    /// The bytes as one number.
    var request: UInt32 { UInt32(heap) | UInt32(stack) << 8 | UInt32(outputs) << 16 }

    init(heap: UInt8 = 0, stack: UInt8 = 0, outputs: UInt8 = 0) {
      (self.heap, self.stack, self.outputs) = (heap, stack, outputs)
    }

    init(_ request: UInt32) {
      self.init(
        heap: UInt8(truncatingIfNeeded: request), stack: UInt8(truncatingIfNeeded: request >> 8),
        outputs: UInt8(truncatingIfNeeded: request >> 16))
    }

    static func everywhere(_ byte: UInt8) -> Fill { Fill(heap: byte, stack: byte, outputs: byte) }

    static func only(_ region: Region, _ byte: UInt8) -> Fill {
      switch region {
      case .heap: Fill(heap: byte)
      case .stack: Fill(stack: byte)
      case .outputs: Fill(outputs: byte)
      }
    }
  }

  /// Returns the reads of uninitialised memory; nil if there are none, or if the output is different each time
  /// anyway. [main]
  package func uninitialisedRead() -> UninitialisedRead? {
    let server = ForkServer(limitSeconds: limitSeconds, sendHeartbeat: sendHeartbeat) { request in
      try digest(Fill(request))
    }
    guard let server else { return nil }
    func render(_ fill: Fill) -> ForkedRun.End { server.end(of: fill.request) }
    let plain = render(Fill())
    guard case .answered = plain else { return nil }
    for fillByte in Self.fillBytes {
      let filled = render(.everywhere(fillByte))
      guard filled != plain else { continue }
      // A context switch can change which registers a call leaves on the stack, so one different run proves nothing.
      let regions = Region.allCases.filter { region in
        (0 ..< 2).allSatisfy { _ in render(.only(region, fillByte)) != plain }
      }
      // Random or time-dependent output differs between equal runs.
      let equalCount = (0 ..< 3).count { _ in render(Fill()) == plain }
      guard !regions.isEmpty, equalCount >= 2 else { return nil }
      return UninitialisedRead(regions: regions, crashes: filled.isCrash)
    }
    return nil
  }

  /// Returns the checksum of a run's output.
  private func digest(_ fill: Fill) throws -> UInt64 {
    cprocess_fill_heap(fill.heap)
    cprocess_fill_stack(fill.stack)
    let node = try load()()
    cprocess_fill_stack(fill.stack)
    try node.activate()
    let digest = Self.digest(of: node, frameCount, fill)
    cprocess_fill_stack(fill.stack)
    node.deactivate()
    return digest
  }

  private static func digest(of node: any Node, _ frameCount: Int, _ fill: Fill) -> UInt64 {
    let rows = Rows(node, frameCount)
    var digest = Checksum()
    digest.add(UInt64(node.latencyFrames))
    rows.press(node)
    for block in 0 ..< max(minimumBlockCount, minimumFrameCount / frameCount) {
      rows.fill(block, outputs: fill.outputs)
      rows.render(node, frameCount, stack: fill.stack)
      rows.addOutputs(to: &digest)
    }
    return digest.value
  }
}

/// The buffers of a probed node.
@safe struct Rows {
  private let samples: [UnsafeMutablePointer<Float>]
  private let inputCount: Int
  private let outputCount: Int
  private let frameCount: Int

  /// Allocates the buffers.
  init(_ node: any Node, _ frameCount: Int) {
    inputCount = node.audioInputCount
    outputCount = node.audioOutputCount
    self.frameCount = frameCount
    // A node without channels must also receive a valid address.
    unsafe samples = (0 ..< max(1, inputCount + outputCount)).map { _ in
      let row = UnsafeMutablePointer<Float>.allocate(capacity: frameCount)
      unsafe row.initialize(repeating: 0, count: frameCount)
      return unsafe row
    }
  }

  /// Fills the inputs with quiet noise, the same in each run, and the outputs with one byte.
  func fill(_ block: Int, outputs byte: UInt8) {
    for index in unsafe samples.indices {
      let row = unsafe samples[index]
      guard index < inputCount else {
        unsafe memset(row, Int32(byte), frameCount * MemoryLayout<Float>.stride)
        continue
      }
      for frame in 0 ..< frameCount {
        let position = block * frameCount + frame
        unsafe row[frame] = Float((position &* 7_919 &+ index &* 104_729) % 2_001 - 1_000) * 1e-4
      }
    }
  }

  /// Sends a note-on if the plugin accepts MIDI.
  func press(_ node: any Node) {
    guard let input = node.eventInput else { return }
    let bytes: [UInt8] = [0x90, 60, 100]
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe input.function(input.context, 0, base, UInt32(buffer.count))
    }
  }

  /// Renders a block on a stack that is filled with one byte.
  func render(_ node: any Node, _ frameCount: Int, stack byte: UInt8 = 0) {
    let step = node.step
    unsafe samples.withUnsafeBufferPointer { pointers in
      guard let base = pointers.baseAddress else { return }
      unsafe cprocess_render_on_filled_stack(
        byte, step.function, step.context, base, UInt32(frameCount))
    }
  }

  /// Frees the buffers.
  func free() { unsafe samples.forEach { unsafe $0.deallocate() } }

  /// Adds the samples of all outputs to the checksum.
  func addOutputs(to digest: inout Checksum) {
    for output in 0 ..< outputCount {
      let row = unsafe samples[inputCount + output]
      for frame in 0 ..< frameCount { unsafe digest.add(UInt64(row[frame].bitPattern)) }
    }
  }
}
