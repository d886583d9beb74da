// SwiftExports.swift: the C functions of a Swift module that is one struct. SPDX-License-Identifier: MIT

import Foundation

/// What is compiled with a source that has a struct in the place of the contract's functions.
struct SwiftExports: Equatable {
  /// The struct.
  let module: String

  /// The struct that is an `AudioModule`, where nothing is exported otherwise; nil if there is none.
  init?(_ files: [SourceText]) {
    // `@c` marks what exports itself.
    guard !files.contains(where: { Self.exports($0.tokens) }) else { return nil }
    for file in files {
      for place in file.tokens.indices.dropLast(3) where file.tokens[place] == "struct" {
        let head = file.tokens[(place + 2)...].prefix { $0 != "{" }
        guard head.first == ":", head.contains("AudioModule") else { continue }
        module = file.tokens[place + 1]
        return
      }
    }
    return nil
  }

  private static func exports(_ tokens: [String]) -> Bool {
    zip(tokens, tokens.dropFirst()).contains { $0 == "@" && ($1 == "c" || $1 == "_cdecl") }
  }

  /// A source file with the functions.
  var text: String {
    """
    import ModuleKit

    @c public func create(_ rate: Double, _ longest: UInt32) -> UnsafeMutableRawPointer? {
      guard let module = \(module)(sampleRateHz: rate, maximumFrameCount: Int(longest)) else {
        return nil
      }
      let state = UnsafeMutablePointer<\(module)>.allocate(capacity: 1)
      state.initialize(to: module)
      return UnsafeMutableRawPointer(state)
    }
    @c public func destroy(_ state: UnsafeMutableRawPointer) {
      let module = state.assumingMemoryBound(to: \(module).self)
      module.deinitialize(count: 1)
      module.deallocate()
    }
    @_noLocks @c public func reset(_ state: UnsafeMutableRawPointer) {
      state.assumingMemoryBound(to: \(module).self).pointee.reset()
    }
    @_noLocks @c public func process(
      _ state: UnsafeMutableRawPointer, _ inputs: UnsafePointer<UnsafePointer<Float>>,
      _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
      _ frameCount: UInt32
    ) {
      state.assumingMemoryBound(to: \(module).self).pointee.process(
        AudioBlock(
          inputs: inputs, outputs: outputs, parameters: parameters, frameCount: frameCount))
    }
    @_noLocks @c public func midi(
      _ state: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
      _ count: UInt32
    ) {
      state.assumingMemoryBound(to: \(module).self).pointee.midi(
        frame: Int(frame), bytes, byteCount: Int(count))
    }
    @c public func latency(_ state: UnsafeRawPointer) -> UInt32 {
      UInt32(state.assumingMemoryBound(to: \(module).self).pointee.latencyFrames)
    }
    @c public func load(
      _ state: UnsafeMutableRawPointer, _ file: UInt32,
      _ channels: UnsafePointer<UnsafePointer<Float>>, _ channelCount: UInt32, _ frameCount: UInt32
    ) -> CInt {
      let sound = SoundFile(
        channels: channels, channelCount: channelCount, frameCount: frameCount)
      return state.assumingMemoryBound(to: \(module).self).pointee.load(Int(file), sound) ? 0 : 1
    }
    @_noLocks @c public func readouts(
      _ state: UnsafeRawPointer, _ values: UnsafeMutablePointer<Float>
    ) {
      state.assumingMemoryBound(to: \(module).self).pointee.readouts(values)
    }
    """
  }
}
