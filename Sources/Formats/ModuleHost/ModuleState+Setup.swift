// ModuleState+Setup.swift: what makes and frees the render side of a module. SPDX-License-Identifier: MIT

import CModule
import PluginModel
import RealtimeKit
import Synchronization

extension ModuleState {
  /// How many values can be read at least, however few there are.
  private static let readableValues = 64

  /// The render side of an instance that has been created. [main]
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
    // Code that reads on behind its last parameter, as it has no manifest or a wrong one, finds zeros.
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
    hold = ModuleRenderLock(outputCount: outputCount)
    readouts = ModuleReadouts(functions.readouts, count: plugin.readouts.count)
    triggers = ModuleTriggers(plugin.parameters)
  }

  /// Puts every value where it was set. [main, not rendering]
  mutating func settle() {
    for index in 0 ..< parameterCount {
      let target = Float(bitPattern: targets[index].load(ordering: .relaxed))
      glides[index].value = target
      glides[index].target = target
      glides[index].remainingSlices = 0
      values[index] = target
    }
    isGliding = false
  }

  /// Drops the MIDI that waits. [main, not rendering]
  func forgetEvents() {
    while events.nextTime() != nil { _ = events.take(into: eventBytes) }
    while arrivals.nextTime() != nil { _ = arrivals.take(into: eventBytes) }
  }
}

extension Parameter {
  /// Whether every value of the range is legal: a ramp between whole numbers or choices would pass
  /// through what the module is promised never to see.
  fileprivate var isContinuous: Bool {
    !isEnumeration && (scale == .linear || scale == .logarithmic)
  }
}
