// VorbisEncoder.swift: Vorbis in Ogg, in pages that do not last. SPDX-License-Identifier: MIT

import CVorbis

/// Frames encoded as Vorbis, in pages of 200 ms.
///
/// What is in a page is lost with whoever is killed before it is full, and libsndfile fills them with 4 KiB:
/// a second of a quiet voice, five of silence. It offers its Opus a length, its Vorbis none.
/// The order of calls is that of libvorbis' own guide for encoders; all of one stream belong to one thread.
final class VorbisEncoder {
  private static let pageSeconds = 0.2
  /// Of 0 to 1, about 190 kbit/s in stereo.
  private static let quality: Float = 0.6
  /// Frames that are encoded at a time.
  private static let pieceFrameCount = 1024

  private let output: OutputFile
  private let channelCount: Int
  private let pageFrameCount: Int64
  /// Where the last page ends, in frames.
  private var pageEnd: Int64 = 0

  // They point at each other, and stay where they are.
  private let info = UnsafeMutablePointer<vorbis_info>.allocate(capacity: 1)
  private let analysis = UnsafeMutablePointer<vorbis_dsp_state>.allocate(capacity: 1)
  private let block = UnsafeMutablePointer<vorbis_block>.allocate(capacity: 1)
  private let stream = UnsafeMutablePointer<ogg_stream_state>.allocate(capacity: 1)

  /// Begins a stream with its headers.
  ///
  /// - Throws: where Vorbis has no setting for the rate and the channels.
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
    putHeaders()
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

  /// Encodes as many interleaved frames; returns how many went, fewer only after a failure of the output.
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
      putPackets()
      done += count
    }
    return done
  }

  /// Ends the stream; nothing may be written after it.
  func finish() {
    vorbis_analysis_wrote(analysis, 0)
    putPackets()
  }

  /// Writes the format, the tags and the decoder setup; the audio begins on its own page.
  private func putHeaders() {
    var tags = vorbis_comment()
    vorbis_comment_init(&tags)
    defer { vorbis_comment_clear(&tags) }
    var packets = (ogg_packet(), ogg_packet(), ogg_packet())
    vorbis_analysis_headerout(analysis, &tags, &packets.0, &packets.1, &packets.2)
    ogg_stream_packetin(stream, &packets.0)
    ogg_stream_packetin(stream, &packets.1)
    ogg_stream_packetin(stream, &packets.2)
    putPages(evenShort: true)
  }

  private func putPackets() {
    while vorbis_analysis_blockout(analysis, block) == 1 {
      vorbis_analysis(block, nil)
      vorbis_bitrate_addblock(block)
      var packet = ogg_packet()
      while vorbis_bitrate_flushpacket(analysis, &packet) == 1 {
        ogg_stream_packetin(stream, &packet)
        putPages(evenShort: packet.granulepos - pageEnd >= pageFrameCount)
      }
    }
  }

  private func putPages(evenShort: Bool) {
    var page = ogg_page()
    while (evenShort ? ogg_stream_flush(stream, &page) : ogg_stream_pageout(stream, &page)) != 0 {
      guard output.put(page.header, page.header_len) == page.header_len,
        output.put(page.body, page.body_len) == page.body_len
      else { return }
      // -1 where no packet ends on it.
      pageEnd = max(pageEnd, ogg_page_granulepos(&page))
    }
  }
}
