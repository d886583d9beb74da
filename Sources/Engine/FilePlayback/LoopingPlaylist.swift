// LoopingPlaylist.swift: a list whose end reaches into its beginning. SPDX-License-Identifier: MIT

import AudioFiles
import Glibc

/// Frames of a list that is played once, or again and again with its end and its beginning
/// crossfaded at equal power.
final class LoopingPlaylist {
  private static let pieceFrames = 4096

  let list: Playlist
  private let channelCount: Int
  private let sampleRateHz: Double
  private let crossfadeFrames: Int
  /// Frames that wait until it is known whether they are the last.
  private let pending: ChannelBuffers
  private var count = 0
  private let head: ChannelBuffers
  /// The number of frames since the start of the list.
  private var roundFrames = 0
  private var hasEnded = false

  /// Creates a playlist without opening a file.
  init(_ request: PlayerSettings, sampleRateHz: Double) {
    channelCount = request.channelCount
    self.sampleRateHz = sampleRateHz
    crossfadeFrames =
      request.isLooping ? Int((request.crossfadeSeconds * sampleRateHz).rounded()) : 0
    list = Playlist(
      request.files, channelCount: channelCount, sampleRateHz: sampleRateHz,
      isLooping: request.isLooping && crossfadeFrames == 0)
    pending = ChannelBuffers(count: channelCount, frameCount: crossfadeFrames + Self.pieceFrames)
    head = ChannelBuffers(count: channelCount, frameCount: max(1, crossfadeFrames))
  }

  /// The approximate source of the next frame. [reader]
  var position: Playlist.Position {
    var position = list.position
    position.seconds = max(0, position.seconds - Double(count) / sampleRateHz)
    return position
  }

  /// Fills buffers; returns the number of frames, which is smaller only at the end. [reader]
  func read(into rows: ChannelBuffers, frameCount: Int) -> Int {
    guard crossfadeFrames > 0 else { return list.read(into: rows, from: 0, frameCount: frameCount) }
    var done = 0
    while done < frameCount {
      if count <= crossfadeFrames || hasEnded {
        guard !hasEnded, fill() else { break }
        continue
      }
      let length = min(frameCount - done, count - crossfadeFrames)
      copy(rows, done, length)
      done += length
    }
    // If no file can be played any more, the waiting frames are the end.
    if hasEnded, done < frameCount {
      let length = min(frameCount - done, count)
      copy(rows, done, length)
      done += length
    }
    return done
  }

  /// Goes elsewhere. [reader]
  func seek(to position: Playlist.Position) {
    (count, roundFrames, hasEnded) = (0, 0, false)
    list.seek(to: position)
  }

  /// Reads more frames; returns false if there are no more.
  private func fill() -> Bool {
    let wanted = crossfadeFrames + Self.pieceFrames - count
    let readCount = list.read(into: pending, from: count, frameCount: wanted)
    count += readCount
    roundFrames += readCount
    if readCount < wanted { crossfadeLoop() }
    return !hasEnded
  }

  /// Crossfades the end of the list with its beginning, by at most half of the available frames.
  private func crossfadeLoop() {
    let tail = min(count, crossfadeFrames, roundFrames / 2)
    list.seek(to: Playlist.Position())
    let readCount = list.read(into: head, from: 0, frameCount: tail)
    // Otherwise the loop would not end.
    if readCount < tail || roundFrames == 0 { hasEnded = true }
    for channel in 0 ..< channelCount {
      let (end, start) = (pending[channel] + (count - tail), head[channel])
      for frame in 0 ..< readCount {
        let phase = (Float(frame) + 0.5) / Float(readCount) * .pi / 2
        end[frame] = end[frame] * cosf(phase) + start[frame] * sinf(phase)
      }
    }
    roundFrames = readCount
  }

  private func copy(_ rows: ChannelBuffers, _ done: Int, _ length: Int) {
    for channel in 0 ..< channelCount {
      (rows[channel] + done).update(from: pending[channel], count: length)
      memmove(
        pending[channel], pending[channel] + length, (count - length) * MemoryLayout<Float>.stride)
    }
    count -= length
  }
}
