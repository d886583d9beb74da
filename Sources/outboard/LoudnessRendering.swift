// LoudnessRendering.swift: renders files and sets them to a loudness. SPDX-License-Identifier: MIT

import AudioFiles
import Console
import Metering
import PluginLoading
import Session

/// Renders files through a rig, or takes them as they are, and sets them to a loudness.
struct LoudnessRendering {
  /// A file before its loudness is set.
  struct Prepared {
    let job: RenderJobs.Job
    let source: LoudnessNormaliser.Source
    var settings: AudioFileWriter.Settings
    var notes: [String]
    let rigNotes: [String]
  }

  let target: LoudnessTarget
  /// Nil without plugins.
  let rig: PreparedRig?
  let library: PluginLibrary
  let request: (RenderJobs.Job) -> RenderRequest
  let shouldContinue: () -> Bool

  /// How often a lossy file is written again, and the deviation in LU that is left then.
  private static let (correctionCount, precision) = (3, 0.05)

  /// Renders one file. [main]
  ///
  /// A lossy format changes loudness and true peak. Then the file is written again with corrected targets.
  ///
  /// - Returns: the result, and notes about the rig.
  /// - Throws: errors of the files, of the rig, and of the loudness.
  func render(_ job: RenderJobs.Job) throws -> (RenderResult, [String]) {
    let started = ContinuousClock.now
    var prepared = try prepare(job)
    let measured = try LoudnessNormaliser(target, library, shouldContinue: shouldContinue).measure(
      prepared.source)
    prepared.notes += [measured.note].compactMap(\.self)
    var corrected = target
    var written: Written?
    for round in 0 ... Self.correctionCount {
      let normaliser = LoudnessNormaliser(corrected, library, shouldContinue: shouldContinue)
      guard let result = try normaliser.normalise([measured]).first else { break }
      let file = try write(prepared, result, normaliser)
      written = file
      let error = target.loudness - file.after.loudness
      let excess = file.after.truePeak - target.truePeak
      // A file that is already as loud as its true peak permits gains nothing.
      let isOffTarget = abs(error) > Self.precision && isReached(result.after.loudness)
      // A round remains in which a true peak that was raised too far is lowered.
      let canRaise = result.limited != nil && excess < -0.1 && round + 1 < Self.correctionCount
      let canImprove = isOffTarget || excess > 0 || canRaise
      guard file.isLossy, canImprove, round < Self.correctionCount else { break }
      corrected.loudness += abs(error) > Self.precision ? error : 0
      // A codec's reaction is not proportional, so only half is raised.
      if excess > 0 { corrected.truePeak -= excess + 0.02 }
      if canRaise { corrected.truePeak = min(0, corrected.truePeak - excess / 2) }
      prepared.settings.replaces = true
    }
    guard let written else { throw LoudnessError.silent(name: prepared.source.name) }
    let isReached = isReached(written.after.loudness)
    return (report(prepared, written, isReached: isReached, started), prepared.rigNotes)
  }

  /// Renders the input through the rig to a temporary file.
  func prepare(_ job: RenderJobs.Job) throws -> Prepared {
    if job.output != "-" { try WholeFile.check(job.output, replaces: request(job).replaces) }
    var (source, texts, notes, rigNotes) = try rig.map { try render(job, $0) } ?? copy(job)
    var reader = try AudioFileReader(path: source.path)
    let container = request(job).container ?? AudioContainer(path: job.output)
    if let container, let rateHz = container.substitute(forRateHz: reader.sampleRateHz) {
      notes.append(container.note(on: job.output, with: rateHz, insteadOf: reader.sampleRateHz))
      guard let copy = try AudioCopy.of(&reader, rateHz: rateHz, shouldContinue: shouldContinue)
      else {
        throw AnalysisInterrupted()
      }
      notes += [reader.note].compactMap(\.self)
      source = .init(name: source.name, path: copy.path, copy: copy)
      reader = try AudioFileReader(path: source.path)
    }
    var settings = AudioFileWriter.Settings(
      path: job.output, sampleRateHz: reader.sampleRateHz, channelCount: reader.channelCount)
    let wanted = request(job)
    settings.standardOutput = wanted.standardOutput
    (settings.container, settings.format) = (wanted.container, wanted.format)
    settings.replaces = wanted.replaces
    settings.longestFrameCount = reader.frameCount
    settings.tags = texts.tags
    settings.markers = texts.markers(at: reader.sampleRateHz)
    let lost = texts.lost(name: source.name, in: settings)
    return Prepared(
      job: job, source: source, settings: settings, notes: notes + lost, rigNotes: rigNotes)
  }

