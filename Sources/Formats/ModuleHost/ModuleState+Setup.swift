// ModuleState+Setup.swift: allocates and frees the render state of a module. SPDX-License-Identifier: MIT

import CModule
import PluginModel
import RealtimeKit
import Synchronization

extension ModuleState {
  /// The minimum number of readable parameter values.
  private static let readableValues = 64

  /// Allocates the render state of an instance. [main]
  init(
    _ functions: cmodule_functions, _ instance: UnsafeMutableRawPointer?,
    _ plugin: PluginDescription, _ requirements: ModuleRequirements, _ maximumFrameCount: Int,
    sampleRateHz: Double, eventCapacityBytes: Int
  ) {
    process = functions.process
    midi = plugin.acceptsMIDI ? functions.midi : nil
    state = instance
    inputCount = plugin.audioInputs.count
    outputCount = plugin.audioOutputs.count
    self.maximumFrameCount = maximumFrameCount
    parameterCount = plugin.parameters.count
    targets = .allocate(capacity: max(1, parameterCount))
    glides = .allocate(capacity: max(1, parameterCount))
    // Code with a missing or wrong manifest may read beyond its last parameter; it then reads zeros.
    let valueCount = max(Self.readableValues, parameterCount)
    values = .allocate(capacity: valueCount)
    values.initialize(repeating: 0, count: valueCount)
    for (index, parameter) in plugin.parameters.enumerated() {
      let start = parameter.defaultValue
      let isRamped = index < requirements.smoothingSeconds.count && parameter.isContinuous
      let seconds = isRamped ? requirements.smoothingSeconds[index] : 0
      let slices = (seconds * sampleRateHz / Double(Self.sliceFrames)).rounded(.up)
      (targets + index).initialize(to: Atomic(start.bitPattern))
      values[index] = start
      (glides + index).initialize(
        to: ParameterRamp(
          value: start, target: start, step: 0, remainingSlices: 0, rampSlices: Int(slices))
      )
    }
    inputs = .allocate(capacity: max(1, inputCount))
    outputs = .allocate(capacity: max(1, outputCount))
    events = MessageRing(capacityBytes: midi == nil ? 64 : eventCapacityBytes)
    arrivals = MessageRing(capacityBytes: midi == nil ? 64 : eventCapacityBytes)
    eventBytes = .allocate(byteCount: events.maximumByteCount, alignment: 16)
    hold = ModuleRenderLock(
      outputCount: outputCount,
      longestBlock: .seconds(Double(maximumFrameCount) / sampleRateHz))
    readouts = ModuleReadouts(functions.readouts, count: plugin.readouts.count)
    triggers = ModuleTriggers(plugin.parameters)
  }

  /// Sets all values at once, without ramps. [main, not rendering]
  mutating func jumpToTargets() {
    for index in 0 ..< parameterCount {
      let target = Float(bitPattern: targets[index].load(ordering: .relaxed))
      glides[index].value = target
      glides[index].target = target
      glides[index].remainingSlices = 0
      values[index] = target
    }
    isGliding = false
  }

  /// Removes all pending MIDI. [main, not rendering]
  func clearEvents() {
    while events.nextTime() != nil { _ = events.take(into: eventBytes) }
    while arrivals.nextTime() != nil { _ = arrivals.take(into: eventBytes) }
  }
}

extension Parameter {
  /// Whether all values of the range are legal.
  ///
  /// Otherwise a ramp would pass through illegal values.
  fileprivate var isContinuous: Bool {
    !isEnumeration && (scale == .linear || scale == .logarithmic)
  }
}
