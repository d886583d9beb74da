// RenderCommand.swift: `outboard render`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import Console
import Control
import Metering
import OfflineDriver
import PluginModel
import Rig
import Session

/// Renders files through plugins or a rig.
struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a file through plugins, or a rig, as fast as the machine can.",
    discussion: """
      outboard render outboard.reverb mix=30 -i voice.wav -o wet.flac
      outboard render --rig manifests/rigs/tones.yaml --seconds 10 -o tones.wav
      outboard render organ --midi song.mid -o song.flac

      The kind of output goes by the extension: wav, flac, ogg, aiff and others that libsndfile \
      writes.
      """)

  @OptionGroup var rigArguments: RigArguments
  @Option(
    name: [.customShort("i"), .customLong("input")],
    help: ArgumentHelp("File to read; - for standard input.", valueName: "file"))
  var input: String?
  @Option(help: ArgumentHelp("MIDI file to play into it.", valueName: "file"))
  var midi: String?
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("File to write; - for standard output.", valueName: "file"))
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
  @OptionGroup var transportArguments: TransportArguments
  @OptionGroup var threadArguments: ThreadArguments
  @Option(
    help: ArgumentHelp("Draw what was rendered to this .png or .svg.", valueName: "file"))
  var plot: String?
  @Flag(help: "Overwrite an existing output.")
  var force = false
  @Flag(help: "Print the result as JSON.")
  var json = false

  func validate() throws {
    guard !output.isEmpty else { throw ValidationError("The name of the output is empty.") }
    guard input?.isEmpty != true else { throw ValidationError("The name of the input is empty.") }
    guard midi?.isEmpty != true else {
      throw ValidationError("The name of the MIDI file is empty.")
    }
    guard raw == nil || input == "-" else {
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
    if rate != nil, input != nil {
      throw ValidationError(
        "--rate is for renderings without an input; a file is rendered at its own rate.")
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
    let interruption = Interruption()
    let picture = try plot.map { try PictureFile($0, force) }
    let library = PluginLibrary()
    var prepared = try rigArguments.prepare(library)
    transportArguments.apply(to: &prepared.rig)
    threadArguments.apply(to: &prepared.rig)
    interruption.begin()
    let session = try RenderSession(prepared, library, request)
    for note in session.notes { Terminal.error.writeLine("outboard: \(note)") }
    var line = LiveLine(.error)
    defer { line.clear() }
    let report = try session.run { progress in
      if !json { line.show([Self.text(progress)]) }
      return !interruption.isRaised
    }
    line.clear()
    if let picture, let sound = try FileAnalysis.of(output, isDrawn: true) {
      try picture.write(sound)
    }
    tell(report, session)
    try StandardStreams.checkOutput()
    // The session holds the plugins, and must not end before.
    withExtendedLifetime(session) {
      TakingDown.begin(afterWriting: output == "-" ? "what was written" : output)
    }
  }

  private var request: RenderRequest {
    var request = RenderRequest(output: output)
    request.standardOutput = Terminal.output.descriptor
    request.input = input
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

  // MARK: - What a person sees

  private static func text(_ progress: RenderProgress) -> String {
    let speed = "\(Figures.fixed(progress.timesRealTime, places: 0)) x real time"
    guard let total = progress.totalSeconds, total > 0 else {
      return "\(Figures.duration(progress.seconds))   \(speed)"
    }
    let share = min(1, progress.seconds / total)
    let width = 30
    let filled = Int(share * Double(width))
    let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
    return "\(bar) \(Figures.right(Figures.fixed(share * 100, places: 0), 3)) %   \(speed)"
  }

  /// The result goes to standard output, unless the sound itself does.
  private func tell(_ report: RenderReport, _ session: RenderSession) {
    for note in report.notes { Terminal.error.writeLine("outboard: \(note)") }
    if report.clippedSampleCount > 0 {
      let count =
        report.clippedSampleCount == 1
        ? "1 sample was" : "\(report.clippedSampleCount) samples were"
      Terminal.error.writeLine(
        "outboard: \(count) beyond full scale and clipped; lower the level, or write floating"
          + " point.")
    }
    if json {
      JSONOutput.print(Result(report, output, session))
      return
    }
    let terminal = output == "-" ? Terminal.error : Terminal.output
    let loudness =
      report.loudnessLUFS.finite.map { ", loudness \(Figures.decibels($0)) LUFS" } ?? ""
    terminal.writeLine(
      "\(output == "-" ? "standard output" : output): \(Figures.duration(report.seconds)),"
        + " peak \(Figures.decibels(report.peakDecibels)) dBFS\(loudness),"
        + " \(Figures.fixed(report.timesRealTime, places: 0)) x real time")
    for named in session.meterReadings {
      let reading = named.reading
      terminal.writeLine(
        "\(named.name): peak \(Figures.decibels(reading.highest)) dBFS, true peak"
          + " \(Figures.decibels(reading.truePeak)) dBTP, loudness"
          + " \(Figures.decibels(reading.integrated)) LUFS, clips \(reading.clipCount)")
    }
    // Those of LV2 plugins go with the sound, and their last values tell nothing of the whole.
    for readouts in session.readouts where readouts.plugin.kind == .module {
      terminal.writeLine(ReadoutText(readouts).line)
    }
  }

  private struct Result: Encodable {
    let output: String
    let seconds: Double
    let frames: Int
    let elapsedSeconds: Double
    let timesRealTime: Double
    /// Nil for silence, which no number of decibels describes.
    let peakDecibels: Double?
    let channelPeaks: [Float]
    let loudnessLUFS: Double?
    let clippedSamples: Int
    let latencyFrames: Int
    /// Threads that rendered; 1 where there was no work for more.
    let threads: Int
    let readouts: [NodeReadoutFigures]
    let meters: [MeterFigures]
    let notes: [String]

    init(_ report: RenderReport, _ output: String, _ session: RenderSession) {
      self.output = output
      seconds = report.seconds
      frames = report.frameCount
      elapsedSeconds = report.elapsedSeconds
      timesRealTime = report.timesRealTime
      peakDecibels = Optional(report.peakDecibels).finite
      channelPeaks = report.peaks
      loudnessLUFS = report.loudnessLUFS.finite
      clippedSamples = report.clippedSampleCount
      latencyFrames = session.latencyFrames
      threads = session.usedThreadCount
      readouts = session.readouts.map(NodeReadoutFigures.init)
      meters = session.meterReadings.map(MeterFigures.init)
      notes = report.notes
    }
  }
}

extension Double? {
  /// The number, if it is one.
  fileprivate var finite: Double? { flatMap { $0.isFinite ? $0 : nil } }
}

extension SampleFormat: ExpressibleByArgument {}
extension AudioContainer: ExpressibleByArgument {}

extension RawStream: ExpressibleByArgument {
  /// Rate, channels and format with colons between.
  package init?(argument: String) {
    let parts = argument.split(separator: ":")
    guard parts.count == 3, let rate = Int(parts[0]), 1 ... 768_000 ~= rate,
      let channels = Int(parts[1]), 1 ... 1_024 ~= channels,
      let format = SampleFormat(rawValue: String(parts[2]))
    else { return nil }
    self.init(sampleRateHz: rate, channelCount: channels, format: format)
  }
}
