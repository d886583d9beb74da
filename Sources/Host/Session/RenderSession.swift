// RenderSession.swift: offline rendering of a rig from file to file. SPDX-License-Identifier: MIT

import AudioFiles
import ErrorModel
import FilePlayback
package import FileRecording
import MIDIFiles
import Metering
package import OfflineDriver
package import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema

/// Opens all files and creates all nodes of a rig before the first frame is rendered.
@safe package final class RenderSession {
  /// Messages before the start.
  package let notes: [String]
  /// The latency of the plugins in frames.
  ///
  /// The output is shifted back by this amount.
  package let latencyFrames: Int

  /// The time limit for a process call, in block lengths.
  ///
  /// It is long, because no device waits.
  private static let timeoutBlocks = 50.0

  /// The measurements up to the end of the input; nil if the end was not reached.
  private var inputReadouts: [NodeReadouts]?
  /// The meter values; nil if a tail was also written, or if there is no meter.
  private var inputReadings: [NamedReading]?
  private let driver: OfflineDriver
  private let engine: Engine
  private let members: [BuiltRig.BuiltNode]
  /// The total gain of consecutive connections, in dB, if they amplify; otherwise nil.
  private let overflowingGainDecibels: Double?
  private var recordingWatch = RecordingMonitor()
  /// The results of the recordings after the rendering. [main]
  package var recordings: [RecordingReport] { recordingWatch.reports }
  /// The paths of level logs that lost lines. [main]
  package var incompleteLogs: [String] { members.meters.compactMap(\.meter.incompleteLog) }
  private let contexts: [(node: any Node, context: UnsafeRawPointer)]

  /// Creates the nodes, compiles the graph, and opens the output after `onOpen`. [main]
  ///
  /// - Throws: errors of the files, of the plan, or of a plugin.
  package init(
    _ rig: PreparedRig, _ library: PluginLibrary, _ request: RenderRequest, onOpen: () -> Void = {}
  ) throws {
    try rig.checkRecordings()
    // Such a plugin has no usable ports, which would cause misleading errors.
    try library.checkUsable(rig.plugins)
    guard !(rig.usesInput && request.input == nil) else { throw SessionError.inputMissing }
    if let input = request.input, !rig.usesInput { throw SessionError.inputUnused(path: input) }
    var opened: AudioFileSource?
    var conversion: [String] = []
    var sampleRateHz = request.sampleRateHz ?? rig.rig.sampleRateHz ?? 48_000
    if let input = request.input {
      var reader =
        input == "-"
        ? try AudioFileReader(raw: request.rawInput)
        : try AudioFileReader(path: input, allowsPipe: true)
      let container = request.container ?? AudioContainer(path: request.output)
      if let container, let rateHz = container.substitute(forRateHz: reader.sampleRateHz),
        let copy = try AudioCopy.of(&reader, rateHz: rateHz)
      {
        conversion = [
          container.note(on: request.output, with: rateHz, insteadOf: reader.sampleRateHz)
        ]
        reader = try AudioFileReader(path: copy.path)
      }
      sampleRateHz = reader.sampleRateHz
      opened = AudioFileSource(reader)
    }
    let song = try request.midi.map { try MIDIFile(path: $0) }
    let plan = try rig.plan(
      inputChannelCount: opened?.channelCount ?? 0, outputChannelCount: rig.rig.outputChannelCount
    )
    let isOpen = opened == nil && request.seconds == nil && song == nil
    // Tolerate less than a frame, because sums of seconds are not exact.
    let playedSeconds = isOpen ? try Self.playedSeconds(plan) - 0.5 / Double(sampleRateHz) : nil
    guard plan.outputChannelCount > 0 else { throw SessionError.nothingToRender }
    if let midi = request.midi, !plan.acceptsMIDI { throw SessionError.midiUnused(path: midi) }

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
    var crashReporter = CrashReporter()
    unsafe crashReporter.follow(rig, library)
    let built = try RigBuilder.build(plan, configuration, makeNode: rig.nodeMaker(library))
    engine = Engine(
      Engine.Settings(
        inputChannelCount: plan.inputChannelCount, outputChannelCount: plan.outputChannelCount,
        maximumFrameCount: settings.blockFrames, sampleRateHz: Double(sampleRateHz),
        startsFadedOut: false, silencesFaultyInputs: true, threads: .offline(rig.rig.threadCount)),
      transport: transport)
    let compiled = try GraphCompiler.compile(built.graph, for: engine)
    engine.install(compiled)
    unsafe crashReporter.follow(rig, library, LiveGraph.names(of: compiled.contexts, built.members))
    FaultMonitor.shared?.allow(
      seconds: Self.timeoutBlocks * Double(settings.blockFrames) / Double(sampleRateHz))
    if let song { engine.schedule(Self.events(song, Double(sampleRateHz))) }
    settings.latencyFrames = compiled.latencyFrames

    // Open the output last, so that a failed start leaves no file.
    onOpen()
    let sink = try AudioFileSink(
      Self.output(request, plan, sampleRateHz, opened, settings.eventSeconds))
    latencyFrames = compiled.latencyFrames
    unsafe contexts = compiled.contexts
    members = built.members
    overflowingGainDecibels = plan.highestGainDecibels.flatMap { $0 > 0 ? $0 : nil }
    notes =
      rig.plugins.compactMap(library.note) + conversion + plan.notes
      + Self.notes(rig.rig, sampleRateHz, hasInput: opened != nil) + built.members.sandboxGaps
    settings.keepsBlocks = Self.keepsBlocks(built.members)
    if built.members.contains(where: { $0.plugin.format.flags.contains(.rendersTailInBlocks) }) {
      settings.tailGridFrames = RenderSettings.longestBlockFrames
    }
    driver = OfflineDriver(settings, from: opened, to: sink)
  }

  /// Whether the block at the end of the input must be complete: a node needs it, or no node measures.
  private static func keepsBlocks(_ members: [BuiltRig.BuiltNode]) -> Bool {
    let measures =
      !members.meters.isEmpty
      || members.contains {
        $0.plugin.format.flags.contains(.readoutsDescribeFile) && !$0.plugin.readouts.isEmpty
      }
    return !measures
      || members.flatMap(\.nodes).contains { $0.capabilities.adaptation?.blockFrames != nil }
  }

  deinit {
    for member in members {
      for node in member.nodes { node.deactivate() }
    }
  }

  /// Renders to the end. [main]
  ///
  /// The plugins are destroyed with the session.
  ///
  /// - Parameter onProgress: called about ten times per second; false ends the rendering, which then throws and
  /// leaves no file.
  /// - Returns: the report.
  /// - Throws: errors of the files, or that the rendering was stopped.
  package func run(onProgress: (RenderProgress) -> Bool) throws -> RenderReport {
    let latencies = LatencyMonitor(members)
    var messages = PluginLogReporter()
    var notices: [HostNotice] = []
    let processState = SharedProcessState()
    var readings: [NamedReading] = []
    let atInputEnd: () -> Void = { [self] in
      // The tail can be silent.
      members.refreshReadouts()
      inputReadouts = members.readouts()
      readings = currentReadings
    }
    var report = try driver.render(
      engine.renderer,
      onProgress: { [driver] progress in
        // Plugins can log continuously. Suppressed messages are reported at the end.
        notices += messages.takeMessages(members, now: 0)
        if !onProgress(progress) { driver.cancel() }
      }, atInputEnd: isMeasured ? atInputEnd : nil, check: { try members.checkWorkers() })
    let faultyInput = engine.takeFaultyInputSamples()
    report.faultyInputSampleCount = faultyInput.count
    report.firstInputFaultSeconds = Double(faultyInput.firstFrame) / engine.settings.sampleRateHz
    unsafe ForeignChanges.recordModes(in: contexts, of: members)
    ForeignChanges.report(processState.restore(), among: members)
    notices = ForeignChanges.takeNotices(on: members) + notices
    if report.faultySampleCount > 0 { report.overflowingGainDecibels = overflowingGainDecibels }
    notices += messages.takeMessages(members, now: 0) + messages.flush()
    report.notes += notices.map(\.description)
    if let seconds = report.cutTailSeconds {
      report.notes.append(
        "The tail was cut after \(Int(seconds)) s, before it was silent. Set its length with --tail."
      )
    }
    report.notes += members.takeRefusals().map(\.text)
    report.notes += latencies.remarks() + endFiles().map(\.description)
    members.refreshReadouts()
    // An audible tail counts.
    inputReadings = report.tailFrameCount == 0 && !readings.isEmpty ? readings : nil
    return report
  }

  /// Whether a node of the rig measures.
  private var isMeasured: Bool {
    members.contains { !$0.plugin.readouts.isEmpty } || !members.meters.isEmpty
  }

  /// Stops recordings, players and logs, and returns their notices.
  private func endFiles() -> [HostNotice] {
    var notes: [HostNotice] = []
    recordingWatch.follow(members)
    let nodes = members.flatMap(\.nodes)
    for node in nodes where node.capabilities[Recording.self] != nil { node.deactivate() }
    notes += recordingWatch.takeNotices()
    notes += nodes.compactMap { $0.capabilities[Playback.self] }.flatMap { $0.takeNotices() }
    for (_, meter) in members.meters {
      meter.stop()
      notes += meter.takeNotices()
    }
    return notes
  }

  /// The number of render threads; 1 if more were not useful. [main]
  package var usedThreadCount: Int { engine.usedThreadCount }

  /// Returns the meter values, in rig order. [main]
  package var meterReadings: [NamedReading] { inputReadings ?? currentReadings }

  private var currentReadings: [NamedReading] {
    members.meters.map { NamedReading(name: $0.name, reading: $0.meter.reading) }
  }

  /// Returns the readouts at the end of the input, in rig order. [main, not rendering]
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
    // One minute is enough for any tail that ends.
    let tail = Int(max(60, (request.tailSeconds ?? 0) + 1)) * sampleRateHz
    let songFrameCount = eventSeconds.map { Int(($0 * Double(sampleRateHz)).rounded(.up)) }
    // The length of a pipe is unknown, also if there is a MIDI file.
    let frameCount =
      source == nil ? songFrameCount : source?.frameCount.map { max($0, songFrameCount ?? 0) }
    // A header can contain any length. A length that overflows counts as unknown.
    settings.longestFrameCount = [frameCount, limit].compactMap { $0 }.min().flatMap {
      let (sum, overflow) = $0.addingReportingOverflow(tail)
      return overflow ? nil : sum
    }
    return settings
  }

  /// Returns the playing time of the rig's players, if there is no other length.
  ///
  /// - Throws: `SessionError` if the players have no length.
  private static func playedSeconds(_ plan: RigPlan) throws -> Double {
    let players = plan.nodes.compactMap { node in
      PlayerSettings(node.plugin).map { (name: node.name, seconds: $0.lengthSeconds) }
    }
    guard let first = players.first else { throw SessionError.endless }
    if let round = players.first(where: { $0.seconds == .infinity }) {
      throw SessionError.loopsForever(node: round.name)
    }
    guard let longest = players.compactMap(\.seconds).max() else {
      throw SessionError.playersWait(node: first.name)
    }
    return longest
  }

  /// Returns the events of a MIDI file by frame, with note-offs for open notes at the end.
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
