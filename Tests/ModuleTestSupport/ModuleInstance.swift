// ModuleInstance.swift: one instance of a module, arrays in, arrays out. SPDX-License-Identifier: MIT

import Foundation

/// An instance of a module, rendered in blocks of any length.
///
/// The buffers of every block are surrounded by guard words; `violations` lists the violations of
/// the contract.
package final class ModuleInstance {
  /// A value that a parameter has from a frame on.
  package struct Change {
    let frame: Int
    let symbol: String
    let value: Float

    /// - Parameters:
    ///   - frame: counted from the start of the call to `render`.
    ///   - symbol: the parameter's.
    ///   - value: in the parameter's unit.
    package init(at frame: Int, _ symbol: String, _ value: Float) {
      self.frame = frame
      self.symbol = symbol
      self.value = value
    }
  }

  /// A MIDI message that takes effect at a frame.
  package struct Message {
    let frame: Int
    let bytes: [UInt8]

    /// - Parameters:
    ///   - frame: counted from the start of the call to `render`.
    ///   - bytes: a whole message.
    package init(at frame: Int, _ bytes: [UInt8]) {
      self.frame = frame
      self.bytes = bytes
    }
  }

  /// The module's library.
  package let library: ModuleLibrary
  /// Frames for each second.
  package let sampleRateHz: Double
  /// Violations of the contract so far, one message each.
  package private(set) var violations: [String] = []

  private let maximumFrameCount: Int
  private let isInPlace: Bool
  private let state: UnsafeMutableRawPointer?
  private var parameters: [Float]

  /// Creates an instance with every parameter at its default, except for the given ones.
  ///
  /// With `inPlace`, inputs and outputs share memory.
  package init(
    _ library: ModuleLibrary, _ values: [(String, Float)] = [], sampleRateHz: Double = 48_000,
    maximumFrameCount: Int = 1_024, isInPlace: Bool = false
  ) throws {
    self.library = library
    self.sampleRateHz = sampleRateHz
    self.maximumFrameCount = maximumFrameCount
    self.isInPlace = isInPlace
    parameters = library.manifest.parameters.map(\.initial)
    state = library.create?(sampleRateHz, UInt32(maximumFrameCount))
    if library.create != nil, state == nil {
      throw ModuleTestError.creationFailed(library: library.name, sampleRateHz: sampleRateHz)
    }
    for (symbol, value) in values { try set(symbol, value) }
  }

  deinit { library.destroy?(state) }

  /// The delay that the module declares, in frames.
  package var latencyFrames: Int { Int(library.latency?(state) ?? 0) }

  /// Resets the instance to silence.
  package func reset() { library.reset?(state) }

  /// Passes a file to the module, at this instance's rate, before the first block; returns whether it was accepted.
  package func load(_ channels: [[Float]], file: Int = 0) -> Bool {
    let rows = channels.map { channel in
      let row = UnsafeMutablePointer<Float>.allocate(capacity: max(1, channel.count))
      row.initialize(from: channel, count: channel.count)
      return UnsafePointer(row)
    }
    defer { rows.forEach { $0.deallocate() } }
    let frameCount = channels.map(\.count).min() ?? 0
    return library.load?(state, UInt32(file), rows, UInt32(rows.count), UInt32(frameCount)) == 0
  }

  /// Returns the readouts after the last block.
  ///
  /// - Parameter count: the number of values that the module writes; more is a violation of the
  ///   contract.
  ///
  /// - Returns: the values, in the manifest's order.
  package func readouts(_ count: Int) -> [Float] {
    var values = [Float](repeating: .nan, count: count + 1)
    library.readouts?(state, &values)
    if !values[count].isNaN { violations.append("More than \(count) readouts were written.") }
    return Array(values.prefix(count))
  }

  /// Sets a parameter from the next block on; a value out of range is clamped, as by a host.
  package func set(_ symbol: String, _ value: Float) throws {
    let declared = library.manifest.parameters
    guard let index = declared.firstIndex(where: { $0.symbol == symbol }) else {
      throw ModuleTestError.unknownParameter(
        library: library.name, symbol: symbol, known: declared.map(\.symbol))
    }
    parameters[index] = min(max(value, declared[index].minimum), declared[index].maximum)
  }

  /// Renders whole signals.
  ///
  /// - Parameters:
  ///   - inputs: one array for each audio input, all equally long; if the module has more inputs,
  ///     the arrays are repeated in turn; an empty array of inputs is silence.
  ///   - frameCount: the number of frames to render; by default the length of the input. After
  ///     the input's end there is silence.
  ///   - blocks: lengths in frames, which repeat. A block also ends
  ///     at the frame of a change.
  ///   - changes: in ascending order of their frames.
  ///   - messages: in the same order; a module without MIDI does not receive them.
  /// - Returns: one array for each audio output.
  /// - Throws: `ModuleTestError` if a change names an unknown parameter.
  package func render(
    _ inputs: [[Float]] = [], frameCount: Int? = nil, blocks: [Int] = [64], changes: [Change] = [],
    messages: [Message] = []
  ) throws -> [[Float]] {
    let total = frameCount ?? inputs.first?.count ?? 0
    var outputs = [[Float]](repeating: [], count: library.manifest.outputCount)
    for channel in outputs.indices { outputs[channel].reserveCapacity(total) }
    var position = 0
    var turn = 0
    var pending = changes[...]
    while position < total {
      while let change = pending.first, change.frame <= position {
        try set(change.symbol, change.value)
        pending.removeFirst()
      }
      let end = min(total, pending.first?.frame ?? total)
      let length = min(blocks[turn % blocks.count], end - position, maximumFrameCount)
      for message in messages where (position ..< position + length).contains(message.frame) {
        library.midi?(
          state, UInt32(message.frame - position), message.bytes, UInt32(message.bytes.count))
      }
      renderBlock(inputs, from: position, frameCount: length, into: &outputs)
      position += length
      turn += 1
    }
    return outputs
  }

  // MARK: - One block

  // A NaN with a payload that no arithmetic produces: samples that still have it were not written.
  private static let guardWord: UInt32 = 0x7FC0_BEEF
  private static let guardCount = 16

  private func renderBlock(
    _ inputs: [[Float]], from position: Int, frameCount: Int, into outputs: inout [[Float]]
  ) {
    let length = frameCount + 2 * Self.guardCount
    let ins = (0 ..< library.manifest.inputCount).map { channel in
      guarded(inputs.isEmpty ? [] : inputs[channel % inputs.count], from: position, frameCount)
    }
    let outs = outputs.map { _ in guarded(nil, from: 0, frameCount) }
    defer { (ins + outs).forEach { $0.deallocate() } }
    let before = ins.map { Array(UnsafeRawBufferPointer(start: $0, count: length * 4)) }

    if isInPlace {
      for (memory, input) in zip(outs, ins) { memory.update(from: input, count: length) }
    }
    // A side chain after the channels that are written to keeps separate memory.
    let readable = (isInPlace ? outs + ins.dropFirst(outs.count) : ins).map {
      UnsafePointer($0 + Self.guardCount)
    }
    let writable = outs.map { $0 + Self.guardCount }
    library.process(state, readable, writable, parameters, UInt32(frameCount))

    for (channel, memory) in ins.enumerated()
    where Array(UnsafeRawBufferPointer(start: memory, count: length * 4)) != before[channel] {
      violations.append("Input \(channel) was written to in a block of \(frameCount) frames.")
    }
    for (channel, memory) in outs.enumerated() {
      check(memory, channel, frameCount)
      outputs[channel].append(
        contentsOf: UnsafeBufferPointer(start: memory + Self.guardCount, count: frameCount))
    }
  }

  private func guarded(
    _ source: [Float]?, from position: Int, _ frameCount: Int
  ) -> UnsafeMutablePointer<Float> {
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: frameCount + 2 * Self.guardCount)
    for index in 0 ..< frameCount + 2 * Self.guardCount {
      memory[index] = Float(bitPattern: Self.guardWord)
    }
    guard let source else { return memory }
    for index in 0 ..< frameCount {
      let frame = position + index
      memory[Self.guardCount + index] = frame < source.count ? source[frame] : 0
    }
    return memory
  }

  private func check(_ memory: UnsafeMutablePointer<Float>, _ channel: Int, _ frameCount: Int) {
    for index in 0 ..< frameCount + 2 * Self.guardCount {
      let isUntouched = memory[index].bitPattern == Self.guardWord
      let frame = index - Self.guardCount
      if (0 ..< frameCount).contains(frame) == isUntouched {
        violations.append(
          "Output \(channel), frame \(frame) of a block of \(frameCount) was "
            + (isUntouched ? "not written." : "written beyond the block."))
        return
      }
    }
  }
}
