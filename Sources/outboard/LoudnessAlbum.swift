// LoudnessAlbum.swift: files that get the same gain. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Metering
import Session

/// Files that are set together to a loudness, in this process; a single file is an album of one.
struct LoudnessAlbum {
  private let jobs: [RenderJobs.Job]
  private var results: [RenderResult] = []
  private var failures: [Failure] = []
  /// The loudness of all files together; nil for a single file.
  private var loudness: Double?

  /// Renders the files, finds their gain and writes them.
  ///
  /// - Throws: the error of a single file. Of several files, those that fail are left out.
  init(_ rendering: LoudnessRendering, _ jobs: [RenderJobs.Job]) throws {
    self.jobs = jobs
    guard jobs.count > 1 else {
      for job in jobs {
        RenderEnding.begin(job.output)
        let (result, notes) = try rendering.render(job)
        for note in notes { Terminal.error.writeLine("outboard: \(note)") }
        results.append(result)
      }
      return
    }
    let started = ContinuousClock.now
    let normaliser = LoudnessNormaliser(
      rendering.target, rendering.library, shouldContinue: rendering.shouldContinue)
    var files: [(LoudnessRendering.Prepared, LoudnessNormaliser.Measured)] = []
    var rigNotes: Set<String> = []
    for job in jobs {
      do {
        RenderEnding.begin(job.output)
        var prepared = try rendering.prepare(job)
        for note in prepared.rigNotes where rigNotes.insert(note).inserted {
          Terminal.error.writeLine("outboard: \(note)")
        }
        let measured = try normaliser.measure(prepared.source)
        prepared.notes += [measured.note].compactMap(\.self)
        files.append((prepared, measured))
      } catch {
        guard rendering.shouldContinue() else { throw error }
        failures.append(Failure(error, parser: Outboard.self))
      }
    }
    let found = try normaliser.normalise(files.map(\.1))
    loudness = found.first?.albumLoudness
    let isReached = found.first.map { rendering.isReached($0.albumLoudness) } ?? false
    for ((prepared, _), result) in zip(files, found) {
      do {
        let written = try rendering.write(prepared, result, normaliser)
        results.append(rendering.report(prepared, written, isReached: isReached, started))
      } catch {
        guard rendering.shouldContinue() else { throw error }
        failures.append(Failure(error, parser: Outboard.self))
      }
    }
  }

  private struct Report: Encodable {
    let files: [RenderResult]
    let albumLUFS: Double?
    let errors: [ErrorReport.Facts]
  }

  /// Prints the table or the JSON.
  ///
  /// - Throws: `ExitCode` if a file failed or the loudness was not reached.
  func report(isJSON: Bool) throws {
    for failure in failures { failure.report(asJSON: false, inService: false) }
    if isJSON, jobs.count == 1, let result = results.first {
      JSONOutput.print(result)
    } else if isJSON {
      JSONOutput.print(Report(files: results, albumLUFS: loudness, errors: failures.map(\.facts)))
    } else {
      // The result goes to standard output, unless the audio does.
      let terminal = jobs.contains { $0.output == "-" } ? Terminal.error : Terminal.output
      for text in NormalisationTable.lines(results, jobs) { terminal.writeLine(text) }
      if let loudness {
        terminal.writeLine("All files together: \(NumberFormat.decibels(loudness)) LUFS")
      }
    }
    try StandardStreams.checkOutput()
    let isReached = results.allSatisfy { $0.normalisation?.isReached != false }
    guard failures.isEmpty, isReached else { throw ExitCode(Failure.Status.failure.rawValue) }
  }
}
