// MeterValues+Reading.swift: conversion of a meter reading to its JSON values. SPDX-License-Identifier: MIT

import Control
import Metering
import Session

extension MeterValues {
  /// Creates the values of a session meter.
  init(_ named: NamedReading) { self.init(named.reading, name: named.name) }

  /// Creates the values of a meter with a name.
  init(_ reading: MeterReading, name: String) {
    self.init(name: name, seconds: reading.seconds, lostFrames: reading.lostFrameCount)
    channels = reading.channels.map {
      Channel(
        peak: $0.peak, held: $0.held, highest: $0.highest, truePeak: $0.truePeak, rms: $0.mean,
        clips: $0.clipCount, offset: $0.offset)
    }
    momentary = reading.momentary.told
    shortTerm = reading.shortTerm.told
    integrated = reading.integrated.told
    highestMomentary = reading.highestMomentary.told
    highestShortTerm = reading.highestShortTerm.told
    range = reading.range
    correlation = reading.correlation
    bands = reading.bands.map { Band(hz: $0.centreHz, level: $0.level) }
  }
}
