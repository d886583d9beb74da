// SourceManifestTests.swift: manifests of a source, and facts found in its code. SPDX-License-Identifier: MIT

import Foundation
import ModuleBuild
import PluginCatalogue
import PluginModel
import RigTestSupport
import Testing

@testable import Manifests
@testable import PluginLoading
@testable import RigPlanning

@Suite struct SourceManifestTests {
  @Test func `a rig in place of the manifest is recognised`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write("void process(void) {}", as: "x.c")
    try workshop.write("outboard: 1\nconnections: []\n", as: "x.yaml")
    #expect {
      try workshop.library.find(path)
    } throws: {
      "\($0)"
        == "\(workshop.path)/x.yaml:1: this is a rig, but its name is that of the manifest of"
        + " \(path). Rename one of them."
    }
  }

  @Test(arguments: [
    "// outboard: inputs: 1\n// outboard: outputs: 1\n",
    "// outboard: inputs: 1\n/* outboard:\n * outputs: 1 */\n",
  ])
  func `a second manifest comment is an error`(comments: String) throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(comments + "void process(void) {}", as: "x.c")
    #expect {
      try workshop.library.find(path)
    } throws: {
      "\($0)"
        == "\(path):2: this is a second manifest comment. Move its keys to the first one, as in"
        + " `// outboard: inputs: 1, outputs: 2`."
    }
  }

  @Test func `parameters and channels are read from the code`() throws {
    let workshop = try RigTestEnvironment()
    let source = """
      enum { LEVEL };
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++) out[0][i] = p[LEVEL] * in[0][i];
      }
      """
    let path = try workshop.write(source, as: "level.c")
    let plugin = try workshop.library.find(path)
    #expect(plugin.audioInputs.count == 1 && plugin.audioOutputs.count == 1)
    #expect(plugin.parameters.map(\.symbol) == ["level"])
    #expect(try output(of: plugin, workshop.library) == [0.5])
    #expect(
      workshop.library.note(of: plugin)
        == "\(path) has 1 input, 1 output and the parameter level from 0 to 1, inferred from its"
        + " code. To change this, add a comment such as `// outboard: inputs: 1, outputs: 2`.")
  }

  @Test(
    arguments: [
      "// outboard: inputs: 2, outputs: 1, parameters: [{symbol: drive, name: Drive, minimum: 1, default: 3, maximum: 9}]",
      """
      // outboard:
      //   inputs: 2
      //   outputs: 1
      //   parameters:
      //     - {symbol: drive, name: Drive, minimum: 1, default: 3, maximum: 9}
      """,
      """
      /* outboard:
       * inputs: 2
       * outputs: 1
       * parameters:
       * - symbol: drive
       *   name: Drive
       *   minimum: 1
       *   default: 3
       *   maximum: 9
       */
      """,
    ])
  func `a comment in the source describes it`(comment: String) throws {
    let workshop = try RigTestEnvironment()
    let source = """
      \(comment)
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++) out[0][i] = p[0] * (in[0][i] + in[1][i]);
      }
      """
    let plugin = try workshop.library.find(workshop.write(source, as: "drive.c"))
    #expect(plugin.name == "drive")
    #expect(plugin.parameters.map(\.defaultValue) == [3])
    #expect(try output(of: plugin, workshop.library) == [6])
    #expect(workshop.library.note(of: plugin) == nil)
  }

  @Test func `an error in the comment is reported with its line in the source`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write("int x;\n// outboard: inputs: 1, outpust: 2\n" + half, as: "a.c")
    let error = #expect(throws: ManifestError.self) { try workshop.library.find(path) }
    #expect(error?.description == "\(path):2: outpust: unknown key. Did you mean \"outputs\"?")
  }

  @Test func `messages about the library name the source`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write("void proces(void) {}", as: "a.c")
    let plugin = try workshop.library.find(path)
    #expect(
      workshop.library.preflightError(of: plugin)
        == "\(path): the library does not export the required function `process`."
        + " Run `outboard help porting` to adapt other code.")
    #expect(throws: PluginLibraryError.self) {
      try workshop.library.makeNode(
        plugin, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 8))
    }
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("swiftc"), "there is no Swift compiler"))
  func `a Swift file can use the kit`() throws {
    let workshop = try RigTestEnvironment()
    let source = """
      import ModuleKit
      // outboard: inputs: 1, outputs: 1
      @_noLocks @c(process)
      public func process(
        _ state: UnsafeMutableRawPointer?, _ inputs: UnsafePointer<UnsafePointer<Float>>,
        _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>?,
        _ frameCount: UInt32
      ) {
        let gain = Decibels.amplitude(20)
        for frame in 0 ..< Int(frameCount) { outputs[0][frame] = inputs[0][frame] * gain }
      }
      """
    let plugin = try workshop.library.find(workshop.write(source, as: "ten.swift"))
    #expect(abs(try output(of: plugin, workshop.library)[0] - 10) < 1e-3)
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("swiftc"), "there is no Swift compiler"))
  func `one Swift struct is a module`() throws {
    let workshop = try RigTestEnvironment()
    let source = """
      import ModuleKit

      // outboard: inputs: 1, outputs: 1, parameters: [{symbol: gain, name: Gain, minimum: 0, default: 3, maximum: 4}]
      struct Level: AudioModule {
        init?(sampleRateHz: Double, maximumFrameCount: Int) {}

        @_noLocks mutating func process(_ block: AudioBlock) {
          for i in 0 ..< block.frameCount {
            block.outputs[0][i] = block.inputs[0][i] * block.parameters[0]
          }
        }
      }
      """
    let plugin = try workshop.library.find(workshop.write(source, as: "level.swift"))
    #expect(try output(of: plugin, workshop.library) == [3])
  }

  @Test
  func `code that supports one instance is refused a second one, and runs once on two channels`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let source = """
      // outboard: id: my.filter, inputs: 1, outputs: 1, single_instance: true
      static float last;
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++) out[0][i] = last += 0.1f * (in[0][i] - last);
      }
      """
    let path = try workshop.write(source, as: "filter.c")
    let once = try workshop.rig(
      "input: default\noutput: default\nnodes: {a: {plugin: \(path)}}\nconnections: [in -> a -> out]\n"
    )
    let plan = try RigPlan(
      once, plugins: workshop.library.find(nodesOf: once), inputChannelCount: 2,
      outputChannelCount: 2)
    #expect(plan.nodes[0].instanceCount == 1)
    let twice = try workshop.rig(
      "input: default\noutput: default\nnodes: {a: {plugin: \(path)}, b: {plugin: \(path)}}\n"
        + "connections: [in -> a -> b -> out]\n")
    let error = #expect(throws: ManifestError.self) {
      try RigPlan(
        twice, plugins: workshop.library.find(nodesOf: twice), inputChannelCount: 2,
        outputChannelCount: 2)
    }
    #expect(
      error?.description.hasSuffix(
        "filter allows only one instance, and it is already used as a.")
        == true)
  }
}
