// AccessControl.swift: who may control the session. SPDX-License-Identifier: MIT

import ErrorModel
import HostModel
import Synchronization

/// Checks tokens, and pairs devices by a code. [any]
final class AccessControl: Sendable {
  private struct State {
    var limiter = AttemptLimiter()
    var code = PairingCode()
  }

  /// The digest of a token that was accepted.
  typealias Grant = SHA256.Checksum

  private let sessionToken: SHA256.Checksum
  private let devices: PairedDevices?
  private let allowsPairing: Bool
  private let notify: @Sendable (HostNotice) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - token: the token of the session.
  ///   - devices: the paired devices; nil if they cannot be stored.
  ///   - allowsPairing: whether new devices may be paired.
  ///   - notify: receives notices for the user, without the secret.
  init(
    token: AccessToken, devices: PairedDevices?, allowsPairing: Bool,
    notify: @escaping @Sendable (HostNotice) -> Void
  ) {
    (sessionToken, self.devices, self.notify) = (token.digest, devices, notify)
    self.allowsPairing = allowsPairing && devices != nil
  }

  /// The present code; nil if devices are not paired.
  var pairingCode: String? { allowsPairing ? state.withLock { $0.code.digits } : nil }

  // MARK: - Tokens

  /// Accepts or refuses a token.
  func authenticate(_ token: String, from address: String) -> Result<Grant, ErrorInfo> {
    let mayTry = state.withLock { $0.limiter.mayTry(address) }
    let digest = AccessToken.digest(of: token)
    // On this machine, a page with an old token must not keep one with the right token out.
    let isLocal = address.hasPrefix("127.") || address == "::1"
    if mayTry || isLocal, isValid(digest) { return .success(digest) }
    guard mayTry else { return .failure(Self.blocked) }
    return .failure(fail(address, Self.wrongToken))
  }

  /// Whether a token is still valid; false for a device that was revoked.
  func isValid(_ grant: Grant) -> Bool {
    grant == sessionToken || devices?.contains(grant) ?? false
  }

  private func fail(_ address: String, _ error: ErrorInfo) -> ErrorInfo {
    let outcome = state.withLock { $0.limiter.recordFailure(of: address) }
    if outcome.isFirst { notify(.clientRefused(address)) }
    if outcome.isBlocked { notify(.clientBlocked(address)) }
    return error
  }

  // MARK: - Pairing

  /// Pairs a device whose code is right, and returns its token.
  func pair(code: String, name: String, from address: String) -> Result<AccessToken, ErrorInfo> {
    guard allowsPairing, let devices else { return .failure(Self.noPairing) }
    guard state.withLock({ $0.limiter.mayTry(address) }) else { return .failure(Self.blocked) }
    let (outcome, digits) = state.withLock { state in
      (state.code.attempt(code), state.code.digits)
    }
    switch outcome {
    case .paused(let seconds):
      return .failure(
        ErrorInfo(message: "Too many wrong codes. Try again in \(seconds) s.", kind: .busy))
    case .wrong: return .failure(fail(address, Self.wrongCode))
    case .replaced:
      notify(.pairingCodeReplaced(by: digits))
      return .failure(fail(address, Self.wrongCode))
    case .paired:
      let token = AccessToken.random()
      guard let stored = devices.add(name, token) else { return .failure(Self.notStored) }
      notify(.devicePaired(stored, at: address, nextCode: digits))
      return .success(token)
    }
  }

  // MARK: - Errors

  private static let wrongToken = ErrorInfo(
    message: "The token is wrong. Open the address that the session has printed.", kind: .usage)
  private static let wrongCode = ErrorInfo(
    message: "The code is wrong. Enter the code that the session shows.", kind: .usage)
  private static let blocked = ErrorInfo(
    message: "Too many wrong tokens came from this address. Try again in a minute.", kind: .busy)
  private static let noPairing = ErrorInfo(
    message: "This session pairs no devices. Start it with --http lan.", kind: .usage)
  private static let notStored = ErrorInfo(
    message: "The device cannot be stored in the state directory. Check its permissions.",
    kind: .failure)
}
