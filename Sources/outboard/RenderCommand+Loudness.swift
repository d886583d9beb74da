// RenderCommand+Loudness.swift: `outboard render --loudness`. SPDX-License-Identifier: MIT

import AudioFiles
import Console
import InstalledFormats
import Metering
import PluginLoading
import Session

extension RenderCommand {
  /// Returns what sets files to the requested loudness; nil if none is requested.
  func loudnessRendering(
    _ prepared: PreparedRig?, _ library: PluginLibrary, _ interruption: TerminationSignals
  ) -> LoudnessRendering? {
    loudnessArguments.target.map { target in
      LoudnessRendering(
        target: target, rig: prepared, library: library, request: { request(for: $0) },
        shouldContinue: { !interruption.isRaised })
    }
  }

  /// Rejects options that need a plugin or a rig.
  func checkOptionsWithoutPlugin() throws {
    guard !rigArguments.isGiven else { return }
    let options: [(String, Bool)] = [
      ("--midi", midi != nil), ("--tail", tail != nil), ("--duration", duration != nil),
      ("--rate", rate != nil), ("--block-length", blockLength != nil), ("--scene", scene != nil),
    ]
    guard let option = options.first(where: \.1)?.0 else { return }
    throw UsageError("\(option) needs a plugin or a rig. Name one, or remove \(option).")
  }

  /// Renders the files of a plan in this process, and sets all of them together to a loudness.
  func renderAsAlbum(_ plan: RenderJobs, _ interruption: TerminationSignals) throws {
    let picture = try plot.map { try PlotFile($0, force) }
    let library = PluginLibrary()
    let prepared = try rigArguments.isGiven ? prepare(library) : nil
    if let prepared { try rigArguments.check(prepared, library) }
    guard let rendering = loudnessRendering(prepared, library, interruption) else { return }
    interruption.begin()
    let isNew = plan.createDirectory()
    defer { if isNew { plan.removeEmptyDirectory() } }
    let album = try LoudnessAlbum(rendering, plan.jobs)
    if let picture,
      let sound = try FileAnalysis.of(
        LaunchDirectory.absolute(plan.jobs[0].output), isDrawn: true)
    {
      try picture.write(sound)
    }
    RenderEnding.noteComplete()
    try album.report(isJSON: json)
    RenderEnding.noteDone()
  }
}
