// Exports.swift: the functions of the contract, for a module that is one struct. SPDX-License-Identifier: MIT
//
// Compiled with each such module, not with the kit: `Exported` is the module's struct.

import ModuleKit

/// The struct behind a state.
@_noLocks
private func module(_ state: UnsafeRawPointer) -> UnsafePointer<Exported> {
  state.assumingMemoryBound(to: Exported.self)
}

/// The struct behind a state, to be changed.
@_noLocks
private func module(_ state: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Exported> {
  state.assumingMemoryBound(to: Exported.self)
}

// MARK: - Life

/// Makes one instance; nil at a rate outside 1 kHz to 1 MHz, and where the struct says so. [main]
@c(create)
public func create(_ sampleRateHz: Double, _ maximumFrameCount: UInt32) -> UnsafeMutableRawPointer?
{
  InstanceAllocation.make(sampleRateHz: sampleRateHz) {
    Exported(sampleRateHz: $0, maximumFrameCount: Int(maximumFrameCount))
  }
}

/// Frees what `create` made. [main]
@c(destroy)
public func destroy(_ state: UnsafeMutableRawPointer) {
  module(state).pointee.free()
  module(state).deinitialize(count: 1)
  module(state).deallocate()
}

/// Takes one of the manifest's `files`; 0: taken. [main]
@c(load)
public func load(
  _ state: UnsafeMutableRawPointer, _ file: UInt32,
  _ channels: UnsafePointer<UnsafePointer<Float>>, _ channelCount: UInt32, _ frameCount: UInt32
) -> CInt {
  let sound = AudioFile(channels: channels, channelCount: channelCount, frameCount: frameCount)
  return module(state).pointee.load(Int(file), sound) ? 0 : 1
}

/// Frames from input to output. [main]
@c(latency)
public func latency(_ state: UnsafeRawPointer) -> UInt32 {
  UInt32(module(state).pointee.latencyFrames)
}

// MARK: - Sound

/// Back to silence. [render]
@_noLocks
@c(reset)
public func reset(_ state: UnsafeMutableRawPointer) { module(state).pointee.reset() }

/// Renders one block; parameters in the order of the manifest. [render]
@_noLocks
@c(process)
public func process(
  _ state: UnsafeMutableRawPointer, _ inputs: UnsafePointer<UnsafePointer<Float>>,
  _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
  _ frameCount: UInt32
) {
  module(state).pointee.process(
    AudioBlock(inputs: inputs, outputs: outputs, parameters: parameters, frameCount: frameCount))
}

/// Takes a MIDI message for the next block. [render]
@_noLocks
@c(midi)
public func midi(
  _ state: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  module(state).pointee.midi(frame: Int(frame), bytes, byteCount: Int(byteCount))
}

/// Writes a value for each of the manifest's `readouts`. [render]
@_noLocks
@c(readouts)
public func readouts(_ state: UnsafeRawPointer, _ values: UnsafeMutablePointer<Float>) {
  module(state).pointee.readouts(values)
}
