// RenderEngine+Setup.swift: creates, configures and frees an engine. SPDX-License-Identifier: MIT

package import CRealtime
package import PluginModel
import RealtimeKit
import Synchronization

extension RenderEngine {
  /// Creates an engine that is silent until a render sequence is installed. [main]
  init(
    settings: Engine.Settings, transport: UnsafeMutablePointer<TransportState>?,
    events: UnsafeMutablePointer<EngineEvents>, pool: UnsafeMutablePointer<RenderThreadPool>?,
    blackBox: UnsafeMutablePointer<BlackBox>?
  ) {
    self.pool = pool
    self.transport = transport
    clockOutput = nil
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

  /// The fade curves of guards, which live as long as the engine.
  var guardCurves: BypassFadeCurves {
    BypassFadeCurves(
      short: UnsafePointer(repair.curve.gains), shortFrames: repair.curve.frameCount,
      long: UnsafePointer(longFade.gains), longFrames: longFade.frameCount)
  }
}

/// The owner of a `RenderEngine`: creates it at a fixed address, installs render sequences, frees
/// replaced ones.
package final class Engine {
  /// The length of the master fade, in seconds: long enough not to click, short enough not to cause
  /// a delay.
  package static let fadeSeconds = 0.02

  /// The settings of an engine, fixed for its life.
  package struct Settings: Sendable, Equatable {
    /// The number of channels that the driver captures, at least 0.
    package var inputChannelCount: Int
    /// The number of channels that the driver plays, at least 0.
    package var outputChannelCount: Int
    /// The longest block, in frames, at least 1.
    package var maximumFrameCount: Int
    /// The sample rate, in Hz, above 0.
    package var sampleRateHz: Double
    /// Whether nodes that output NaN, infinity or a runaway level are silenced and bypassed.
    package var guardsNodes = false
    /// Whether a node is bypassed that takes so much time that a dropout is near.
    ///
    /// Requires `guardsNodes`.
    package var watchesDeadline = false
    /// Whether a node is bypassed that sends a DC offset to the outputs.
    ///
    /// Requires `guardsNodes`.
    package var watchesOffset = false
    /// Whether NaN and infinity in the inputs are replaced by silence and counted.
    package var silencesFaultyInputs = false
    /// The length of the black box, in seconds, for `takeSnapshot`; 0 for none.
    package var rememberedSeconds = 0.0
    /// The number of render threads, and when they are used.
    package var threads = ThreadPolicy.one
    /// Whether the outputs are silent until the fade is opened (live), or open from the start
    /// (offline).
    package var startsFadedOut: Bool

    /// Creates settings.
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

  /// The engine that drivers render; valid as long as this object lives.
  package let pointer: UnsafeMutablePointer<RenderEngine>
  /// The settings that the engine was created with.
  package let settings: Settings
  /// The musical time that the engine advances and that its nodes use; nil if there is none.
  package let transport: Transport?
  /// The MIDI input and output, at a fixed address.
  let events: UnsafeMutablePointer<EngineEvents>
  /// The last seconds of the rendering, at a fixed address; nil if they are not kept.
  private let blackBox: UnsafeMutablePointer<BlackBox>?
  /// The MIDI clock to send, at a fixed address; nil if there is none.
  var clockOutput: UnsafeMutablePointer<ClockOutput>?
  /// The clock that the transport follows; nil for none.
  var clock: PublishedClock?
  /// The threads that render together with the driver's thread; nil if that is the only one.
  let pool: RenderThreads?
  /// The latency of the render sequence that was installed last, in frames; 0 before the first one.
  /// [main]
  package private(set) var latencyFrames = 0
  /// Every render sequence that the audio thread may still access.
  private var programs: [UnsafeMutablePointer<RenderSequence>: CompiledGraph] = [:]

  /// Creates a silent engine, which advances `transport` in every block. [main]
  package init(_ settings: Settings, transport: Transport? = nil) {
    self.settings = settings
    self.transport = transport
    events = .allocate(capacity: 1)
    events.initialize(to: EngineEvents(settings))
    pool = RenderThreads(settings.threads, sampleRateHz: settings.sampleRateHz)
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
        settings: settings, transport: transport?.pointer, events: events, pool: pool?.pointer,
        blackBox: blackBox))
    transport?.pointer.pointee.blockTime = BlockTime(
      start: withUnsafePointer(to: &events.pointee.clock.blockStart) { $0 },
      frameCount: withUnsafePointer(to: &events.pointee.frameCount) { $0 })
  }

