// RunCommand.swift: `outboard run`. SPDX-License-Identifier: MIT

import ALSADriver
import ArgumentParser
import AudioDriver
import Console
import FoundationEssentials
import Glibc
import PipeIO
import Rig
import ServiceManager
import Session

/// Runs plugins or a rig on a sound card.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run plugins, or a rig, on the sound card until Ctrl-C.",
    discussion: """
      outboard run reverb mix=30 decay=2.5
      outboard run --rig manifests/rigs/mic-chain.yaml --period 128
      sox in.wav -t wav - | outboard run reverb --in - --out - | aplay
      """)

  @OptionGroup var rigArguments: RigArguments
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp(
      "Capture device, none, - for standard input, or dummy for a clock without a card; hw:1,0:3-4"
        + " takes its channels 3 and 4. Again for a further one.",
      valueName: "device"))
  var inputs: [String] = []
  @Option(
    name: .customLong("out"),
    help: ArgumentHelp(
      "Playback device, none, - for standard output, or dummy, likewise.", valueName: "device"))
  var outputs: [String] = []
  @Option(help: ArgumentHelp("Frames a second.", valueName: "hz"))
  var rate: Int?
  @Option(help: ArgumentHelp("Frames in a period.", valueName: "frames"))
  var period: Int?
  @Option(help: ArgumentHelp("Periods in the device's buffer.", valueName: "n"))
  var periods: Int?
  @Option(
    help: ArgumentHelp(
      "Sample format, for instance S16, S24_3, S24, S32 or FLOAT.", valueName: "format"))
  var format: String?
  @Flag(help: "Follow the rig's file: each time it is saved, what differs is heard.")
  var watch = false
  @Option(
    help: ArgumentHelp(
      "Record what is played to this new file; its extension says of which kind it is.",
      valueName: "file"))
  var record: String?
  @Option(help: ArgumentHelp("Record what comes in, likewise.", valueName: "file"))
  var recordInput: String?
  @Flag(help: "Measure what comes in and goes out from the start on, and show all meters.")
  var meters = false
  @Option(help: ArgumentHelp("Stop after so long.", valueName: "s"))
  var seconds: Double?
  @Option(
    help: ArgumentHelp(
      "What `outboard set` and `outboard save` call it; else it is named after the rig.",
      valueName: "name"))
  var name: String?
  @OptionGroup var streamArguments: StreamArguments
  @OptionGroup var midiArguments: MIDIArguments
  @OptionGroup var transportArguments: TransportArguments
  @OptionGroup var threadArguments: ThreadArguments
  @Flag(help: "Let the loop of loudspeaker and microphone howl.")
  var noHowlGuard = false
  @Flag(help: "Let a node take as long as it likes, though the sound break off.")
  var noDeadlineWatch = false
  @Flag(help: "Let a constant offset out, as control voltages for other gear are.")
  var noOffsetGuard = false
  @Flag(help: "Add noise before rounding to 16 bits or fewer, which turns distortion into hiss.")
  var dither = false
  @Option(
    help: ArgumentHelp(
      "Print each thing that happens as a line on standard output: json.", valueName: "format"))
  var events: EventFormat?
  @Flag(help: "Print what happened as JSON at the end.")
  var json = false
  @Flag(
    help:
      "Run under a service manager: no terminal, lines for the journal, waits for its devices.")
  var service = false
  @Flag(help: "Wait for a device that is missing, instead of failing.")
  var wait = false
  @Option(
    help: ArgumentHelp(
      "Write the last ten seconds to a new folder in this one at each xrun, and where a plugin fails.",
      valueName: "folder"))
  var blackBox: String?
  @Flag(
    help:
      "Count what the audio thread allocates, locks and asks of the kernel, and name the plugin; status 1 if any."
  )
  var verifyRealtime = false

  func validate() throws {
    func check(_ name: String, _ value: Int?, _ range: ClosedRange<Int>) throws {
      guard let value, !(range ~= value) else { return }
      throw ValidationError(
        "--\(name) \(value) is out of range; it goes from \(range.lowerBound) to"
          + " \(range.upperBound).")
    }
    try check("rate", rate, 1_000 ... 768_000)
    try check("period", period, 1 ... 1_048_576)
    try check("periods", periods, 2 ... 1_024)
    try OptionRanges.check(seconds: seconds)
    if let name, SessionControl.name(for: name) != name {
      throw ValidationError(
        "\"\(name)\" is no name for a run; \(SessionControl.name(for: name)) would be one.")
    }
    if watch, rigArguments.rig == nil {
      throw ValidationError("--watch follows a rig's file; name it with --rig FILE.")
    }
    if json, events != nil {
      throw ValidationError(
        "--json and --events both write to standard output; leave one of them out.")
    }
    if service, json {
      throw ValidationError("--service writes lines for the journal; leave --json out.")
    }
    for list in [inputs, outputs] where list.count > 1 && list.contains("none") {
      throw ValidationError("none stands alone; leave it out beside a device.")
    }
    for text in inputs + outputs where DeviceSpecifier(text) == nil {
      throw ValidationError(DeviceSpecifier.rule(text))
    }
  }

  func run() throws {
    CrashReporter.begin()
    let stopper = TerminationSignals(takesReloads: true)
    let ending = RunEnding(isJSON: json, isService: service)
    FaultMonitor.begin(wakesMain: { stopper.wake() }, conclude: { ending.conclude($0) })
    let manager = service ? NotifySocket.fromEnvironment() : nil
    let library = PluginLibrary()
    // Watched before it is read: until all is tried and open it may have been saved again.
    let follower = watch ? rigArguments.follower { stopper.wake() } : nil
    var prepared = try rigArguments.prepare(library)
    apply(to: &prepared.rig)
    if prepared.rig.isOffline { throw SessionError.offlineRig(file: prepared.rig.file) }
    let streams = try SessionPipes(prepared.rig, streamArguments, isEndless: seconds == nil)
    try prepareOutput(streams)
    let taps = try RecordingTaps(output: record, input: recordInput, for: prepared)
    prepared = try prepared.with(taps, library)
    try prepared.checkRecordings()
    let periodNotes = StoredPeriods.apply(to: &prepared.rig)
    try rigArguments.check(prepared, library)
    stopper.begin()
    var warnings: [String] = []
    let midi = try SequencerMIDILink.open(prepared, &warnings)
    let session = try LiveSession(
      prepared, library, midi: midi, realTimeWatch: verifyRealtime ? RealTimeSafetyMonitor() : nil,
      blackBoxes: try blackBox.map(Self.folder)
    ) { [prepared] request in
      try streams.open(
        request, prepared, rate: rate, seconds: seconds, mayWait: { !stopper.isRaised },
        onEnd: { stopper.wake() })
    }
    let view: any SessionObserver =
      service
      ? ServiceView(session, manager)
      : TerminalView(
        session, isQuiet: json || events != nil, showsMeters: meters,
        results: streams.output == nil ? .output : .error)
    let listener = events.map { _ in JSONEventView(session, tellsMeters: meters) }
    (ending.session, ending.view, ending.listener) = (session, view, listener)
    let notes = periodNotes + session.notes + warnings
    view.warn(notes)
    session.followSources { stopper.wake() }
    let editing = RigSwitcher(session, rigArguments, onProgress: { stopper.wake() }) {
      apply(to: &$0)
      taps.add(to: &$0)
    }
    if watch { editing.follow(follower) }
    defer { editing.stop() }
    // Who looks at them once has them measured from then on.
    if meters { _ = session.meterReadings() }
    try session.start()
    let paced = (session.driver as? PipeBridgeDriver)?.driver ?? session.driver
    warnings = (paced as? ALSADriver)?.warnings ?? []
    view.introduce(warnings: warnings, endsByItself: seconds != nil)
    listener?.introduce(warnings: notes + warnings, endsByItself: seconds != nil)
    let control = openControl(session, editing, stopper, view)
    ending.control = control
    defer { control?.stop() }
    let failure: DeviceFailure?
    do {
      failure = try attend(
        session, editing, view, listener, stopper, control,
        seconds: streams.hasNoCard ? nil : seconds)
    } catch {
      view.willStop()
      FaultMonitor.shared?.beginEnding()
      session.stop()
      FaultMonitor.shared?.finishEnding()
      throw error
    }
    view.willStop()
    FaultMonitor.shared?.beginEnding()
    session.stop()
    FaultMonitor.shared?.finishEnding()
    view.warn(Self.remarks(session.driver))
    let notices = session.takeNotices()
    view.finish(session, notices, asJSON: json)
    listener?.finish(session, notices, asJSON: true)
    guard let failure else {
      try judgeRecordings(session)
      try judgeRealTime(session)
      PluginTeardown.beginAfterRun()
      return
    }
    // For programs the summary has said it: there is one object only.
    throw json ? ExitCode(failure.status.rawValue) : failure
  }

  /// Leaves standard output to the sound, where it goes there.
  private func prepareOutput(_ streams: SessionPipes) throws {
    guard streams.output != nil else { return }
    if json || events != nil {
      throw ValidationError(
        "Standard output takes the sound or the JSON; leave one of them out.")
    }
    // That nobody reads it is told as what it is.
    signal(SIGPIPE, SIG_IGN)
  }

  /// What is worth knowing of a stream that has ended.
  private static func remarks(_ driver: any Driver) -> [String] {
    (driver as? PipeDriver)?.remarks ?? (driver as? PipeBridgeDriver)?.remarks ?? []
  }

  /// A folder that can be written to, made where it is not there yet, as an absolute path.
  private static func folder(_ path: String) throws -> String {
    let folder = URL(fileURLWithPath: path).standardizedFileURL.path
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ValidationError("--black-box \(path) is no folder, and none can be made there.")
    }
    guard access(folder, W_OK) == 0 else {
      throw ValidationError("--black-box \(path) cannot be written to; name another folder.")
    }
    return folder
  }
}

/// How `--events` writes.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
  /// One JSON object on each line.
  case json
}
