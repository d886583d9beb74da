// VorbisEncoder.swift: Vorbis in Ogg, in pages that do not last. SPDX-License-Identifier: MIT

import CVorbis

/// Encodes frames as Vorbis, in pages of 200 ms.
///
/// If the process is killed, an incomplete page is lost. libsndfile fills pages with 4 KiB: one
/// second of a quiet voice, five seconds of silence. It can limit the page length for Opus, but not
/// for Vorbis. The order of calls is that of libvorbis' guide for encoders. One thread uses a
/// stream.
@safe final class VorbisEncoder {
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
    unsafe analysis.initialize(to: vorbis_dsp_state())
    unsafe block.initialize(to: vorbis_block())
    unsafe stream.initialize(to: ogg_stream_state())
    unsafe info.initialize(to: vorbis_info())
    unsafe vorbis_info_init(info)
    guard unsafe vorbis_encode_init_vbr(info, channelCount, rate, Self.quality) == 0 else {
      throw .notWritable(
        path: settings.path,
        reason: "Vorbis has no setting for \(channelCount) channels at \(rate) Hz")
    }
    unsafe vorbis_analysis_init(analysis, info)
    unsafe vorbis_block_init(analysis, block)
    // Players use the number to separate the parts of a concatenated file.
    unsafe ogg_stream_init(stream, .random(in: 1 ... .max))
    writeHeaders(settings.comments)
  }

  deinit {
    unsafe ogg_stream_clear(stream)
    unsafe vorbis_block_clear(block)
    unsafe vorbis_dsp_clear(analysis)
    unsafe vorbis_info_clear(info)
    unsafe stream.deallocate()
    unsafe block.deallocate()
    unsafe analysis.deallocate()
    unsafe info.deallocate()
  }

  /// Encodes interleaved frames; returns the number of frames, which is smaller only after a
  /// failure of the output.
  func write(_ samples: UnsafePointer<Float>, frameCount: Int) -> Int {
    var done = 0
    while done < frameCount, output.failure == 0 {
      let count = min(Self.pieceFrameCount, frameCount - done)
      guard let rows = unsafe vorbis_analysis_buffer(analysis, Int32(count)) else { break }
      // None of them is nil.
      let channels = unsafe UnsafeRawPointer(rows).assumingMemoryBound(
        to: UnsafeMutablePointer<Float>.self)
      unsafe Interleaving.split(
        samples + done * channelCount, to: channels, channelCount: channelCount, frameCount: count)
      unsafe vorbis_analysis_wrote(analysis, Int32(count))
      writePackets()
      done += count
    }
    return done
  }

  /// Completes the stream; nothing may be written after it.
  func finish() {
    unsafe vorbis_analysis_wrote(analysis, 0)
    writePackets()
  }

  /// Writes the format, the tags and the decoder setup; the audio begins on a separate page.
  private func writeHeaders(_ comments: [String]) {
    var tags = unsafe vorbis_comment()
    unsafe vorbis_comment_init(&tags)
    defer { unsafe vorbis_comment_clear(&tags) }
    for comment in comments { unsafe vorbis_comment_add(&tags, comment) }
    var packets = unsafe (ogg_packet(), ogg_packet(), ogg_packet())
    unsafe vorbis_analysis_headerout(analysis, &tags, &packets.0, &packets.1, &packets.2)
    unsafe ogg_stream_packetin(stream, &packets.0)
    unsafe ogg_stream_packetin(stream, &packets.1)
    unsafe ogg_stream_packetin(stream, &packets.2)
    writePages(evenShort: true)
  }

  private func writePackets() {
    while unsafe vorbis_analysis_blockout(analysis, block) == 1 {
      unsafe vorbis_analysis(block, nil)
      unsafe vorbis_bitrate_addblock(block)
      var packet = unsafe ogg_packet()
      while unsafe vorbis_bitrate_flushpacket(analysis, &packet) == 1 {
        unsafe ogg_stream_packetin(stream, &packet)
        unsafe writePages(evenShort: packet.granulepos - pageEnd >= pageFrameCount)
      }
    }
  }

  private func writePages(evenShort: Bool) {
    var page = unsafe ogg_page()
    while unsafe (evenShort ? ogg_stream_flush(stream, &page) : ogg_stream_pageout(stream, &page))
      != 0
    {
      guard unsafe output.put(page.header, page.header_len) == page.header_len,
        unsafe output.put(page.body, page.body_len) == page.body_len
      else { return }
      // -1 if no packet ends on the page.
      pageEnd = unsafe max(pageEnd, ogg_page_granulepos(&page))
    }
  }
}
