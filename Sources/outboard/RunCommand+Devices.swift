// RunCommand+Devices.swift: device options that override the rig. SPDX-License-Identifier: MIT

import AudioDriver
import AudioFiles
import RigSchema

extension RunCommand {
  /// The options of the command line, which override the rig.
  func apply(to rig: inout RigDescription) {
    if !inputs.isEmpty { rig.inputs = devices(inputs, rig.inputs) }
    if !outputs.isEmpty { rig.outputs = devices(outputs, rig.outputs) }
    // Replaces all cards, including those that the command line does not name.
    if inputs.isEmpty { replace(&rig.inputs, byClockAmong: outputs) }
    if outputs.isEmpty { replace(&rig.outputs, byClockAmong: inputs) }
    rig.waitsForDevice = rig.waitsForDevice || wait || service
    rig.isDithered = rig.isDithered || dither
    midiArguments.apply(to: &rig)
    transportArguments.apply(to: &rig)
    clockArguments.apply(to: &rig)
    threadArguments.apply(to: &rig)
    isolationArguments.apply(to: &rig)
    // Several clock devices are watched if requested, and then share every block.
    if checkRealtime, threadArguments.threads == nil { rig.threadCount = 1 }
    if noFeedbackSuppression { rig.suppressesFeedback = false }
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

  /// Whether a word instead of a device names an audio file.
  static func isFile(_ word: String) -> Bool {
    !word.contains(":") && AudioContainer(path: word) != nil
  }

  /// Replaces the cards of one direction if the other direction has a device that replaces all cards.
  private func replace(_ devices: inout [RigDevice], byClockAmong others: [String]) {
    let registry = DriverRegistry.devices
    guard let other = others.first(where: { registry.kind(of: $0).replacesAllDevices }) else {
      return
    }
    devices = self.devices(devices.map { _ in other }, devices)
  }

  /// Creates the devices of the command line; other settings of the rig's device at the same position still apply.
  private func devices(_ texts: [String], _ written: [RigDevice]) -> [RigDevice] {
    let spellings = texts.filter { $0 != "none" }.compactMap(DeviceSpecifier.init)
    return spellings.enumerated().map { index, spelling in
      var request =
        index < written.count ? written[index].request : DeviceRequest(device: spelling.device)
      request.device = spelling.device
      request.channels = spelling.channels ?? request.channels
      // The command line names fewer devices than the rig, so the others are not used.
      request.fallbacks = []
      return RigDevice(request)
    }
  }
}
