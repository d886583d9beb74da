// RenderCommand.swift: `outboard render`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import CProcess
import Console
import Control
import FoundationEssentials
import Glibc
import InstalledFormats
import Metering
import OfflineDriver
import PipeIO
import PluginLoading
import RigSchema
import Session

/// Renders files through plugins or a rig.
struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render files through plugins or a rig.",
    discussion: """
      outboard render outboard.reverb mix=30 -i voice.wav -o wet.flac
      outboard render outboard.reverb *.wav -o wet/
      outboard render outboard.reverb -o wet/ -- *.wav
      outboard render --rig tones --duration 10 -o tones.wav
      outboard render organ --midi song.mid -o song.flac
      outboard render --loudness -16 *.wav -o podcast/

      The extension of the output selects its file format: wav, flac, ogg, aiff and others that \
      libsndfile writes. Several inputs are rendered in parallel; -o then names a directory and each \
      output has the name of its input.
      """)

  @OptionGroup var rigArguments: RigArguments
  @Option(
    name: [.customShort("i"), .customLong("input")],
    help: ArgumentHelp(
      "Input file, or - for standard input.", valueName: "file"
    ))
  var inputs: [String] = []
  @Option(help: ArgumentHelp("MIDI file to play.", valueName: "file"))
  var midi: String?
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "Output file or directory, or - for standard output.", valueName: "file"))
  var output: String
  @Option(
    help: ArgumentHelp("Output sample format: s16, s24, s32, float, double.", valueName: "format"))
  var format: SampleFormat?
  @Option(
    help: ArgumentHelp(
      "File format of the output, e.g. wav, raw.", valueName: "format"))
  var container: AudioContainer?
  @Option(
    help: ArgumentHelp(
      "Standard input is headerless PCM, e.g. 48000:2:s16.", valueName: "hz:channels:format"))
  var raw: RawFormat?
  @Option(help: ArgumentHelp("Time to render after the input ends.", valueName: "time"))
  var tail: TimeOption?
  @Option(help: ArgumentHelp("Stop after this time, e.g. 90s or 1:30.", valueName: "time"))
  var duration: TimeOption?
  @Option(help: ArgumentHelp("Sample rate in Hz, if there is no input.", valueName: "hz"))
  var rate: Int?
  @Option(help: ArgumentHelp("Block length in frames.", valueName: "frames"))
  var blockLength: Int?
  @Option(help: ArgumentHelp("Scene to start with.", valueName: "name"))
  var scene: String?
  @OptionGroup var transportArguments: TransportArguments
  @OptionGroup var threadArguments: ThreadArguments
  @OptionGroup var isolationArguments: IsolationArguments
  @OptionGroup var loudnessArguments: LoudnessArguments
  @Option(
    help: ArgumentHelp("Write a plot to this .png or .svg.", valueName: "file"))
  var plot: String?
  @Flag(help: "Overwrite existing files.")
  var force = false
  @Flag(help: "Print JSON.")
  var json = false
  /// Runs as a worker of a batch, which receives its jobs on standard input.
  @Flag(name: .customLong("helper-worker"), help: .hidden)
  var worker = false

  func validate() throws {
    if loudnessArguments.loudness == nil { try rigArguments.require() }
    guard !output.isEmpty else { throw ValidationError("The name of the output is empty.") }
    let inputs = inputs + rigArguments.audioFiles
    guard !inputs.contains("") else { throw ValidationError("The name of the input is empty.") }
    guard midi?.isEmpty != true else {
      throw ValidationError("The name of the MIDI file is empty.")
    }
    guard raw == nil || inputs.contains("-") else {
      throw ValidationError("--raw describes standard input, so it needs -i -.")
    }
    try OptionRanges.check(tail: tail)
    try OptionRanges.check(duration: duration)
    if let rate, !(1_000 ... 768_000 ~= rate) {
      throw ValidationError("--rate \(rate) is out of range (1000 to 768000 Hz).")
    }
    if rate != nil, !inputs.isEmpty {
      throw ValidationError(
        "--rate needs a rendering without input. A file is rendered at its own rate. Remove"
          + " --rate.")
    }
    if plot != nil, inputs.count > 1 {
      throw ValidationError("--plot needs exactly one input, but there are \(inputs.count).")
    }
    if plot != nil, output == "-" {
      throw ValidationError("--plot needs an output file. Name one with -o.")
    }
    if plot?.isEmpty == true { throw ValidationError("The name of the plot file is empty.") }
    if json, output == "-" {
      throw ValidationError("Standard output cannot carry both audio and JSON. Remove one.")
    }
    if let blockLength, !(1 ... RenderSettings.longestBlockFrames ~= blockLength) {
      throw ValidationError(
        "--block-length \(blockLength) is out of range (1 to 8192 frames).")
    }
  }

  func run() throws {
    rigArguments.helperArguments.begin()
    CrashReporter.begin()
    let interruption = TerminationSignals(
      isBlocked: { StreamWaitNotice.isWaiting }, onSignal: { FaultMonitor.shared?.beginEnding() })
    StreamWaitNotice.begin()
    FaultMonitor.begin { [json, worker] in
      Self.conclude($0, isJSON: json, isWorker: worker)
    }
    // A closed pipe is reported as a write error.
    if output == "-" { signal(SIGPIPE, SIG_IGN) }
    if loudnessArguments.target != nil { try checkOptionsWithoutPlugin() }
    if worker { return try work(interruption) }
    let plan = try RenderJobs(of: inputs + rigArguments.audioFiles, to: output, as: container)
    let isLoudnessSet = loudnessArguments.target != nil
    if isLoudnessSet, plan.jobs.count == 1 || loudnessArguments.album {
      return try renderAsAlbum(plan, interruption)
    }
    guard plan.jobs.count > 1 else { return try render(plan, interruption) }
    let library = PluginLibrary()
    let prepared = try rigArguments.isGiven ? prepare(library) : nil
    // Errors of the rig are reported once, not by each worker.
    if let prepared { try rigArguments.check(prepared, library) }
    let isNew = plan.createDirectory()
    defer { if isNew { plan.removeEmptyDirectory() } }
    interruption.begin()
    var batch = RenderBatch(plan, isJSON: json)
    guard rigArguments.helperArguments.isInProcess else {
      let words = ArgumentWords.fold(try ArgumentWords.read())
      let arguments = words.filter { ArgumentWords.files(for: $0) == nil } + ["--helper-worker"]
      return try batch.run(atOnce: threadArguments.limit, arguments, interruption)
    }
    try batch.run(interruption) { job in
      RenderBatch.End(render(job, prepared, library, interruption) { _ in }, notes: [])
    }
  }

  func prepare(_ library: PluginLibrary) throws -> PreparedRig {
    // A fault ends a rendering anyway.
    library.isolationPolicy?.isolates = false
    var prepared = try rigArguments.prepare(library, acceptsAudioFiles: true, isQuiet: worker)
    transportArguments.apply(to: &prepared.rig)
    threadArguments.apply(to: &prepared.rig)
    isolationArguments.apply(to: &prepared.rig)
    if let scene { prepared = try prepared.applyingScene(scene) }
    return prepared
  }

  private func render(_ plan: RenderJobs, _ interruption: TerminationSignals) throws {
    let job = plan.jobs[0]
    RenderEnding.begin(job.output)
    let picture = try plot.map { try PlotFile($0, force) }
    let library = PluginLibrary()
    let prepared = try prepare(library)
    let isNew = plan.createDirectory()
    defer { if isNew { plan.removeEmptyDirectory() } }
    // Until there is an output, a signal ends the program at once, even if a plugin never returns.
    let session = try RenderSession(prepared, library, request(for: job)) { interruption.begin() }
    for note in session.notes + library.preflightRemarks {
      Terminal.error.writeLine("outboard: \(note)")
    }
    var line = StatusLine(.error)
    defer { line.clear() }
    let report = try session.run { progress in
      if !json { line.show([RenderFormatter.progress(progress)]) }
      return !interruption.isRaised
    }
    line.clear()
    RenderEnding.noteComplete()
    let path = LaunchDirectory.absolute(job.output)
    if let picture, let sound = try FileAnalysis.of(path, isDrawn: true) {
      try picture.write(sound)
    }
    for note in RenderFormatter.notes(report) { Terminal.error.writeLine("outboard: \(note)") }
    let result = RenderResult(report, job, session)
    if json {
      JSONOutput.print(result)
    } else {
      // The result goes to standard output, unless the audio does.
      let terminal = job.output == "-" ? Terminal.error : Terminal.output
      terminal.writeLine(result.line)
      for text in RenderFormatter.lines(of: session) { terminal.writeLine(text) }
    }
    try StandardStreams.checkOutput()
    if let loss = RecordingLoss(session.recordings, session.incompleteLogs) {
      throw json ? ExitCode(Failure.Status.failure.rawValue) : loss
    }
    // Plugins are destroyed after this, because some write files only then.
    withExtendedLifetime(session) { RenderEnding.noteDone() }
  }

  /// Reports plugin code that ends the rendering, and returns the exit status, nil for that of the fault.
  private static func conclude(
    _ fault: FatalFault, isJSON: Bool, isWorker: Bool
  ) -> Int32? {
    let end = RenderEnding.words(fault)
    let status = RenderEnding.status(after: fault)
    let error = ErrorReport.Facts(
      message: fault.message + end, status: Int(Failure.Status.failure.rawValue))
    if isWorker {
      var reply = RenderReply()
      reply.error = error
      JSONOutput.printLine(reply)
    } else if isJSON, status == nil {
      JSONOutput.print(ErrorReport(error: error))
    } else {
      if Terminal.error.isInteractive { Terminal.error.write("\r\u{1b}[J") }
      Terminal.error.writeLine("outboard: \(fault.message)\(end)")
    }
    FaultMonitor.shared?.markReported()
    return status
  }

  func request(for job: RenderJobs.Job) -> RenderRequest {
    var request = RenderRequest(output: job.output)
    request.standardOutput = Terminal.output.descriptor
    request.input = job.input
    request.rawInput = raw
    request.midi = midi
    request.container = container
    request.format = format
    request.replaces = force
    request.tailSeconds = tail?.seconds
    request.seconds = duration?.seconds
    request.sampleRateHz = rate
    request.blockFrames = blockLength
    return request
  }
}

// The parser's default finds these names by reflection, which takes 4 % of the instructions of a start.
extension SampleFormat: ExpressibleByArgument {
  package static var allValueStrings: [String] { allCases.map(\.rawValue) }
}
extension AudioContainer: ExpressibleByArgument {
  package static var allValueStrings: [String] { allCases.map(\.rawValue) }
}

extension RawFormat: ExpressibleByArgument {
  /// Parses rate, channels and format, separated by colons.
  package init?(argument: String) { self.init(text: argument) }
}
