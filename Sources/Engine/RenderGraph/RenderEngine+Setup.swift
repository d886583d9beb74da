// RenderEngine+Setup.swift: what makes an engine, feeds it and frees it. SPDX-License-Identifier: MIT

package import CRealtime
package import PluginModel
import RealtimeKit
import Synchronization

extension RenderEngine {
  /// An engine that is silent until a program is installed. [main]
  init(
    settings: Engine.Settings, transport: UnsafeMutablePointer<TransportState>?,
    events: UnsafeMutablePointer<EngineEvents>, crew: UnsafeMutablePointer<RenderThreadPool>?,
    blackBox: UnsafeMutablePointer<BlackBox>?
  ) {
    self.crew = crew
    self.transport = transport
    self.events = events
    inputs = PlanarBuffer(
      channelCount: settings.inputChannelCount, frameCapacity: settings.maximumFrameCount)
    outputs = PlanarBuffer(
      channelCount: settings.outputChannelCount, frameCapacity: settings.maximumFrameCount)
    maximumFrameCount = settings.maximumFrameCount
    sampleRateHz = settings.sampleRateHz
    inputMeter = PeakMeter(channelCount: settings.inputChannelCount)
    outputMeter = PeakMeter(channelCount: settings.outputChannelCount)
    load = LoadMeter()
    fade = MasterFade(
      isOpen: !settings.startsFadedOut, seconds: Engine.fadeSeconds,
      sampleRateHz: settings.sampleRateHz)
    self.blackBox = blackBox
    current = nil
    repair = OutputConcealment(
      channelCount: settings.outputChannelCount, sampleRateHz: settings.sampleRateHz)
    offset = DCOffsetDetector(
      channelCount: settings.outputChannelCount, sampleRateHz: settings.sampleRateHz)
    watchesOffset = settings.watchesOffset
    silencesFaultyInputs = settings.silencesFaultyInputs
    longFade = FadeCurve(sampleRateHz: settings.sampleRateHz)
  }

  /// The fades of guards, which live as long as the engine. [main]
  var guardCurves: BypassFadeCurves {
    BypassFadeCurves(
      short: UnsafePointer(repair.curve.gains), shortFrames: repair.curve.frameCount,
      long: UnsafePointer(longFade.gains), longFrames: longFade.frameCount)
  }
}

/// The owner of a `RenderEngine`: makes it at a fixed address, installs programs, frees what was replaced.
package final class Engine {
  /// How long the master fade takes: long enough not to click, short enough not to be waited for.
  package static let fadeSeconds = 0.02

  /// The shape of an engine, fixed for its life.
  package struct Settings: Sendable, Equatable {
    /// Channels that the driver captures, at least 0.
    package var inputChannelCount: Int
    /// Channels that the driver plays, at least 0.
    package var outputChannelCount: Int
    /// The longest block, in frames, at least 1.
    package var maximumFrameCount: Int
    /// Frames a second, above 0.
    package var sampleRateHz: Double
    /// Whether the faults of nodes are kept from being heard: what is not a number, or runs away.
    package var guardsNodes = false
    /// Whether a node is led past that takes so much time that the sound is about to break off, where nodes are
    /// guarded.
    package var watchesDeadline = false
    /// Whether one is that puts a constant offset into the outputs, where nodes are guarded.
    package var watchesOffset = false
    /// Whether samples of the inputs that are not numbers are replaced by silence, and counted.
    package var silencesFaultyInputs = false
    /// How many seconds of what is rendered are kept, for `takeSnapshot`; 0 for none.
    package var rememberedSeconds = 0.0
    /// How many threads render, and when.
    package var threads = ThreadPolicy.one
    /// Whether the outputs are silent until the fade is opened (live), or open at once (offline).
    package var startsFadedOut: Bool

    /// All of it.
    package init(
      inputChannelCount: Int, outputChannelCount: Int, maximumFrameCount: Int, sampleRateHz: Double,
      startsFadedOut: Bool, guardsNodes: Bool = false, watchesDeadline: Bool = false,
      watchesOffset: Bool = false, silencesFaultyInputs: Bool = false, threads: ThreadPolicy = .one,
      rememberedSeconds: Double = 0
    ) {
      self.inputChannelCount = inputChannelCount
      self.outputChannelCount = outputChannelCount
      self.maximumFrameCount = maximumFrameCount
      self.sampleRateHz = sampleRateHz
      self.startsFadedOut = startsFadedOut
      self.guardsNodes = guardsNodes
      self.watchesDeadline = watchesDeadline
      self.watchesOffset = watchesOffset
      self.silencesFaultyInputs = silencesFaultyInputs
      self.rememberedSeconds = rememberedSeconds
      self.threads = threads
    }
  }

  /// What drivers call `renderBlock` with; valid as long as this object lives.
  package let pointer: UnsafeMutablePointer<RenderEngine>
  /// What it was made with.
  package let settings: Settings
  /// The musical time that it advances, which its nodes were made with; nil where there is none.
  package let transport: Transport?
  /// MIDI at its borders, at a fixed address too.
  let events: UnsafeMutablePointer<EngineEvents>
  /// The last seconds, likewise; nil where nobody wants them.
  private let blackBox: UnsafeMutablePointer<BlackBox>?
  /// Threads that render with the driver's; nil where one is all.
  let crew: RenderThreads?
  /// Frames by which the program that was installed last delays the sound; 0 before any was. [main]
  package private(set) var latencyFrames = 0
  /// Every program that the audio thread may still touch.
  private var programs: [UnsafeMutablePointer<RenderSequence>: CompiledGraph] = [:]

  /// A silent engine, which advances `transport` at every block. [main]
  package init(_ settings: Settings, transport: Transport? = nil) {
    self.settings = settings
    self.transport = transport
    events = .allocate(capacity: 1)
    events.initialize(to: EngineEvents(settings))
    crew = RenderThreads(settings.threads, sampleRateHz: settings.sampleRateHz)
    pointer = .allocate(capacity: 1)
    if settings.rememberedSeconds > 0 {
      let box = UnsafeMutablePointer<BlackBox>.allocate(capacity: 1)
      box.initialize(to: BlackBox(settings, seconds: settings.rememberedSeconds))
      blackBox = box
    } else {
      blackBox = nil
    }
    pointer.initialize(
      to: RenderEngine(
        settings: settings, transport: transport?.pointer, events: events, crew: crew?.pointer,
        blackBox: blackBox))
  }

  deinit {
    blackBox?.deinitialize(count: 1)
    blackBox?.deallocate()
    pointer.deinitialize(count: 1)
    pointer.deallocate()
    events.deinitialize(count: 1)
    events.deallocate()
  }
}

