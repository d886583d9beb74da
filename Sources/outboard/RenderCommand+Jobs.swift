// RenderCommand+Jobs.swift: one of many files. SPDX-License-Identifier: MIT

import CProcess
import Console
import FoundationEssentials
import InstalledFormats
import PluginLoading
import RigSchema
import Session

extension RenderCommand {
  /// Renders the jobs on standard input until it ends.
  func work(_ interruption: TerminationSignals) throws {
    // The parent is gone, so nobody reads the result.
    cprocess_end_with_parent()
    let library = PluginLibrary()
    library.remembersPreflights = true
    var prepared = try rigArguments.isGiven ? prepare(library) : nil
    prepared?.rig.threadCount = 1
    interruption.begin()
    while let line = readLine() {
      guard let job = JSONOutput.read(RenderJobs.Job.self, Data(line.utf8)) else { break }
      let reply = render(job, prepared, library, interruption) { JSONOutput.printLine($0) }
      // A failed job has not reported its error yet.
      if reply.result == nil { JSONOutput.printLine(reply) }
      var ready = RenderReply()
      ready.isReady = true
      JSONOutput.printLine(ready)
    }
  }

  /// Renders one of many files with new nodes.
  ///
  /// Calls `onDone` with the result before the nodes are destroyed.
  func render(
    _ job: RenderJobs.Job, _ prepared: PreparedRig?, _ library: PluginLibrary,
    _ interruption: TerminationSignals, onDone: (RenderReply) -> Void
  ) -> RenderReply {
    var reply = RenderReply()
    do {
      RenderEnding.begin(job.output)
      if let loudness = loudnessRendering(prepared, library, interruption) {
        (reply.result, reply.rigNotes) = try loudness.render(job)
        onDone(reply)
        return reply
      }
      guard let prepared else { preconditionFailure("plugins are missing only with a loudness") }
      let session = try RenderSession(prepared, library, request(for: job))
      reply.rigNotes = session.notes
      let report = try session.run { _ in !interruption.isRaised }
      for note in RenderFormatter.notes(report) { Terminal.error.writeLine("outboard: \(note)") }
      reply.result = RenderResult(report, job, session)
      RenderEnding.noteComplete()
      withExtendedLifetime(session) { onDone(reply) }
    } catch {
      reply.error = Failure(error, parser: Outboard.self).facts
    }
    return reply
  }
}