  deinit {
    clockOutput?.deinitialize(count: 1)
    clockOutput?.deallocate()
    blackBox?.deinitialize(count: 1)
    blackBox?.deallocate()
    pointer.deinitialize(count: 1)
    pointer.deallocate()
    events.deinitialize(count: 1)
    events.deallocate()
  }
}

// MARK: - Render sequences

extension Engine {
  /// The number of threads that have rendered so far, the driver's included; 1 until there is
  /// enough work for more. [main]
  package var usedThreadCount: Int {
    guard let pool, pool.pointer.pointee.sharedBlocks.load(ordering: .relaxed) > 0 else { return 1 }
    return pool.pointer.pointee.workerCount + 1
  }

  /// Returns the number of invalid samples in the inputs since the last call, and the frame of the
  /// stream of the first one.
  ///
  /// They were replaced by silence. [main]
  package func takeFaultyInputSamples() -> (count: Int, firstFrame: UInt64) {
    let count = pointer.pointee.faultyInputSamples.exchange(0, ordering: .acquiring)
    return (count, pointer.pointee.firstFaultyInput.load(ordering: .relaxed))
  }

  /// Observes every render thread from the next block on, and always distributes blocks among all
  /// threads, even if that is slower. [main, not rendering]
  package func observe(_ observer: UnsafePointer<crealtime_observer>) {
    pointer.pointee.observer = observer
    pool?.pointer.pointee.observer = observer
    pool?.pointer.pointee.isForced = true
  }

  /// The number of blocks that several threads rendered together. [main]
  package var sharedBlockCount: UInt64 {
    pool?.pointer.pointee.sharedBlocks.load(ordering: .relaxed) ?? 0
  }

  /// Passes a render sequence to the audio thread, which takes it over at its next block.
  ///
  /// The engine keeps it alive until it was replaced and collected. A sequence that still waits to
  /// be taken over is dropped. A further change becomes active after the sequence replaced last was
  /// collected: see `collectRetired`. [main]
  ///
  /// - Precondition: the sequence is not in this engine already.
  package func install(_ graph: CompiledGraph) {
    precondition(programs[graph.program] == nil, "a program is installed once")
    programs[graph.program] = graph
    latencyFrames = graph.latencyFrames
    if graph.hasTasks { pool?.start() }
    // Pairs with the acquiring exchange of the render thread: the sequence is complete before it is
    // visible.
    if let overtaken = pointer.pointee.next.exchange(
      graph.program, ordering: .acquiringAndReleasing)
    {
      programs[overtaken] = nil
    }
  }

  /// Whether the audio thread has yet to activate the sequence that was installed last. [main]
  package var waitsForAudioThread: Bool {
    pointer.pointee.next.load(ordering: .acquiring) != nil
  }

  /// Whether the audio thread renders the sequence that was installed last, and all others are
  /// freed. [main]
  var isSettled: Bool {
    collectRetired()
    return pointer.pointee.next.load(ordering: .acquiring) == nil && programs.count <= 1
  }

  /// Frees the sequences that the audio thread has replaced; called repeatedly after a change,
  /// until it is active. [main]
  package func collectRetired() {
    if let retired = pointer.pointee.retired.exchange(nil, ordering: .acquiring) {
      programs[retired] = nil
    }
  }
}
