// RunCommand.swift: `outboard run`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioDriver
import Console
import Control
import ErrorModel
import FoundationEssentials
import Glibc
import HostCore
import HostModel
import InstalledFormats
import OSC
import PluginLoading
import PluginReports
import RigSchema
import ServiceManager
import Session
import WebServer

/// Runs plugins or a rig on audio devices.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run plugins or a rig on audio devices.",
    discussion: """
      outboard run reverb mix=30 decay=2.5
      outboard run --rig mic-chain --period 128
      sox in.wav -t wav - | outboard run reverb --in - --out - | aplay
      """)

  @OptionGroup var rigArguments: RigArguments
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp(
      "Capture device, -, none or dummy; repeatable.",
      valueName: "device"))
  var inputs: [String] = []
  @Option(
    name: .customLong("out"),
    help: ArgumentHelp(
      "Playback device, -, none or dummy; repeatable.", valueName: "device"))
  var outputs: [String] = []
  @Option(help: ArgumentHelp("Sample rate in Hz.", valueName: "hz"))
  var rate: Int?
  @Option(help: ArgumentHelp("Period size in frames.", valueName: "frames"))
  var period: Int?
  @Option(help: ArgumentHelp("Number of periods in the device buffer.", valueName: "count"))
  var periods: Int?
  @Option(
    help: ArgumentHelp(
      "Device sample format, e.g. S16, S24_3, FLOAT.", valueName: "format"))
  var format: String?
  @OptionGroup var watchArguments: WatchArguments
  @Option(
    help: ArgumentHelp(
      "Record the output to a new file.",
      valueName: "file"))
  var record: String?
  @Option(help: ArgumentHelp("Record the input to a new file.", valueName: "file"))
  var recordInput: String?
  @Flag(help: "Show all level meters from the start.")
  var meters = false
  @Option(help: ArgumentHelp("Stop after this time, e.g. 90s or 1:30.", valueName: "time"))
  var duration: TimeOption?
  @Option(help: ArgumentHelp("Session name. (default: the rig's key `name`)", valueName: "name"))
  var name: String?
  @Option(help: ArgumentHelp("Scene to start with.", valueName: "name"))
  var scene: String?
  @OptionGroup var streamArguments: StreamArguments
  @OptionGroup var midiArguments: MIDIArguments
  @OptionGroup var transportArguments: TransportArguments
  @OptionGroup var clockArguments: ClockArguments
  @OptionGroup var threadArguments: ThreadArguments
  @OptionGroup var isolationArguments: IsolationArguments
  @OptionGroup var webArguments: WebArguments
  @OptionGroup var oscArguments: OSCArguments
  @OptionGroup var announcementArguments: AnnouncementArguments
  @Flag(help: "Disable acoustic feedback suppression.")
  var noFeedbackSuppression = false
  @Flag(help: "Do not bypass nodes that are too slow.")
  var noOverloadProtection = false
  @Flag(
    name: .customLong("no-dc-protection"), help: "Do not bypass nodes that output DC offset.")
  var noDCProtection = false
  @Flag(help: "Dither when converting to 16 bits or fewer.")
  var dither = false
  @Option(
    help: ArgumentHelp(
      "Print events as JSON lines on standard output.", valueName: "format"))
  var events: EventFormat?
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(
    help:
      "Run under systemd or another service manager.")
  var service = false
  @Flag(help: "Wait for missing devices instead of failing.")
  var wait = false
  @Option(
    help: ArgumentHelp(
      "Save a black box here on xruns and faults.",
      valueName: "dir"))
  var blackBox: String?
  @Flag(
    help:
      "Report allocations, locks and system calls while rendering."
  )
  var checkRealtime = false

  @Flag(help: "End the session when a plugin crashes or hangs.")
  var noRestart = false

  func validate() throws {
    try rigArguments.require()
    func check(_ name: String, _ value: Int?, _ range: ClosedRange<Int>) throws {
      guard let value, !(range ~= value) else { return }
      throw ValidationError(
        "--\(name) \(value) is out of range (\(range.lowerBound) to \(range.upperBound)).")
    }
    try check("rate", rate, 1_000 ... 768_000)
    try check("period", period, 1 ... 1_048_576)
    try check("periods", periods, 2 ... 1_024)
    try OptionRanges.check(duration: duration)
    if let name, SocketDirectory.name(for: name) != name {
      throw ValidationError(
        "\"\(name)\" is not a session name. Use e.g. \(SocketDirectory.name(for: name)).")
    }
    if watchArguments.watchPlugins, rigArguments.helperArguments.isInProcess || checkRealtime {
      throw ValidationError(
        "--watch-plugins needs worker processes. Remove --no-helpers, --wait-for-debugger or --check-realtime."
      )
    }
    if watchArguments.watch, rigArguments.rig == nil {
      throw ValidationError("--watch needs a rig file. Specify it with --rig FILE.")
    }
    if json, events != nil {
      throw ValidationError(
        "--json and --events both write to standard output. Remove one.")
    }
    if service, json {
      throw ValidationError("--service writes journal lines. Remove --json.")
    }
    for list in [inputs, outputs] where list.count > 1 && list.contains("none") {
      throw ValidationError("none cannot be combined with a device. Remove it.")
    }
    for text in inputs + outputs where DeviceSpecifier(text) == nil {
      throw ValidationError(DeviceSpecifier.rule(text))
    }
    if let file = inputs.first(where: Self.isFile) {
      throw ValidationError(
        "\(file) is a file, and --in takes a device. Use `outboard render` for files, or `--in -` with `< \(file)`."
      )
    }
    if let file = outputs.first(where: Self.isFile) {
      throw ValidationError(
        "\(file) is a file, and --out takes a device. Write a file with --record \(file).")
    }
  }

  func run() throws {
    rigArguments.helperArguments.begin()
    let restart = restartsAfterFaults ? SessionRestart() : nil
    let duration = restart?.remaining(of: duration?.seconds) ?? duration?.seconds
    let web = try webArguments.prepare(keepsToken: restart?.record != nil)
    let osc = try oscArguments.prepare()
    try announcementArguments.check(web, osc)
    CrashReporter.begin()
    let stopper = TerminationSignals(
      handlesReloads: true, onSignal: { FaultMonitor.shared?.beginEnding() })
    let ending = RunEnding(isJSON: json, isService: service)
    FaultMonitor.begin(wakeMain: { stopper.wake() }, conclude: { ending.conclude($0) })
    let manager = service ? NotifySocket.fromEnvironment() : nil
    let library = PluginLibrary()
    // Calls of plugins in worker processes are not seen.
    if checkRealtime { library.isolationPolicy?.isolates = false }
    watchArguments.apply(to: library)
    // Watch the file before it is read: it can be saved again during preflight.
    let follower = watchArguments.watch ? rigArguments.follower { stopper.wake() } : nil
    var prepared = try rigArguments.prepare(library, continuing: restart?.rig())
    apply(to: &prepared.rig)
    // A session that continues has its present values.
    if let scene, restart?.record == nil { prepared = try prepared.applyingScene(scene) }
    if prepared.rig.isOffline { throw SessionError.offlineRig(file: prepared.rig.file) }
    let streams = try SessionPipes(prepared.rig, streamArguments, isEndless: duration == nil)
    try prepareOutput(streams)
    let taps = try RecordingTaps(
      output: restart?.continued(record) ?? record,
      input: restart?.continued(recordInput) ?? recordInput, for: prepared)
    prepared = try prepared.with(taps, library)
    try prepared.checkRecordings()
    let periodNotes = StoredPeriods.apply(to: &prepared.rig)
    try rigArguments.check(prepared, library)
    stopper.begin()
    var warnings: [String] = []
    let midi = try SequencerMIDILink.open(prepared, &warnings)
    let session = try LiveSession(
      prepared, library, midi: midi, clock: try SequencerClockLink.open(prepared.rig),
      realTimeWatch: checkRealtime ? RealTimeSafetyMonitor() : nil,
      blackBoxes: try blackBox.map(BlackBoxDirectory.path)
    ) { [prepared] request in
      try streams.open(
        request, prepared, rate: rate, seconds: duration, canWait: { !stopper.isRaised },
        onEnd: { stopper.wake() })
    }
    let view: any SessionObserver =
      service
      ? ServiceView(session, manager)
      : TerminalView(
        session, isNonInteractive: json || events != nil, showsMeters: meters,
        results: streams.output == nil ? .output : .error)
    (ending.session, ending.view) = (session, view)
    let notes = periodNotes + session.notes + warnings
    view.warn(notes)
    watchArguments.follow(session) { stopper.wake() }
    var settings = HostSettings(
      rig: rigArguments.rig, runsPreflight: !rigArguments.skipPreflight,
      queries: LibraryService { PluginLibrary() }
    ) {
      apply(to: &$0)
      taps.add(to: &$0)
    }
    settings.openControllers = { try SequencerControllers.open($0, $1) }
    let host = Host(session, settings, revision: restart?.record.map { $0.revision + 1 } ?? 0) {
      stopper.wake()
    }
    ending.host = host
    if let record = restart?.record { session.resume(record, atBeat: restart?.beat) }
    if watchArguments.watch { host.follow(follower) }
    let interfaces = HostInterfaces(
      interfaces(web, osc, restart), of: host,
      sessionName: SocketDirectory.name(for: name ?? session.rigName))
    ending.interfaces = interfaces
    defer {
      host.stop()
      interfaces.stop()
    }
    // Who looks at them once has them measured from then on.
    if meters { _ = session.meterReadings() }
    try session.start()
    warnings = session.driver.warnings + interfaces.warnings
    view.sessionStarted(warnings: warnings, isFinite: duration != nil)
    view.announce((web?.announcement(isLogged: service) ?? []) + (osc?.announcement ?? []))
    host.publishStart(notes: notes + warnings)
    let recorder = RunRecorder(session)
    ending.recorder = recorder
    // Data of pipes that this process has taken would be lost.
    if session.stream.isRealTime, streams.input == nil, streams.output == nil {
      restart?.begin()
      ending.restart = restart
    }
    let failure: DeviceFailure?
    do {
      failure = try supervise(
        host, view, stopper, restart, recorder,
        seconds: session.stream.isRealTime ? duration : nil)
    } catch {
      view.sessionWillStop()
      FaultMonitor.shared?.beginEnding()
      session.stop()
      FaultMonitor.shared?.finishEnding()
      recorder?.end(.failed, reason: "\(error)", of: session)
      throw error
    }
    view.sessionWillStop()
    FaultMonitor.shared?.beginEnding()
    session.stop()
    FaultMonitor.shared?.finishEnding()
    recorder?.end(failure == nil ? .stopped : .failed, reason: failure?.description, of: session)
    view.warn(session.driver.endNotes)
    let notices = session.takeNotices()
    view.finish(session, notices, asJSON: json)
    host.publishEnd(notices: notices)
    ending.status = failure.map { $0.exitStatus } ?? Failure.Status.failure.rawValue
    guard let failure else {
      try judgeRecordings(session)
      try checkRealTimeSafety(session)
      ending.status = 0
      return
    }
    // For programs the summary has said it: there is one object only.
    throw json ? ExitCode(failure.exitStatus) : failure
  }

  private var restartsAfterFaults: Bool {
    !noRestart && !checkRealtime && !rigArguments.helperArguments.isInProcess
  }

  /// Reserves standard output for audio if it is used for audio.
  private func prepareOutput(_ streams: SessionPipes) throws {
    guard streams.output != nil else { return }
    if json || events != nil {
      throw ValidationError(
        "Standard output cannot carry both audio and JSON. Remove one.")
    }
    // A closed pipe is reported as a write error.
    signal(SIGPIPE, SIG_IGN)
  }
}
