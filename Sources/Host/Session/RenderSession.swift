// RenderSession.swift: one rig, rendered from file to file. SPDX-License-Identifier: MIT

package import AudioFiles
import FilePlayback
package import FileRecording
import MIDIFiles
import Metering
package import OfflineDriver
import PluginModel
import Reblocking
import RenderGraph
package import Rig

/// What to render, from where to where.
package struct RenderRequest: Sendable {
  /// The input's path, `-` for standard input; nil for a rig that makes its own sound.
  package var input: String?
  /// What bare samples on standard input are; nil for a file of any kind.
  package var rawInput: RawFormat?
  /// The path of a MIDI file that is played into the rig; nil for none.
  package var midi: String?
  /// The output's path, `-` for standard output.
  package var output: String
  /// Where standard output is.
  package var standardOutput: Int32 = 1
  /// The kind of output; nil to go by the extension, and WAV on standard output.
  package var container: AudioContainer?
  /// How a sample is kept; nil for the container's best.
  package var format: SampleFormat?
  /// Whether an output that is there already is overwritten.
  package var replaces = false
  /// What follows the input's end, in seconds; nil for as long as it sounds.
  package var tailSeconds: Double?
  /// How much of the input is rendered, and the whole length where there is none; nil for its end.
  package var seconds: Double?
  /// Frames a second where there is no input; nil for the rig's rate, or 48000.
  package var sampleRateHz: Int?
  /// Frames rendered at a time; nil for the usual number.
  package var blockFrames: Int?

  /// A rendering into a file.
  package init(output: String) { self.output = output }
}