  private typealias Parts = (LoudnessNormaliser.Source, FileTexts, [String], [String])

  private func render(_ job: RenderJobs.Job, _ rig: PreparedRig) throws -> Parts {
    let file = try UnnamedFile()
    var request = request(job)
    (request.output, request.standardOutput) = ("-", file.descriptor)
    (request.container, request.format) = (.wav, .float)
    let session = try RenderSession(rig, library, request)
    let report = try session.run { _ in shouldContinue() }
    var texts = FileTexts()
    if let input = job.input, input != "-" { texts = FileTexts(try AudioFileReader(path: input)) }
    let source = LoudnessNormaliser.Source(
      name: job.input ?? job.output, path: file.path, copy: file)
    return (source, texts, RenderFormatter.notes(report), session.notes)
  }

  private func copy(_ job: RenderJobs.Job) throws -> Parts {
    guard let input = job.input else {
      throw UsageError("--loudness without a plugin needs an input file. Name one with -i.")
    }
    let request = request(job)
    var reader =
      input == "-"
      ? try AudioFileReader(raw: request.rawInput)
      : try AudioFileReader(path: input, allowsPipe: true)
    let texts = FileTexts(reader)
    guard input == "-" || reader.isStream else {
      return (.init(name: input, path: input), texts, [], [])
    }
    guard let copy = try AudioCopy.of(&reader, shouldContinue: shouldContinue) else {
      throw AnalysisInterrupted()
    }
    let notes = [reader.note].compactMap(\.self)
    return (.init(name: reader.path, path: copy.path, copy: copy), texts, notes, [])
  }

  /// A file that was written, and what it has become.
  struct Written {
    let result: LoudnessNormaliser.Result
    let output: LoudnessNormaliser.Written
    let after: LoudnessLevels
    let isLossy: Bool
  }

  /// Writes a file with its gain, and measures it again if its format is lossy.
  func write(
    _ prepared: Prepared, _ result: LoudnessNormaliser.Result, _ normaliser: LoudnessNormaliser
  ) throws -> Written {
    let output = try normaliser.write(result, prepared.settings)
    let container = prepared.settings.container ?? AudioContainer(path: prepared.job.output)
    guard container?.formats.isEmpty == true else {
      return Written(result: result, output: output, after: result.after, isLossy: false)
    }
    var reader = try AudioFileReader(path: LaunchDirectory.absolute(prepared.job.output))
    let after = try LoudnessScan(&reader)?.levels ?? result.after
    return Written(result: result, output: output, after: after, isLossy: true)
  }

  /// Prints the notes about a file, and returns its result.
  func report(
    _ prepared: Prepared, _ written: Written, isReached: Bool,
    _ started: ContinuousClock.Instant
  ) -> RenderResult {
    let notes = prepared.notes + notes(prepared, written, isReached)
    for note in notes { Terminal.error.writeLine("outboard: \(note)") }
    let elapsed = started.duration(to: .now) / .seconds(1)
    return RenderResult(
      prepared.job, written.output, sampleRateHz: prepared.settings.sampleRateHz,
      elapsedSeconds: elapsed, invalidInputSamples: written.result.invalidSampleCount,
      normalisation: NormalisationJSON(
        written.result, after: written.after, target, isReached: isReached), notes: notes)
  }

  /// Whether a loudness is the requested one.
  func isReached(_ loudness: Double) -> Bool {
    abs(loudness - target.loudness) <= LoudnessTarget.tolerance
  }

  private func notes(
    _ prepared: Prepared, _ written: Written, _ isReached: Bool
  ) -> [String] {
    let (name, result, after) = (prepared.source.name, written.result, written.after)
    func decibels(_ value: Double) -> String { NumberFormat.decibels(value) }
    var notes: [String] = []
    if !isReached {
      notes.append(
        "\(name) cannot reach \(decibels(target.loudness)) LUFS with a true peak of"
          + " \(decibels(target.truePeak)) dBTP: it has \(decibels(after.loudness)) LUFS. Lower --loudness"
          + " or raise --true-peak.")
    }
    if written.isLossy, after.truePeak > target.truePeak + 0.05 {
      notes.append(
        "The lossy format raised the true peak of \(prepared.job.output) to"
          + " \(decibels(after.truePeak)) dBTP. Lower --true-peak if that matters.")
    }
    if result.invalidSampleCount > 0 {
      notes.append(
        "\(result.invalidSampleCount) samples of \(name) were NaN or infinity and became silence.")
    }
    return notes
  }
}
