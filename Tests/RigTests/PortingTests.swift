// PortingTests.swift: unchanged code of every usual form. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import PluginLoading

@Suite struct PortingTests {
  private static let directory = "Tests/Fixtures/porting"
  private static let frameCount = 12_000

  /// The largest difference between floats and the same arithmetic in doubles.
  private static let tolerance = 5e-5

  private func examine(_ port: PortedCase) throws {
    let workshop = try RigTestEnvironment()
    let library = workshop.library
    let plugin = try library.find(Fixtures.path("\(Self.directory)/\(port.file)"))
    #expect(library.preflightError(of: plugin) == nil)
    #expect(library.note(of: plugin) == nil)
    #expect(plugin.parameters.count == port.values.count)
    #expect(plugin.audioInputs.count == port.channelCount)
    #expect(plugin.audioOutputs.count == port.channelCount)
    let inputs = portingSignal(channelCount: port.channelCount, frameCount: Self.frameCount)
    let whole = try PortedEffect(library, plugin, port.values).render(inputs, block: 256)
    for (output, expected) in zip(whole, port.expected(inputs)) {
      let distance = zip(output, expected).map { abs(Double($0) - $1) }.reduce(0) {
        // NaN counts as the largest error.
        $1 <= $0 ? $0 : $1
      }
      #expect(distance < Self.tolerance)
      #expect(output.allSatisfy { $0.isFinite })
    }
    for block in [1, 37] {
      let effect = try PortedEffect(library, plugin, port.values)
      #expect(effect.render(inputs, block: block) == whole, "in blocks of \(block)")
    }
    // A file with globals supports one instance.
    if port.file != "globals.c" {
      try examineInstances(library, plugin, port, inputs, whole)
    }
    // A class in JUCE's style keeps its current gain: a reset causes no jump.
    if port.file != "juce.cpp" || port.values == [6, 0], port.file != "globals.c" {
      let effect = try PortedEffect(library, plugin, port.values)
      let first = effect.render(inputs, block: 256)
      effect.node.reset()
      #expect(effect.render(inputs, block: 256) == first, "after a reset")
    }
  }

  /// Expects that a second instance with other input does not change the output of the first.
  private func examineInstances(
    _ library: PluginLibrary, _ plugin: PluginDescription, _ port: PortedCase, _ inputs: [[Float]],
    _ alone: [[Float]]
  ) throws {
    let louder = inputs.map { $0.map { -0.5 * $0 } }
    let one = try PortedEffect(library, plugin, port.values)
    let other = try PortedEffect(library, plugin, [])
    var outputs = [[Float]](repeating: [], count: alone.count)
    for start in stride(from: 0, to: Self.frameCount, by: 256) {
      let range = start ..< min(start + 256, Self.frameCount)
      let part = one.render(inputs.map { Array($0[range]) }, block: 256)
      _ = other.render(louder.map { Array($0[range]) }, block: 256)
      for channel in outputs.indices { outputs[channel] += part[channel] }
    }
    #expect(outputs == alone, "beside a second instance")
  }

  @Test(arguments: PortedCase.inC)
  func `a port in C computes its algorithm, with any blocks, instances and resets`(
    port: PortedCase
  ) throws {
    try examine(port)
  }

  @Test(
    .enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"),
    arguments: PortedCase.inCPlusPlus)
  func `a port in C++ computes its algorithm, with any blocks, instances and resets`(
    port: PortedCase
  ) throws {
    try examine(port)
  }

  @Test(
    .enabled(if: RigTestEnvironment.hasProgram("swiftc"), "there is no Swift compiler"),
    arguments: PortedCase.inSwift)
  func `a port in Swift computes its algorithm, with any blocks, instances and resets`(
    port: PortedCase
  ) throws {
    try examine(port)
  }

  @Test func `code that supports one instance is refused a second one`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(Fixtures.path("\(Self.directory)/globals.c"))
    var first: PortedEffect? = try PortedEffect(workshop.library, plugin, [8])
    #expect(throws: (any Error).self) { try PortedEffect(workshop.library, plugin, [8]) }
    #expect(first?.render([[0.5]], block: 1) == [[0.5]])
    first = nil
    #expect(throws: Never.self) { try PortedEffect(workshop.library, plugin, [8]) }
  }

  @Test func `the latency of collecting a frame and that of the algorithm are both reported`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(Fixtures.path("\(Self.directory)/frames.c"))
    #expect(try PortedEffect(workshop.library, plugin, []).node.latencyFrames == 479 + 480)
  }

  @Test(arguments: Fixtures.names(in: "templates"))
  func `a template compiles, is described and plays`(file: String) throws {
    let compiler = file.hasSuffix(".swift") ? "swiftc" : file.hasSuffix(".cpp") ? "c++" : "cc"
    guard RigTestEnvironment.hasProgram(compiler) else { return }
    let workshop = try RigTestEnvironment()
    let path = Fixtures.path("templates/\(file)")
    // The template has a placeholder name.
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("Effect"))
    let plugin = try workshop.library.find(path)
    #expect(workshop.library.preflightError(of: plugin) == nil)
    #expect(workshop.library.note(of: plugin) == nil)
    #expect(plugin.parameters.map(\.symbol) == ["rate", "depth"])
    let ones = [[Float]](
      repeating: [Float](repeating: 1, count: 9600), count: plugin.audioInputs.count)
    let effect = try PortedEffect(workshop.library, plugin, [])
    for output in effect.render(ones, block: 256) {
      // A fifth of a second is one cycle of 5 Hz, 70 % deep.
      #expect(abs((output.min() ?? 0) - 0.3) < 0.001)
      #expect(abs((output.max() ?? 0) - 1) < 0.001)
    }
  }
}
