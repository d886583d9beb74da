// RunCommand+Devices.swift: what the command line of `outboard run` asks of a rig. SPDX-License-Identifier: MIT

import AudioDriver
import Rig

extension RunCommand {
  /// What the command line says goes before what the rig says.
  func apply(to rig: inout RigDescription) {
    if !inputs.isEmpty { rig.inputs = devices(inputs, rig.inputs) }
    if !outputs.isEmpty { rig.outputs = devices(outputs, rig.outputs) }
    // In the place of all cards, also of those that the command line does not mention.
    if inputs.isEmpty { replace(&rig.inputs, byClockAmong: outputs) }
    if outputs.isEmpty { replace(&rig.outputs, byClockAmong: inputs) }
    rig.waitsForDevice = rig.waitsForDevice || wait || service
    rig.isDithered = rig.isDithered || dither
    midiArguments.apply(to: &rig)
    transportArguments.apply(to: &rig)
    threadArguments.apply(to: &rig)
    // Several are watched where they are asked for, and then share out every block.
    if checkRealtime, threadArguments.threads == nil { rig.threadCount = 1 }
    if noFeedbackSuppression { rig.guardsAgainstHowls = false }
    if noOverloadProtection { rig.watchesDeadline = false }
    if noDCProtection { rig.guardsAgainstOffset = false }
    rig.sampleRateHz = rate ?? rig.sampleRateHz
    rig.periodFrames = period ?? rig.periodFrames
    rig.periodCount = periods ?? rig.periodCount
    if let format {
      for index in rig.inputs.indices { rig.inputs[index].request.format = format }
      for index in rig.outputs.indices { rig.outputs[index].request.format = format }
    }
  }

  /// Replaces the cards of a direction by a device of the other one that takes the place of all cards.
  private func replace(_ devices: inout [RigDevice], byClockAmong others: [String]) {
    let registry = DriverRegistry.devices
    guard let other = others.first(where: { registry.kind(of: $0).replacesAllDevices }) else {
      return
    }
    devices = self.devices(devices.map { _ in other }, devices)
  }

  /// The devices of the command line; what the rig asks of the device in the same place still holds.
  private func devices(_ texts: [String], _ written: [RigDevice]) -> [RigDevice] {
    let spellings = texts.filter { $0 != "none" }.compactMap(DeviceSpecifier.init)
    return spellings.enumerated().map { index, spelling in
      var request =
        index < written.count ? written[index].request : DeviceRequest(device: spelling.device)
      request.device = spelling.device
      request.channels = spelling.channels ?? request.channels
      // Others than the rig names are not what this user means.
      request.fallbacks = []
      return RigDevice(request)
    }
  }
}