// MARK: - Programs

extension Engine {
  /// How many threads have rendered so far, that of the driver included: 1 until there was work enough for
  /// more. [main]
  package var usedThreadCount: Int {
    guard let crew, crew.pointer.pointee.sharedBlocks.load(ordering: .relaxed) > 0 else { return 1 }
    return crew.pointer.pointee.workerCount + 1
  }

  /// Samples of the inputs that were not numbers since the last call, and the frame of the stream of the first of
  /// them; silence took their place. [main]
  package func takeFaultyInputSamples() -> (count: Int, firstFrame: UInt64) {
    let count = pointer.pointee.faultyInputSamples.exchange(0, ordering: .acquiring)
    return (count, pointer.pointee.firstFaultyInput.load(ordering: .relaxed))
  }

  /// Has every thread that renders watched from the next block on, and blocks shared out among all of them
  /// whether that pays or not. [main, not rendering]
  package func observe(_ observer: UnsafePointer<crealtime_observer>) {
    pointer.pointee.observer = observer
    crew?.pointer.pointee.observer = observer
    crew?.pointer.pointee.isForced = true
  }

  /// How many blocks were shared out among threads so far. [main]
  package var sharedBlockCount: UInt64 {
    crew?.pointer.pointee.sharedBlocks.load(ordering: .relaxed) ?? 0
  }

  /// Hands a program to the audio thread, which takes it over at its next block.
  ///
  /// The engine keeps it alive until it has been replaced and collected. A program that was still
  /// waiting to be taken over is dropped. A further change is heard once what the last one replaced
  /// has been collected: see `collectRetired`. [main]
  ///
  /// - Precondition: the program is not in this engine already.
  package func install(_ graph: CompiledGraph) {
    precondition(programs[graph.program] == nil, "a program is installed once")
    programs[graph.program] = graph
    latencyFrames = graph.latencyFrames
    if graph.hasTasks { crew?.start() }
    // Pairs with the acquiring exchange of the render path: the program is complete before it is seen.
    if let overtaken = pointer.pointee.next.exchange(
      graph.program, ordering: .acquiringAndReleasing)
    {
      programs[overtaken] = nil
    }
  }

  /// Whether the audio thread has yet to take over what was installed last. [main]
  package var waitsForAudioThread: Bool {
    pointer.pointee.next.load(ordering: .acquiring) != nil
  }

  /// Whether the audio thread renders what was installed last, and nothing else is left. [main]
  var isSettled: Bool {
    collectRetired()
    return pointer.pointee.next.load(ordering: .acquiring) == nil && programs.count <= 1
  }

  /// Frees what the audio thread has replaced; to be called after a change, until it is heard. [main]
  package func collectRetired() {
    if let retired = pointer.pointee.retired.exchange(nil, ordering: .acquiring) {
      programs[retired] = nil
    }
  }
}
