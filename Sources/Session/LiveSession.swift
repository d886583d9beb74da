// LiveSession.swift: one rig, running on a sound card. SPDX-License-Identifier: MIT

package import AudioDriver
package import Builtins
import Foundation
import PluginModel
import RealtimeKit
import RenderGraph
package import Rig

/// A rig between devices: opened, started, watched, faded out and closed.
package final class LiveSession {
  /// How it goes, as shown ten times a second.
  package struct Report: Sendable {
    /// Sample peaks of the inputs since the last report, linear.
    package var inputPeaks: [Float]
    /// Sample peaks of the outputs since the last report, linear.
    package var outputPeaks: [Float]
    /// Share of the period that the rendering took since the last report, and the worst of it.
    package var meanLoad: Double
    /// The worst block since the last report.
    package var worstLoad: Double
    /// Xruns, losses, failure.
    package var driver: DriverStatus
    /// What analysers in the rig have heard.
    package var analyses: [(name: String, report: AnalyserReport)]
  }

  /// What was negotiated with the devices.
  package var stream: StreamDescription { driver.stream }
  /// Xruns, losses and failures so far.
  package var status: DriverStatus { driver.status }
  /// Frames by which plugins delay the sound.
  package let latencyFrames: Int
  /// What is worth knowing before it starts, one sentence each.
  package let notes: [String]

  /// What pulls the blocks.
  package let driver: any Driver
  private let engine: Engine
  private let members: [BuiltRig.Member]

  /// Opens the driver for a prepared rig, makes its nodes and compiles them; no sound flows yet. [main]
  ///
  /// - Parameters:
  ///   - rig: prepared, so that its plugins are known and its mistakes have been told.
  ///   - library: makes the nodes.
  ///   - openDriver: opens the devices that the rig and the user ask for.
  /// - Throws: what the driver, the plan for the channels that were got, or a plugin has against it.
  package init(
    _ rig: PreparedRig, _ library: PluginLibrary, openDriver: (StreamRequest) throws -> any Driver
  ) throws {
    driver = try openDriver(rig.streamRequest)
    let stream = driver.stream
    let plan = try rig.plan(for: stream)
    let configuration = NodeConfiguration(
      sampleRateHz: stream.sampleRateHz, maximumFrameCount: stream.periodFrames)
    let built = try RigBuilder.build(plan, configuration, makeNode: library.makeNode)
    engine = Engine(
      Engine.Settings(
        inputChannelCount: plan.inputChannelCount, outputChannelCount: plan.outputChannelCount,
        maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
        startsFadedOut: true))
    let compiled = try GraphCompiler.compile(built.graph, for: engine)
    engine.install(compiled)
    latencyFrames = compiled.latencyFrames
    members = built.members
    notes = plan.notes + stream.notes
  }

  /// Starts the devices and fades in. [main]
  package func start() throws {
    engine.pointer.pointee.fade.open()
    try driver.start(engine)
  }

  /// What happened since the last report. [main]
  package func report() -> Report {
    let load = engine.pointer.pointee.load.take()
    return Report(
      inputPeaks: (0 ..< engine.settings.inputChannelCount).map {
        engine.pointer.pointee.inputMeter.take($0)
      },
      outputPeaks: (0 ..< engine.settings.outputChannelCount).map {
        engine.pointer.pointee.outputMeter.take($0)
      },
      meanLoad: load.mean, worstLoad: load.worst, driver: driver.status, analyses: analyses())
  }

  /// Fades out, waits until silence has been played, and closes. [main]
  package func stop() {
    engine.pointer.pointee.fade.close()
    let buffered = Double(stream.output?.bufferFrames ?? 0) / stream.sampleRateHz
    let period = Double(stream.periodFrames) / stream.sampleRateHz
    // The fade, the period under way, and what the device still holds; a dead device is not waited for.
    let patience = Date().addingTimeInterval(Engine.fadeSeconds + 2 * period + buffered + 0.5)
    while driver.status.isRunning, !engine.pointer.pointee.fade.isSilent, Date() < patience {
      Thread.sleep(forTimeInterval: 0.002)
    }
    if driver.status.isRunning { Thread.sleep(forTimeInterval: buffered) }
    driver.stop()
    for member in members {
      for node in member.nodes { node.deactivate() }
    }
  }

  private func analyses() -> [(name: String, report: AnalyserReport)] {
    members.flatMap { member in
      member.nodes.compactMap { node in
        (node as? Analyser).map { (member.name, $0.takeReport()) }
      }
    }
  }
}
