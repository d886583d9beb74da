// SilentInputTests.swift: the input if nothing is recorded. SPDX-License-Identifier: MIT
//
// alsa-lib's `null` does not write to the memory that a reader gets. Each test has a separate process, in which
// new memory is filled with a pattern.

import AudioDriver
import Foundation
import Glibc
import RealtimeKit
import RenderGraph
import Synchronization
import Testing

@testable import ALSADriver

/// Makes malloc fill new memory with a pattern: M_PERTURB of malloc.h, which Glibc does not import.
private func fillFreshMemory() throws {
  typealias Mallopt = @convention(c) (CInt, CInt) -> CInt
  let mallopt = unsafeBitCast(try #require(dlsym(nil, "mallopt")), to: Mallopt.self)
  try #require(mallopt(-6, 0x55) == 1)
}

/// Runs the capture of a device for some frames, and returns its frames in the last block.
private func lastBlock(
  of device: String, accesses: [AccessMode] = AccessMode.allCases, frames: UInt64 = 4_096
) throws -> [[Float]] {
  try fillFreshMemory()
  var request = StreamRequest()
  request.inputDevice = device
  request.format = "S32"
  let driver = try ALSADriver(request: request, accesses: accesses)
  let stream = driver.stream
  let engine = Engine(
    Engine.Settings(
      inputChannelCount: stream.input?.channelCount ?? 0, outputChannelCount: 0,
      maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
      startsFadedOut: false))
  let renderer = engine.renderer
  let inputs = renderer.callback.inputs
  for channel in 0 ..< inputs.channelCount {
    inputs[channel].update(repeating: 0.25, count: stream.periodFrames)
  }
  try driver.start(renderer)
  while engine.pointer.pointee.frameCount.load(ordering: .relaxed) < frames { usleep(1_000) }
  driver.stop()
  return (0 ..< inputs.channelCount).map { channel in
    Array(UnsafeBufferPointer(start: inputs[channel], count: stream.periodFrames))
  }
}

@Suite struct SilentInputTests {
  @Test(arguments: [
    "null", "plug:{SLAVE null}", "plug:null", "file:/dev/null,raw",
  ])
  func `a device that records nothing delivers silence`(device: String) async {
    await #expect(processExitsWith: .success) { [device] in
      let block = try lastBlock(of: device)
      #expect(block.count == 2 && block.allSatisfy { $0.allSatisfy { $0 == 0 } })
    }
  }

  @Test(arguments: AccessMode.allCases.map(\.rawValue))
  func `null is silent in every access mode`(access: String) async {
    await #expect(processExitsWith: .success) { [access] in
      let block = try lastBlock(of: "null", accesses: [#require(AccessMode(rawValue: access))])
      #expect(block.count == 2 && block.allSatisfy { $0.allSatisfy { $0 == 0 } })
    }
  }

  @Test(arguments: [UInt64(4_096), 30_000])
  func `a file in place of a microphone is the input, followed by silence`(frames: UInt64) async {
    await #expect(processExitsWith: .success) { [frames] in
      let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      let sound = [Int32](repeating: 1 << 30, count: 2 * 20_000)
      try sound.withUnsafeBytes { Data($0) }.write(to: directory.appending(path: "sound.raw"))
      let configuration = directory.appending(path: "asound.conf")
      try Data(
        """
        pcm.void { type null }
        pcm.tape { type file slave.pcm void file /dev/null infile "\(directory.path)/sound.raw" format raw }
        """.utf8
      ).write(to: configuration)
      setenv("ALSA_CONFIG_PATH", configuration.path, 1)
      let expected: Float = frames < 20_000 ? 0.5 : 0
      let block = try lastBlock(of: "tape", frames: frames)
      #expect(block.count == 2 && block.allSatisfy { $0.allSatisfy { $0 == expected } })
    }
  }
}
