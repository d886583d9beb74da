// Playback.swift: the thread that reads files ahead, and its status. SPDX-License-Identifier: MIT

import AudioFiles
package import ErrorModel
import Glibc
import RealtimeKit
import Synchronization

/// Files, their ring, and the thread between them.
///
/// If the disk stalls, the thread outlives this object's users: it keeps the object alive.
package final class Playback: @unchecked Sendable {
  // Unchecked for the pointer to the state, whose parts belong to one thread each.

  /// The read-ahead, in seconds.
  static let aheadSeconds = 2.0
  /// The audio that must be available at the start and after a jump, in seconds.
  private static let startSeconds = 0.1
  private static let pieceFrames = 4096

  /// The settings of the player.
  package let request: PlayerSettings
  /// The state for the step. [render]
  let state: UnsafeMutablePointer<PlayerState>

  private let sampleRateHz: Double
  private let list: LoopingPlaylist
  private let piece: ChannelBuffers
  private let aheadFrames: Int
  private let startFrames: Int
  private let isOffline: Bool
  private let status: Mutex<PlaybackStatus>
  private let stopSignal = StopSignal()
  private let wakeSignal = StopSignal()

  /// Creates a playback without opening a file. [main]
  init(_ request: PlayerSettings, sampleRateHz: Double, blockFrames: Int, isOffline: Bool) {
    self.request = request
    self.isOffline = isOffline
    self.sampleRateHz = sampleRateHz
    list = LoopingPlaylist(request, sampleRateHz: sampleRateHz)
    piece = ChannelBuffers(count: request.channelCount, frameCount: Self.pieceFrames)
    startFrames = max(Int(sampleRateHz * Self.startSeconds), 2 * blockFrames)
    aheadFrames = max(Int(sampleRateHz * Self.aheadSeconds), 4 * startFrames)
    state = .allocate(capacity: 1)
    state.initialize(
      to: PlayerState(
        // The same size again for the audio after a jump, while the audio before it is still
        // played.
        ring: FrameRing(
          channelCount: request.channelCount, frameCount: 2 * aheadFrames + Self.pieceFrames),
        rampFrames: max(1, Int(sampleRateHz * 0.02)), fadeFrames: max(1, Int(sampleRateHz * 0.005)),
        delayFrames: Int((request.startSeconds * sampleRateHz).rounded())))
    status = Mutex(PlaybackStatus(isWanted: !request.startsWaiting))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Returns the notices since the last call. [main]
  package func takeNotices() -> [HostNotice] {
    let notices = list.list.notices
    if state.pointee.starved.load(ordering: .relaxed) > 0,
      let file = status.withLock({ $0.takeStarvedFile() })
    {
      notices.append(.playbackStarves(request.files[file]))
    }
    return notices.take()
  }

  /// The duration of silence because audio was not available in time, in seconds. [main]
  package var starvedSeconds: Double {
    Double(state.pointee.starved.load(ordering: .relaxed)) / sampleRateHz
  }

  /// Samples of the files that were no finite numbers, and are silent. [main]
  package var silencedSampleCount: Int { status.withLock { $0.silencedSampleCount } }

  /// The current position. [main]
  package var progress: PlayerStatus {
    let frame = state.pointee.ring.consumedFrameCount
    let hasEnded = frame >= state.pointee.end.load(ordering: .relaxed)
    return status.withLock { status in
      let mark = status.mark(at: frame)
      let seconds =
        mark.position.seconds + Double(frame - min(frame, mark.ringFrame)) / sampleRateHz
      return PlayerStatus(
        file: request.files[mark.position.file], number: mark.position.file,
        seconds: min(seconds, mark.fileSeconds ?? seconds), fileSeconds: mark.fileSeconds,
        state: hasEnded ? .ended : !status.isWanted ? .stopped : .playing)
    }
  }

  /// Sets how loud it is, linear. [main]
  func setGain(_ gain: Float) {
    state.pointee.targetGain.store(gain.bitPattern, ordering: .relaxed)
  }

  /// Sets the gain without a glide. [main, not rendering]
  func setGainImmediately() {
    let gain = Float(bitPattern: state.pointee.targetGain.load(ordering: .relaxed))
    (state.pointee.gain, state.pointee.target, state.pointee.gainFrames) = (gain, gain, 0)
  }

  // MARK: - Orders

  /// Executes a command. [main]
  ///
  /// - Throws: `PlayerError` if the command is invalid in this state.
  package func perform(_ order: PlayerCommand) throws(PlayerError) {
    let progress = progress
    switch order {
    case .start:
      if progress.state == .playing { throw .playing(path: progress.file) }
      if progress.state == .ended { jump(.init()) }
      requestSeek(true)
    case .stop:
      requestSeek(false)
      jump(.init())
    case .pause:
      guard progress.state == .playing else { throw .notPlaying }
      requestSeek(false)
    case .next, .previous:
      let isNext = order == .next
      let number = progress.number + (isNext ? 1 : -1)
      let count = request.files.count
      guard request.isLooping || 0 ..< count ~= number else {
        throw .noOther(path: progress.file, isNext: isNext)
      }
      jump(.init(file: (number + count) % count))
    case .seek(let seconds):
      if let length = progress.fileSeconds, seconds >= length {
        throw .pastEnd(path: progress.file, seconds: length)
      }
      jump(.init(file: progress.number, seconds: seconds))
    }
  }

  /// Continues at the position of another playback, whose rate may differ. [main, neither
  /// rendering]
  func resume(as other: PlayerStatus) {
    if other.seconds > 0 { state.pointee.delayFrames = 0 }
    requestSeek(other.state != .stopped)
    jump(Playlist.Position(file: other.number, seconds: other.seconds))
  }

  private func requestSeek(_ isWanted: Bool) {
    status.withLock { $0.isWanted = isWanted }
    state.pointee.isWanted.store(isWanted, ordering: .relaxed)
  }

  private func jump(_ position: Playlist.Position) {
    status.withLock { $0.jump = position }
    wakeSignal.signal()
  }

  // MARK: - Start and end

  /// Opens the first file, reads its beginning, and starts the thread. [main]
  ///
  /// - Throws: `AudioFileError` if the first file is unusable, or `PlayerError.pastEnd`.
  func start() throws {
    try list.list.open()
    if let length = list.list.fileSeconds, request.fromSeconds >= length {
      throw PlayerError.pastEnd(path: request.files[0], seconds: length)
    }
    if request.fromSeconds > 0 {
      list.seek(to: Playlist.Position(seconds: request.fromSeconds))
    } else {
      state.pointee.plainStart.store(0, ordering: .relaxed)
    }
    state.pointee.isWanted.store(!request.startsWaiting, ordering: .relaxed)
    var isLast = false
    while !isLast, state.pointee.ring.writtenFrameCount < startFrames { isLast = readPiece() }
    if isLast { markEnd() }
    guard let code = DetachedThread.start({ self.run() }) else {
      status.withLock { $0.isRunning = true }
      return
    }
    throw AudioFileError.unreadable(path: request.files[0], reason: String(cString: strerror(code)))
  }

  /// Ends the thread; no block is being rendered or will be. [main]
  func stop() {
    guard status.withLock({ $0.isRunning }) else { return }
    status.withLock { $0.isRunning = false }
    // The thread is not joined: it has nothing to finish.
    stopSignal.signal()
  }

  // MARK: - The thread

  private func run() {
    while !stopSignal.isRaised {
      wait()
      wakeSignal.reset()
      while let position = status.withLock({ $0.takeJump() }) { jump(to: position) }
      fill()
    }
  }

  private func wait() {
    var events = [
      pollfd(fd: stopSignal.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeSignal.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    // Offline rendering is limited by the speed of reading.
    poll(&events, 2, isOffline ? 1 : 50)
  }

  /// Reads until the ring is filled to the read-ahead, or a command arrives. [reader]
  private func fill() {
    while !stopSignal.isRaised, !wakeSignal.isRaised,
      state.pointee.end.load(ordering: .relaxed) == .max
    {
      // Audio before a cut is skipped.
      let played = max(
        state.pointee.ring.consumedFrameCount, state.pointee.cut.load(ordering: .relaxed))
      guard state.pointee.ring.writtenFrameCount - played < aheadFrames,
        state.pointee.ring.hasRoom(for: Self.pieceFrames)
      else { return }
      if readPiece() { markEnd() }
    }
  }

  /// Reads some frames into the ring, which has room for them; whether they are the last. [reader]
  private func readPiece() -> Bool {
    let mark = PlaybackStatus.FilePosition(
      ringFrame: state.pointee.ring.writtenFrameCount, position: list.position,
      fileSeconds: list.list.fileSeconds)
    let count = list.read(into: piece, frameCount: Self.pieceFrames)
    if count > 0 { _ = state.pointee.ring.write(piece.pointers, frameCount: count) }
    let silenced = list.list.silencedSampleCount
    let played = state.pointee.ring.consumedFrameCount
    status.withLock { status in
      status.record(mark, played: played)
      status.silencedSampleCount = silenced
    }
    return count < Self.pieceFrames
  }

  /// All that is in the ring is all that there is.
  private func markEnd() {
    // Pairs with the acquiring load of the step: everything before is in the ring.
    state.pointee.end.store(state.pointee.ring.writtenFrameCount, ordering: .releasing)
  }

  /// Jumps to a position: the audio read before is played until the new audio is available.
  private func jump(to position: Playlist.Position) {
    list.seek(to: position)
    let start = state.pointee.ring.writtenFrameCount
    state.pointee.plainStart.store(
      position == Playlist.Position() ? start : -1, ordering: .relaxed)
    var isLast = false
    while !isLast, state.pointee.ring.writtenFrameCount - start < startFrames,
      state.pointee.ring.hasRoom(for: Self.pieceFrames)
    { isLast = readPiece() }
    // Pairs with the acquiring load of the step: first the frames, then their start, then the
    // continuation.
    state.pointee.cut.store(start, ordering: .releasing)
    if isLast { markEnd() } else { state.pointee.end.store(.max, ordering: .releasing) }
  }
}
