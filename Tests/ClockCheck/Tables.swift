// Tables.swift: the tables of docs/internals/adaptive-resampling.md. SPDX-License-Identifier: MIT

import AdaptiveResampling
import ClockSimulation
import Glibc
import RealtimeKit

/// The primary device's period, the device's steps, and whether these have time stamps.
private let manners = [
  (256, 1, false), (256, 48, true), (64, 48, false), (256, 48, false), (1_024, 100, false),
  (256, 192, false), (64, 480, false), (64, 480, true),
]

private func scene(_ manner: (Int, Int, Bool), partsPerMillion: Double) -> Scene {
  var scene = Scene()
  scene.blockFrames = manner.0
  scene.clock.stepFrames = manner.1
  scene.hasTimeStamps = manner.2
  scene.clock.partsPerMillion = partsPerMillion
  scene.deviceBufferFrames = 4_096
  return scene
}

/// Three decimals, without Foundation.
private func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }

func printLoop() throws {
  print("period | step | stamps | ppm | latency | fill mean | spread | drift off by (60 to 120 s)")
  for manner in manners {
    for partsPerMillion in [-500.0, 20, 200] {
      let outcome = try scene(manner, partsPerMillion: partsPerMillion).capture(seconds: 120)
      let half = outcome.errorFrames.count / 2
      let fill = outcome.fill(from: half)
      let wrong = outcome.driftPartsPerMillion[half...].map { abs($0 - partsPerMillion) }.max() ?? 0
      let lost = outcome.status.underrunCount + outcome.status.overrunCount + outcome.lostFrames
      print(
        manner.0, manner.1, manner.2, partsPerMillion, outcome.latencyFrames, rounded(fill.mean),
        rounded(fill.spread), rounded(wrong), lost == 0 ? "" : "LOST", separator: " | ")
    }
  }
}

/// The loopback card for each of its periods, as follower of a primary device on the same tick.
func printLoopback() throws {
  print("shift | periods | card's departure | excess seen (30 s to 300 s) | drift seen")
  for rateShift in [100_020, 99_980] {
    for playbackPeriodFrames in [256, 1_024] {
      var scene = Scene()
      scene.follow(
        LoopbackCable(
          rateShift: rateShift, playbackPeriodFrames: playbackPeriodFrames,
          capturePeriodFrames: 256, seconds: 301), rateShift: rateShift)
      let outcome = try scene.capture(seconds: 300)
      let later = 30 * 48_000 / 256
      let excess = outcome.excessFrames[later...]
      let drift = outcome.driftPartsPerMillion[later...]
      print(
        rateShift, "\(playbackPeriodFrames) 256", scene.clock.cable?.departures ?? 0 ... 0,
        rounded(excess.min() ?? 0), rounded(excess.max() ?? 0), rounded(drift.min() ?? 0),
        rounded(drift.max() ?? 0), separator: " | ")
    }
  }
}

func printAudio() throws {
  print("quality | tone Hz | period | step | stamps | highest spur dBFS at Hz | rest dBFS")
  for quality in ResamplerQuality.allCases {
    for hz in [1_000.0, 5_000, 15_000] {
      for manner in manners {
        var scene = scene(manner, partsPerMillion: 200)
        scene.quality = quality
        let step = 2 * Double.pi * hz / (48_000 * 1.000_2)
        scene.signal = { Float(0.9 * sin(step * Double($0))) }
        scene.records = true
        let found = report(try scene.capture(seconds: 60).sound, rateHz: 48_000)
        print(
          quality, hz, manner.0, manner.1, manner.2, rounded(found.spurDecibels),
          rounded(found.spurHz), rounded(found.noiseDecibels), separator: " | ")
      }
    }
  }
}

func printCost() throws {
  print("quality | rate | channels | ns for each frame and channel, best of 200 runs")
  for quality in ResamplerQuality.allCases {
    for (rateHz, channelCount) in [
      (48_000.0, 1), (48_000, 2), (48_000, 8), (44_100, 2), (96_000, 2),
    ] {
      let request = FollowerSettings(
        channelCount: channelCount, deviceRateHz: rateHz, primaryRateHz: 48_000, blockFrames: 256,
        deviceBufferFrames: 2_048, quality: quality)
      print(quality, rateHz, channelCount, rounded(try cost(request)), separator: " | ")
    }
  }
}

/// The processor time of this thread, without other threads.
private func processorNanoseconds() -> UInt64 {
  var used = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
  return UInt64(used.tv_sec) * 1_000_000_000 + UInt64(used.tv_nsec)
}

/// Nanoseconds per frame and channel of the primary device.
private func cost(_ request: FollowerSettings) throws -> Double {
  var input = try AdaptiveInput(request)
  let rows = PlanarBuffer(channelCount: request.channelCount, frameCapacity: 2_048)
  let block = PlanarBuffer(channelCount: request.channelCount, frameCapacity: 256)
  let perBlock = 256 * request.deviceRateHz / 48_000
  var (given, periods, best) = (0, 0, Double.infinity)
  for _ in 0 ..< 200 {
    let began = processorNanoseconds()
    for _ in 0 ..< 10 {
      periods += 1
      let due = Int(Double(periods) * perBlock)
      input.push(rows.channels, frameCount: due - given)
      given = due
      input.observe(ClockObservation(deviceFrames: 0), blockFrames: 256)
      input.pull(block.channels, frameCount: 256)
    }
    let took = Double(processorNanoseconds() - began)
    best = min(best, took / Double(10 * 256 * request.channelCount))
  }
  return best
}

/// Starts, drift, a stopped device and a restart, in both directions, at both qualities.
func playAll() throws {
  for quality in ResamplerQuality.allCases {
    for rateHz in [44_100.0, 48_000] {
      var scene = scene((256, 48, false), partsPerMillion: 200)
      scene.quality = quality
      scene.clock.rateHz = rateHz
      scene.clock.stopsAt = 1
      scene.clock.stalledSeconds = 0.5
      scene.restartsAtPeriod = 400
      _ = try scene.capture(seconds: 3)
      _ = try scene.play(seconds: 3)
    }
  }
}
