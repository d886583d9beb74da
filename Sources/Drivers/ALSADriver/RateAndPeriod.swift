// RateAndPeriod.swift: negotiates one rate and one period for both directions.
// SPDX-License-Identifier: MIT

import CALSA

/// Negotiates a rate for all configuration spaces.
enum RateChoice {
  /// Chooses the requested rate, or the common rate nearest to the default.
  ///
  /// Returns it in Hz. [main]
  ///
  /// If another rate is acceptable (`isFlexible`), it is the one nearest to the request.
  static func settle(
    _ spaces: [HardwareParameters], requestedHz: Int?, isFlexible: Bool
  ) throws(ALSADriverError) -> Int {
    if let requestedHz, !isFlexible {
      for space in spaces where !space.supports(rateHz: requestedHz) {
        throw .rateNotOffered(
          device: space.pcm.device, direction: space.pcm.direction, rateHz: requestedHz,
          offered: space.rateDescription)
      }
      return try choose(requestedHz, spaces)
    }
    let wanted = requestedHz ?? Negotiation.defaultRateHz
    let candidates = Set([wanted] + spaces.flatMap(\.someRates))
    let nearest = candidates.filter { rate in spaces.allSatisfy { $0.supports(rateHz: rate) } }
      .min { distance($0, wanted) < distance($1, wanted) }
    guard let nearest else { throw noCommonRateError(spaces) }
    return try choose(nearest, spaces)
  }

  private static func choose(
    _ rateHz: Int, _ spaces: [HardwareParameters]
  ) throws(ALSADriverError) -> Int {
    for space in spaces {
      let offered = space.rateDescription
      guard space.restrict(rateHz: rateHz) else {
        throw .rateNotOffered(
          device: space.pcm.device, direction: space.pcm.direction, rateHz: rateHz,
          offered: offered)
      }
    }
    return rateHz
  }

  /// Returns the distance of a rate from the wanted one; of two equal distances, the higher rate is
  /// better.
  private static func distance(_ rateHz: Int, _ wantedHz: Int) -> Int {
    let difference = rateHz - wantedHz
    return difference >= 0 ? 2 * difference : -2 * difference + 1
  }

  private static func noCommonRateError(_ spaces: [HardwareParameters]) -> ALSADriverError {
    guard spaces.count == 2 else {
      return .rateNotOffered(
        device: spaces[0].pcm.device, direction: spaces[0].pcm.direction,
        rateHz: Negotiation.defaultRateHz, offered: spaces[0].rateDescription)
    }
    return .noCommonRate(
      input: spaces[0].pcm.device, inputOffers: spaces[0].rateDescription,
      output: spaces[1].pcm.device, outputOffers: spaces[1].rateDescription)
  }
}

/// Negotiates a period for all configuration spaces.
enum PeriodChoice {
  /// Chooses the common period nearest to `wanted`; returns it in frames. [main]
  static func settle(
    _ spaces: [HardwareParameters], wanted: Int
  ) throws(ALSADriverError) -> Int {
    let ends = spaces.flatMap { [$0.periods.lowerBound, $0.periods.upperBound] }
    // Powers of two and the values half-way between, which cards with coarse steps support.
    let round = (4 ... 16).flatMap { [1 << $0, 3 << ($0 - 1)] }
    // Some cards support multiples of a millisecond or of a USB frame instead.
    let near = (1 ... 64).flatMap { [wanted - $0, wanted + $0] }
    let candidates = Set([wanted] + ends + round + near).filter { $0 > 0 }
    let period = candidates.sorted { distance($0, wanted) < distance($1, wanted) }
      .first { frames in spaces.allSatisfy { $0.supports(periodFrames: frames) } }
    if let period, spaces.allSatisfy({ $0.restrict(periodFrames: period) }) { return period }
    throw .periodNotOffered(
      frames: wanted,
      offers: spaces.map { space in
        "\(space.pcm.device) offers \(space.periods.lowerBound) to \(space.periods.upperBound) "
          + "for \(space.pcm.direction.rawValue)"
      })
  }

  /// Returns the distance of a period; of two equal ratios, the longer period is better.
  private static func distance(_ frames: Int, _ wanted: Int) -> Int {
    frames >= wanted ? 2 * (frames - wanted) : 2 * (wanted - frames) + 1
  }
}

/// Wake-up, start and stop thresholds of a device (`snd_pcm_sw_params_t`).
enum SoftwareParameters {
  /// Configures a device to wake the thread for each period, to start only on request, and to stop
  /// at an xrun.
  static func apply(
    _ side: Negotiation.NegotiatedStream, periodFrames: Int
  ) throws(ALSADriverError) {
    var parameters: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&parameters) >= 0, let parameters else {
      throw .refused(device: side.pcm.device, step: "accept its settings", reason: "no memory")
    }
    defer { snd_pcm_sw_params_free(parameters) }
    let handle = side.pcm.handle
    var boundary: snd_pcm_uframes_t = 0
    let spare = side.pcm.direction == .playback ? side.bufferFrames - side.filledFrames : 0
    var steps = [
      snd_pcm_sw_params_current(handle, parameters),
      snd_pcm_sw_params_get_boundary(parameters, &boundary),
      snd_pcm_sw_params_set_start_threshold(handle, parameters, boundary),
      snd_pcm_sw_params_set_stop_threshold(
        handle, parameters, snd_pcm_uframes_t(side.bufferFrames)),
      snd_pcm_sw_params_set_avail_min(
        handle, parameters, snd_pcm_uframes_t(spare + periodFrames)),
    ]
    // The position is extrapolated from the time at which the kernel last updated it.
    if side.pcm.isHardware {
      snd_pcm_sw_params_set_tstamp_mode(handle, parameters, SND_PCM_TSTAMP_ENABLE)
      snd_pcm_sw_params_set_tstamp_type(handle, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    }
    // Played frames are silenced behind the pointer. An underrun that the kernel notices late then
    // never plays old audio again. A plug-in without support works as well.
    if side.pcm.direction == .playback, side.pcm.isHardware {
      snd_pcm_sw_params_set_silence_threshold(handle, parameters, 0)
      snd_pcm_sw_params_set_silence_size(handle, parameters, boundary)
    }
    steps.append(snd_pcm_sw_params(handle, parameters))
    if let failed = steps.first(where: { $0 < 0 }) {
      throw .refused(
        device: side.pcm.device,
        step: "accept its "
          + "settings", reason: PCM.message(failed))
    }
  }
}
