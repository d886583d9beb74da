// PendingPCM.swift: opens a device, including one whose server does not respond. SPDX-License-Identifier: MIT

import CALSA
import CRealtime
import Glibc

/// A device that is being opened; closes the PCM if it is not taken. [main]
final class PendingPCM {
  /// The first time limit, in seconds: the request may start the server.
  static let firstTimeoutSeconds = 5.0
  /// The timeout while audio is running: the device is requested again soon.
  static let laterTimeoutSeconds = 0.2
  /// How long opening may take before the device counts as unresponsive, in seconds: all memory is
  /// locked, and the library of a server allocates much.
  private static let typicalSeconds = 3.0

  private let device: String
  private let currentName: String
  private let direction: ALSADriverError.Direction
  private let began = crealtime_nanoseconds()
  private let call: BlockingCall<OpenResult>?
  private let opened: OpenResult?

  /// Requests a device without waiting for it to become free.
  ///
  /// `currentName` is the name of the device now, if its card has another number than at the request.
  /// Messages name `device`. [main]
  init(device: String, currentName: String? = nil, direction: ALSADriverError.Direction) {
    calsa_silence_messages()
    let currentName = currentName ?? device
    self.device = device
    self.currentName = currentName
    self.direction = direction
    let isPlayback = direction == .playback
    if PCM.isCard(currentName) {
      opened = OpenResult(currentName, isPlayback: isPlayback)
      call = nil
    } else {
      opened = nil
      call = BlockingCall { OpenResult(currentName, isPlayback: isPlayback) }
    }
  }

  /// Returns the device, once.
  ///
  /// - Throws: the error of the device, or that it has not responded yet; then call this again.
  func take(timeoutSeconds: Double) throws(ALSADriverError) -> PCM {
    PCM(
      device: device, direction: direction, handle: try handle(timeoutSeconds: timeoutSeconds))
  }

  /// Returns the handle, once; the caller creates the owner.
  func handle(timeoutSeconds: Double) throws(ALSADriverError) -> OpaquePointer {
    guard let opened = opened ?? call?.wait(seconds: timeoutSeconds) else {
      let isUsual = Double(crealtime_nanoseconds() - began) / 1e9 < Self.typicalSeconds
      throw isUsual ? .opening(device: device) : .noResponse(device: device)
    }
    guard let handle = opened.take() else {
      throw PCM.reason(
        opened.status, device: device, currentName: currentName, direction: direction)
    }
    return handle
  }

  /// The result of the call.
  private final class OpenResult: @unchecked Sendable {
    // Written by the thread that opens the device, then passed through the call's lock. Only the
    // main thread takes the handle.
    let status: Int32
    private var handle: OpaquePointer?

    init(_ device: String, isPlayback: Bool) {
      let stream = isPlayback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
      status = snd_pcm_open(&handle, device, stream, Int32(SND_PCM_NONBLOCK))
    }

    deinit {
      if let handle { PCM.close(handle) }
    }

    func take() -> OpaquePointer? {
      defer { handle = nil }
      return status >= 0 ? handle : nil
    }
  }
}
