// DuplexStreams.swift: the owner of devices that share a clock, and of their state.
// SPDX-License-Identifier: MIT

import Glibc

/// Owns one or two devices while they are open and configured.
final class DuplexStreams {
  /// The negotiated settings.
  let negotiation: Negotiation
  private var state: UnsafeMutablePointer<DuplexState>?

  /// The rate in Hz: as reported or as measured.
  let rateHz: Int

  /// Takes devices that were configured. [main]
  ///
  /// `measuredHz` is their measured rate if it differs from the reported rate.
  init(_ negotiation: Negotiation, measuredHz: Int? = nil) {
    self.negotiation = negotiation
    rateHz = measuredHz ?? negotiation.rateHz
  }

  deinit {
    release()
  }

  /// Creates the state for a run and frees that of the previous run. [main, not rendering]
  func prepare(
    _ rows: (input: Range<Int>, output: Range<Int>), driver: UnsafeMutablePointer<DriverState>
  ) -> UnsafeMutablePointer<DuplexState> {
    release()
    let state = UnsafeMutablePointer<DuplexState>.allocate(capacity: 1)
    state.initialize(to: DuplexState(negotiation, rateHz: rateHz, rows, driver: driver))
    self.state = state
    return state
  }

  /// Whether the audio thread released them for a better device. [main, after they were returned]
  var wasReleased: Bool { state?.pointee.departure == -ECANCELED }

  /// The reason why the audio thread returned them; nil if it did not. [main, after they were
  /// returned]
  var departure: ALSADriverError? {
    guard let state, state.pointee.departure != 0 else { return nil }
    let code = state.pointee.departure
    let sides = [negotiation.input, negotiation.output].compactMap(\.self)
    let suspect = state.pointee.suspectsPlayback ? negotiation.output : negotiation.input
    guard let side = suspect ?? sides.first else { return nil }
    switch -code {
    case EDOM:
      return .rateMismatch(
        device: side.pcm.device, rateHz: rateHz,
        measuredHz: measuredHz ?? Int(state.pointee.rateMonitor.rateHz))
    case ENODEV, ENXIO:
      // Linked streams are lost together; the error names the one whose card is missing.
      let lost = sides.first { !$0.pcm.isConnected } ?? side
      return .disconnected(device: lost.pcm.device)
    case ETIMEDOUT:
      return .silent(
        device: side.pcm.device, direction: side.pcm.direction,
        seconds: max(1, (state.pointee.timeoutMilliseconds + 500) / 1_000))
    default:
      return .refused(device: side.pcm.device, step: "start", reason: PCM.message(code))
    }
  }

  /// Returns the direction that has a handle; nil if neither has.
  func side(with handle: OpaquePointer) -> Negotiation.NegotiatedStream? {
    [negotiation.input, negotiation.output].compactMap(\.self).first { $0.pcm.handle == handle }
  }

  /// Closes the other device of a device that never returns. [main, the thread abandoned]
  func releaseStreams(allExcept handle: OpaquePointer) {
    for side in [negotiation.input, negotiation.output].compactMap(\.self)
    where side.pcm.handle != handle { side.pcm.close() }
  }

  /// Whether the card of a direction is no longer there.
  func isCardGone(_ direction: ALSADriverError.Direction) -> Bool {
    let side = direction == .capture ? negotiation.input : negotiation.output
    return side.map { !$0.pcm.isConnected } ?? false
  }

  /// The rate at which they ran, if that is why they were returned. [main, after they were
  /// returned]
  var measuredHz: Int? {
    guard let state, state.pointee.departure == -EDOM else { return nil }
    return RateMonitor.standardRate(near: state.pointee.rateMonitor.rateHz)
  }

  private func release() {
    guard let state = state.take() else { return }
    state.deinitialize(count: 1)
    state.deallocate()
  }
}
