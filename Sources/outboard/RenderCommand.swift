// RenderCommand.swift: `outboard render`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import CProcess
import Console
import Control
import Glibc
import Metering
import Rig
import Session
import StreamDriver

/// Renders files through plugins or a rig.
struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render files through plugins, or a rig, as fast as the machine can.",
    discussion: """
      outboard render outboard.reverb mix=30 -i voice.wav -o wet.flac
      outboard render outboard.reverb *.wav -o wet/
      outboard render --rig manifests/rigs/tones.yaml --seconds 10 -o tones.wav
      outboard render organ --midi song.mid -o song.flac

      The kind of output goes by the extension: wav, flac, ogg, aiff and others that libsndfile \
      writes. Several inputs are rendered side by side, each into the folder that -o names, under \
      its own name.
      """)

  @OptionGroup var rigArguments: RigArguments
  @Option(
    name: [.customShort("i"), .customLong("input")],
    help: ArgumentHelp(
      "File to read; - for standard input. A sound file's name does without -i.", valueName: "file"
    ))
  var inputs: [String] = []
  @Option(help: ArgumentHelp("MIDI file to play into it.", valueName: "file"))
  var midi: String?
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "File to write; - for standard output. A folder takes the input's name.", valueName: "file"))
  var output: String
  @Option(help: ArgumentHelp("Sample format: s16, s24, s32, float, double.", valueName: "format"))
  var format: SampleFormat?
  @Option(
    help: ArgumentHelp(
      "Kind of output where the extension does not say, for instance raw.", valueName: "kind"))
  var container: AudioContainer?
  @Option(
    help: ArgumentHelp(
      "Standard input is bare samples, for instance 48000:2:s16.", valueName: "hz:channels:format"))
  var raw: RawStream?
  @Option(help: ArgumentHelp("Render so long after the input's end.", valueName: "s"))
  var tail: Double?
  @Option(
    help: ArgumentHelp(
      "Stop after so much of the input, or of a rig that has none.", valueName: "s"))
  var seconds: Double?
  @Option(help: ArgumentHelp("Frames a second where there is no input.", valueName: "hz"))
  var rate: Int?
  @Option(help: ArgumentHelp("Frames rendered at a time.", valueName: "frames"))
  var block: Int?
  @Option(help: ArgumentHelp("Begin with this scene of the rig.", valueName: "name"))
  var scene: String?
  @OptionGroup var transportArguments: TransportArguments
  @OptionGroup var threadArguments: ThreadArguments
  @Option(
    help: ArgumentHelp("Draw what was rendered to this .png or .svg.", valueName: "file"))
  var plot: String?
  @Flag(help: "Overwrite an existing output.")
  var force = false
  @Flag(help: "Print the result as JSON.")
  var json = false
  /// This process is one of a batch, and does the input of this number alone.
  @Option(help: .hidden)
  var only: Int?

  func validate() throws {
    guard !output.isEmpty else { throw ValidationError("The name of the output is empty.") }
    let inputs = inputs + rigArguments.soundFiles
    guard !inputs.contains("") else { throw ValidationError("The name of the input is empty.") }
    guard midi?.isEmpty != true else {
      throw ValidationError("The name of the MIDI file is empty.")
    }
    guard raw == nil || inputs.contains("-") else {
      throw ValidationError("--raw describes standard input, so it needs -i -.")
    }
    if let tail, !(tail >= 0 && tail <= 86_400) {
      throw ValidationError(
        "--tail \(Figures.short(tail)) is out of range; it goes from 0 to 86400 s.")
    }
    try Limits.check(seconds: seconds)
    if let rate, !(1_000 ... 768_000 ~= rate) {
      throw ValidationError("--rate \(rate) is out of range; it goes from 1000 to 768000 Hz.")
    }
    if rate != nil, !inputs.isEmpty {
      throw ValidationError(
        "--rate is for renderings without an input; a file is rendered at its own rate.")
    }
    if plot != nil, inputs.count > 1 {
      throw ValidationError("--plot draws one rendering, and there are \(inputs.count) inputs.")
    }
    if plot != nil, output == "-" {
      throw ValidationError("--plot draws the output, so that has to be a file; name one with -o.")
    }
    if plot?.isEmpty == true { throw ValidationError("The name of the picture is empty.") }
    if json, output == "-" {
      throw ValidationError("Standard output takes the sound or the JSON; leave one of them out.")
    }
    if let block, !(1 ... 8_192 ~= block) {
      throw ValidationError("--block \(block) is out of range; it goes from 1 to 8192 frames.")
    }
  }

  func run() throws {
    CrashWords.begin()
    let interruption = Interruption()
    // That nobody reads it is told as what it is.
    if output == "-" { signal(SIGPIPE, SIG_IGN) }
    let plan = try RenderPlan(of: inputs + rigArguments.soundFiles, to: output, as: container)
    if plan.jobs.count == 1 {
      try render(plan, 0, interruption)
    } else if let only {
      guard plan.jobs.indices ~= only else { throw ValidationError("There is no input \(only).") }
      // Nobody would take what it gives, nor end it.
      cprocess_end_with_parent()
      try render(plan, only, interruption)
    } else {
      let library = PluginLibrary()
      let prepared = try prepare(library)
      // What is wrong with the rig is told once, and not by each of them.
      try rigArguments.check(prepared, library)
      plan.makeFolder()
      interruption.begin()
      var batch = RenderBatch(plan, isJSON: json)
      try batch.run(atOnce: threadArguments.limit, interruption)
    }
  }

  private func prepare(_ library: PluginLibrary) throws -> PreparedRig {
    var prepared = try rigArguments.prepare(
      library, takesSoundFiles: true, isQuiet: only != nil)
    transportArguments.apply(to: &prepared.rig)
    threadArguments.apply(to: &prepared.rig)
    if let scene { prepared = try prepared.beginning(with: scene) }
    return prepared
  }

  private func render(
    _ plan: RenderPlan, _ index: Int, _ interruption: Interruption
  ) throws {
    let job = plan.jobs[index]
    let picture = try plot.map { try PictureFile($0, force) }
    let library = PluginLibrary()
    var prepared = try prepare(library)
    if only != nil { prepared.rig.threadCount = 1 }
    plan.makeFolder()
    interruption.begin()
    let session = try RenderSession(prepared, library, request(for: job))
    for note in session.notes { Terminal.error.writeLine("outboard: \(note)") }
    var line = LiveLine(.error)
    defer { line.clear() }
    let report = try session.run { progress in
      if !json { line.show([RenderText.progress(progress)]) }
      return !interruption.isRaised
    }
    line.clear()
    if let picture, let sound = try FileAnalysis.of(job.output, isDrawn: true) {
      try picture.write(sound)
    }
    for note in RenderText.notes(report) { Terminal.error.writeLine("outboard: \(note)") }
    let result = RenderResult(report, job, session)
    if json {
      JSONOutput.print(result)
    } else {
      // The result goes to standard output, unless the sound itself does.
      let terminal = job.output == "-" ? Terminal.error : Terminal.output
      terminal.writeLine(result.line)
      for text in RenderText.lines(of: session) { terminal.writeLine(text) }
    }
    try StandardStreams.checkOutput()
    // The session holds the plugins, and must not end before.
    withExtendedLifetime(session) {
      TakingDown.begin(afterWriting: job.output == "-" ? "what was written" : job.output)
    }
  }

  private func request(for job: RenderPlan.Job) -> RenderRequest {
    var request = RenderRequest(output: job.output)
    request.standardOutput = Terminal.output.descriptor
    request.input = job.input
    request.rawInput = raw
    request.midi = midi
    request.container = container
    request.format = format
    request.replaces = force
    request.tailSeconds = tail
    request.seconds = seconds
    request.sampleRateHz = rate
    request.blockFrames = block
    return request
  }
}

extension SampleFormat: ExpressibleByArgument {}
extension AudioContainer: ExpressibleByArgument {}

extension RawStream: ExpressibleByArgument {
  /// Rate, channels and format with colons between.
  package init?(argument: String) { self.init(text: argument) }
}