/// A rig between files: everything is opened and made before the first frame is rendered.
package final class RenderSession {
  /// What is worth knowing before it starts, one sentence each.
  package let notes: [String]
  /// Frames by which plugins delay the sound; the output is moved back by as many.
  package let latencyFrames: Int

  /// A node may take as many times the length of a block for it, as nobody waits for the sound.
  private static let patienceBlocks = 50.0

  /// What was measured up to the end of the input; nil where that was not reached.
  private var inputReadouts: [NodeReadouts]?
  /// The same of meters; nil where a tail was written, too, or there is none.
  private var inputReadings: [NamedReading]?
  private let driver: OfflineDriver
  private let engine: Engine
  private let members: [BuiltRig.BuiltNode]
  /// The gains of connections in a row, in dB, where they are so high that samples may overflow; nil otherwise.
  private let overflowingGainDecibels: Double?
  private var recordingWatch = RecordingMonitor()
  /// How the rig's recordings went, once it has run. [main]
  package var recordings: [RecordingReport] { recordingWatch.reports }
  private let contexts: [(node: any Node, context: UnsafeRawPointer)]

  /// Opens the files, makes the nodes and compiles them. [main]
  ///
  /// - Throws: what the files, the plan for their channels, or a plugin has against it.
  package init(_ rig: PreparedRig, _ library: PluginLibrary, _ request: RenderRequest) throws {
    try rig.checkRecordings()
    guard !(rig.usesInput && request.input == nil) else { throw SessionError.inputMissing }
    if let input = request.input, !rig.usesInput { throw SessionError.inputUnused(path: input) }
    var opened: AudioFileSource?
    var sampleRateHz = request.sampleRateHz ?? rig.rig.sampleRateHz ?? 48_000
    if let input = request.input {
      let reader =
        input == "-"
        ? try AudioFileReader(raw: request.rawInput)
        : try AudioFileReader(path: input, allowsPipe: true)
      sampleRateHz = reader.sampleRateHz
      opened = AudioFileSource(reader)
    }
    let song = try request.midi.map { try MIDIFile(path: $0) }
    let plan = try rig.plan(
      inputChannelCount: opened?.channelCount ?? 0, outputChannelCount: rig.rig.outputChannelCount
    )
    let isOpen = opened == nil && request.seconds == nil && song == nil
    // Within a frame, which is rendered as a whole: sums of seconds are not exact.
    let playedSeconds = isOpen ? try Self.playedSeconds(plan) - 0.5 / Double(sampleRateHz) : nil
    guard plan.outputChannelCount > 0 else { throw SessionError.nothingToRender }
    if let midi = request.midi, !plan.takesMIDI { throw SessionError.midiUnused(path: midi) }

    var settings = RenderSettings()
    settings.blockFrames =
      request.blockFrames
      ?? plan.blockFrames(atMost: settings.blockFrames, sampleRateHz: sampleRateHz)
    settings.seconds = request.seconds
    settings.tail = request.tailSeconds.map { .seconds($0) } ?? settings.tail
    let transport = Transport(rig.rig.transport, sampleRateHz: Double(sampleRateHz))
    settings.eventSeconds = song?.seconds ?? playedSeconds
    let configuration = NodeConfiguration(
      sampleRateHz: Double(sampleRateHz), maximumFrameCount: settings.blockFrames, isOffline: true,
      hasConstantBlocks: true, transport: transport)
    var crashWords = CrashReporter()
    crashWords.follow(rig, library)
    let built = try RigBuilder.build(plan, configuration, makeNode: rig.nodeMaker(library))
    engine = Engine(
      Engine.Settings(
        inputChannelCount: plan.inputChannelCount, outputChannelCount: plan.outputChannelCount,
        maximumFrameCount: settings.blockFrames, sampleRateHz: Double(sampleRateHz),
        startsFadedOut: false, silencesFaultyInputs: true, threads: .offline(rig.rig.threadCount)),
      transport: transport)
    let compiled = try GraphCompiler.compile(built.graph, for: engine)
    engine.install(compiled)
    crashWords.follow(rig, library, LiveGraph.names(of: compiled.contexts, built.members))
    FaultMonitor.shared?.allow(
      seconds: Self.patienceBlocks * Double(settings.blockFrames) / Double(sampleRateHz))
    if let song { engine.schedule(Self.events(song, Double(sampleRateHz))) }
    settings.latencyFrames = compiled.latencyFrames

    // The output comes last: a rendering that cannot begin leaves nothing behind.
    let sink = try AudioFileSink(
      Self.output(request, plan, sampleRateHz, opened, settings.eventSeconds))
    latencyFrames = compiled.latencyFrames
    contexts = compiled.contexts
    members = built.members
    overflowingGainDecibels = plan.highestGainDecibels.flatMap { $0 >= 100 ? $0 : nil }
    notes =
      rig.plugins.compactMap(library.note) + plan.notes
      + Self.notes(rig.rig, sampleRateHz, hasInput: opened != nil)
    settings.keepsBlocks = Self.keepsBlocks(built.members)
    if built.members.contains(where: { $0.plugin.kind == .lv2 }) {
      settings.tailGridFrames = RenderSettings.longestBlockFrames
    }
    driver = OfflineDriver(settings, from: opened, to: sink)
  }

  /// Whether the block in which the input ends has to be whole: a node counts on that, or no module measures.
  private static func keepsBlocks(_ members: [BuiltRig.BuiltNode]) -> Bool {
    let measures =
      !members.meters.isEmpty
      || members.contains { $0.plugin.kind == .module && !$0.plugin.readouts.isEmpty }
    return !measures
      || members.flatMap(\.nodes).contains { ($0.inside as? any ReblockedNode)?.adapter != nil }
  }

  deinit {
    for member in members {
      for node in member.nodes { node.deactivate() }
    }
  }

  /// Renders to the end; plugins are taken down with the session. [main]
  ///
  /// - Parameter onProgress: called about ten times a second; false ends the rendering, which then
  ///   throws and leaves no file.
  /// - Returns: what came out.
  /// - Throws: what the files have against it on the way, or that it was ended.
  package func run(onProgress: (RenderProgress) -> Bool) throws -> RenderReport {
    let latencies = LatencyMonitor(members)
    var messages = PluginLogReporter()
    var said: [String] = []
    let processState = SharedProcessState()
    var readings: [NamedReading] = []
    let atInputEnd: () -> Void = { [self] in
      // The tail may be silence, which nobody hears.
      members.refreshReadouts()
      inputReadouts = members.readouts()
      readings = currentReadings
    }
    var report = try driver.render(
      engine.renderer,
      onProgress: { [driver] progress in
        // Plugins speak all the time; what is too much of it is told at the end.
        said += messages.takeSentences(members, now: 0)
        if !onProgress(progress) { driver.cancel() }
      }, atInputEnd: isMeasured ? atInputEnd : nil)
    let faultyInput = engine.takeFaultyInputSamples()
    report.faultyInputSampleCount = faultyInput.count
    report.firstInputFaultSeconds = Double(faultyInput.firstFrame) / engine.settings.sampleRateHz
    ForeignChanges.noteModes(in: contexts, of: members)
    ForeignChanges.note(processState.restore(), among: members.map(\.plugin.name))
    report.notes += ForeignChanges.takeRemarks(on: members)
    if report.faultySampleCount > 0 { report.overflowingGainDecibels = overflowingGainDecibels }
    report.notes += said + messages.takeSentences(members, now: 0) + messages.takeRest()
    report.notes += latencies.remarks() + endFiles()
    members.refreshReadouts()
    // A tail that is heard counts.
    inputReadings = report.tailFrameCount == 0 && !readings.isEmpty ? readings : nil
    return report
  }

  /// Whether anything in the rig measures.
  private var isMeasured: Bool {
    members.contains { !$0.plugin.readouts.isEmpty } || !members.meters.isEmpty
  }

  /// Ends recordings, players and logs; returns what there is to say of them.
  private func endFiles() -> [String] {
    var notes: [String] = []
    recordingWatch.follow(members)
    for case let node as RecorderNode in members.flatMap(\.nodes) { node.deactivate() }
    notes += recordingWatch.takeNotices()
    for case let node as PlayerNode in members.flatMap(\.nodes) {
      notes += node.playback.takeNotices()
    }
    for (_, meter) in members.meters {
      meter.stop()
      notes += meter.takeNotices()
    }
    return notes
  }

  /// How many threads rendered: 1 where there was no work for more. [main]
  package var usedThreadCount: Int { engine.usedThreadCount }

  /// What the rig's meters show, in its order. [main]
  package var meterReadings: [NamedReading] { inputReadings ?? currentReadings }

  private var currentReadings: [NamedReading] {
    members.meters.map { NamedReading(name: $0.name, reading: $0.meter.reading) }
  }

  /// What the nodes reported at the end of the input, in the order of the rig. [main, not rendering]
  package var readouts: [NodeReadouts] { inputReadouts ?? members.readouts() }

  private static func output(
    _ request: RenderRequest, _ plan: RigPlan, _ sampleRateHz: Int, _ source: AudioFileSource?,
    _ eventSeconds: Double?
  ) -> AudioFileWriter.Settings {
    var settings = AudioFileWriter.Settings(
      path: request.output, sampleRateHz: sampleRateHz, channelCount: plan.outputChannelCount)
    settings.standardOutput = request.standardOutput
    settings.container = request.container
    settings.format = request.format
    settings.replaces = request.replaces
    let limit = request.seconds.map { Int(($0 * Double(sampleRateHz)).rounded()) }
    // A minute covers any tail that ends by itself.
    let tail = Int(max(60, (request.tailSeconds ?? 0) + 1)) * sampleRateHz
    let songFrameCount = eventSeconds.map { Int(($0 * Double(sampleRateHz)).rounded(.up)) }
    // A stream's length is not known, however long the song.
    let frameCount =
      source == nil ? songFrameCount : source?.frameCount.map { max($0, songFrameCount ?? 0) }
    // A header may promise any number; one too large to add to is as good as none.
    settings.longestFrameCount = [frameCount, limit].compactMap { $0 }.min().flatMap {
      let (sum, overflow) = $0.addingReportingOverflow(tail)
      return overflow ? nil : sum
    }
    return settings
  }

  /// How long the rig's players play, where nothing else says how long a rendering is.
  ///
  /// - Throws: `SessionError` where they do not say so either.
  private static func playedSeconds(_ plan: RigPlan) throws -> Double {
    let players = plan.nodes.compactMap { node in
      PlayerSettings(node.plugin).map { (name: node.name, seconds: $0.lengthSeconds) }
    }
    guard let first = players.first else { throw SessionError.endless }
    if let round = players.first(where: { $0.seconds == .infinity }) {
      throw SessionError.playsForEver(node: round.name)
    }
    guard let longest = players.compactMap(\.seconds).max() else {
      throw SessionError.playersWait(node: first.name)
    }
    return longest
  }

  /// A MIDI file by frames, with what ends the notes that it leaves.
  private static func events(_ song: MIDIFile, _ sampleRateHz: Double) -> [ScheduledEvent] {
    (song.messages + song.endings).map {
      ScheduledEvent(frame: UInt64(($0.seconds * sampleRateHz).rounded()), bytes: $0.bytes)
    }
  }

  private static func notes(
    _ rig: RigDescription, _ sampleRateHz: Int, hasInput: Bool
  ) -> [String] {
    guard hasInput, let wanted = rig.sampleRateHz, wanted != sampleRateHz else { return [] }
    return [
      "The rig is set to \(wanted) Hz. It is rendered at the input's \(sampleRateHz) Hz."
    ]
  }
}
