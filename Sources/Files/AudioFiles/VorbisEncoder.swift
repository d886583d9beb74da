// VorbisEncoder.swift: Vorbis in Ogg, in pages that do not last. SPDX-License-Identifier: MIT

import CVorbis

/// Encodes frames as Vorbis, in pages of 200 ms.
///
/// If the process is killed, an incomplete page is lost. libsndfile fills pages with 4 KiB: one
/// second of a quiet voice, five seconds of silence. It can limit the page length for Opus, but not
/// for Vorbis. The order of calls is that of libvorbis' guide for encoders. One thread uses a
/// stream.
final class VorbisEncoder {
  private static let pageSeconds = 0.2
  /// The quality, 0 to 1: about 190 kbit/s in stereo.
  private static let quality: Float = 0.6
  /// Frames that are encoded at a time.
  private static let pieceFrameCount = 1024

  private let output: OutputFile
  private let channelCount: Int
  private let pageFrameCount: Int64
  /// The end of the last page, in frames.
  private var pageEnd: Int64 = 0

  // These structures point to each other, so they must not move.
  private let info = UnsafeMutablePointer<vorbis_info>.allocate(capacity: 1)
  private let analysis = UnsafeMutablePointer<vorbis_dsp_state>.allocate(capacity: 1)
  private let block = UnsafeMutablePointer<vorbis_block>.allocate(capacity: 1)
  private let stream = UnsafeMutablePointer<ogg_stream_state>.allocate(capacity: 1)

  /// Starts a stream with its headers.
  ///
  /// - Throws: an error if Vorbis does not support the sample rate and the number of channels.
  init(_ settings: AudioFileWriter.Settings, to output: OutputFile) throws(AudioFileError) {
    let rate = settings.sampleRateHz
    self.output = output
    channelCount = settings.channelCount
    pageFrameCount = Int64(Double(rate) * Self.pageSeconds)
    analysis.initialize(to: vorbis_dsp_state())
    block.initialize(to: vorbis_block())
    stream.initialize(to: ogg_stream_state())
    info.initialize(to: vorbis_info())
    vorbis_info_init(info)
    guard vorbis_encode_init_vbr(info, channelCount, rate, Self.quality) == 0 else {
      throw .notWritable(
        path: settings.path,
        reason: "Vorbis has no setting for \(channelCount) channels at \(rate) Hz")
    }
    vorbis_analysis_init(analysis, info)
    vorbis_block_init(analysis, block)
    // Players use the number to separate the parts of a concatenated file.
    ogg_stream_init(stream, .random(in: 1 ... .max))
    writeHeaders(settings.comments)
  }

  deinit {
    ogg_stream_clear(stream)
    vorbis_block_clear(block)
    vorbis_dsp_clear(analysis)
    vorbis_info_clear(info)
    stream.deallocate()
    block.deallocate()
    analysis.deallocate()
    info.deallocate()
  }

  /// Encodes interleaved frames; returns the number of frames, which is smaller only after a
  /// failure of the output.
  func write(_ samples: UnsafePointer<Float>, frameCount: Int) -> Int {
    var done = 0
    while done < frameCount, output.failure == 0 {
      let count = min(Self.pieceFrameCount, frameCount - done)
      guard let rows = vorbis_analysis_buffer(analysis, Int32(count)) else { break }
      // None of them is nil.
      let channels = UnsafeRawPointer(rows).assumingMemoryBound(
        to: UnsafeMutablePointer<Float>.self)
      Interleaving.split(
        samples + done * channelCount, to: channels, channelCount: channelCount, frameCount: count)
      vorbis_analysis_wrote(analysis, Int32(count))
      writePackets()
      done += count
    }
    return done
  }

  /// Completes the stream; nothing may be written after it.
  func finish() {
    vorbis_analysis_wrote(analysis, 0)
    writePackets()
  }

  /// Writes the format, the tags and the decoder setup; the audio begins on a separate page.
  private func writeHeaders(_ comments: [String]) {
    var tags = vorbis_comment()
    vorbis_comment_init(&tags)
    defer { vorbis_comment_clear(&tags) }
    for comment in comments { vorbis_comment_add(&tags, comment) }
    var packets = (ogg_packet(), ogg_packet(), ogg_packet())
    vorbis_analysis_headerout(analysis, &tags, &packets.0, &packets.1, &packets.2)
    ogg_stream_packetin(stream, &packets.0)
    ogg_stream_packetin(stream, &packets.1)
    ogg_stream_packetin(stream, &packets.2)
    writePages(evenShort: true)
  }

  private func writePackets() {
    while vorbis_analysis_blockout(analysis, block) == 1 {
      vorbis_analysis(block, nil)
      vorbis_bitrate_addblock(block)
      var packet = ogg_packet()
      while vorbis_bitrate_flushpacket(analysis, &packet) == 1 {
        ogg_stream_packetin(stream, &packet)
        writePages(evenShort: packet.granulepos - pageEnd >= pageFrameCount)
      }
    }
  }

  private func writePages(evenShort: Bool) {
    var page = ogg_page()
    while (evenShort ? ogg_stream_flush(stream, &page) : ogg_stream_pageout(stream, &page)) != 0 {
      guard output.put(page.header, page.header_len) == page.header_len,
        output.put(page.body, page.body_len) == page.body_len
      else { return }
      // -1 if no packet ends on the page.
      pageEnd = max(pageEnd, ogg_page_granulepos(&page))
    }
  }
}
