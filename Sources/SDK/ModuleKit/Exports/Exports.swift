// Exports.swift: the C functions of a module that is one struct. SPDX-License-Identifier: MIT
//
// Compiled with each module, not with the kit. `Exported` is the module's struct.

import ModuleKit

/// Returns the struct behind a state.
@_noLocks
private func module(_ state: UnsafeRawPointer) -> UnsafePointer<Exported> {
  state.assumingMemoryBound(to: Exported.self)
}

/// Returns the struct behind a state, mutable.
@_noLocks
private func module(_ state: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Exported> {
  state.assumingMemoryBound(to: Exported.self)
}

// MARK: - Life

/// Creates an instance; nil if the rate is outside 1 kHz to 1 MHz or the struct's `init` fails. [main]
@c(create)
public func create(_ sampleRateHz: Double, _ maximumFrameCount: UInt32) -> UnsafeMutableRawPointer?
{
  InstanceAllocation.make(sampleRateHz: sampleRateHz) {
    Exported(sampleRateHz: $0, maximumFrameCount: Int(maximumFrameCount))
  }
}

/// Destroys an instance. [main]
@c(destroy)
public func destroy(_ state: UnsafeMutableRawPointer) {
  module(state).pointee.free()
  module(state).deinitialize(count: 1)
  module(state).deallocate()
}

/// Loads one of the manifest's `files`; returns 0 on success. [main]
@c(load_file)
public func load(
  _ state: UnsafeMutableRawPointer, _ file: UInt32,
  _ channels: UnsafePointer<UnsafePointer<Float>>, _ channelCount: UInt32, _ frameCount: UInt32
) -> CInt {
  let sound = AudioFile(channels: channels, channelCount: channelCount, frameCount: frameCount)
  return module(state).pointee.load(Int(file), sound) ? 0 : 1
}

/// Returns the latency in frames. [main]
@c(latency)
public func latency(_ state: UnsafeRawPointer) -> UInt32 {
  UInt32(module(state).pointee.latencyFrames)
}

// MARK: - Sound

/// Clears the signal state. [render]
@_noLocks
@c(reset)
public func reset(_ state: UnsafeMutableRawPointer) { module(state).pointee.reset() }

/// Renders one block. [render]
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

/// Receives a MIDI message for the next block. [render]
@_noLocks
@c(midi)
public func midi(
  _ state: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  module(state).pointee.midi(frame: Int(frame), bytes, byteCount: Int(byteCount))
}

/// Writes the values of the manifest's `readouts`. [render]
@_noLocks
@c(readouts)
public func readouts(_ state: UnsafeRawPointer, _ values: UnsafeMutablePointer<Float>) {
  module(state).pointee.readouts(values)
}
