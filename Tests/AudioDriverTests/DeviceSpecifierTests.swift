// DeviceSpecifierTests.swift: names of devices with channels. SPDX-License-Identifier: MIT

import AudioDriver
import Testing

struct DeviceSpecifierTests {
  @Test(
    arguments: [
      ("hw:1,0:3-4", "hw:1,0", [2, 3]), ("hw:1,0:2,1", "hw:1,0", [1, 0]),
      ("hw:CARD=USB,DEV=0:5", "hw:CARD=USB,DEV=0", [4]), ("default:3-4", "default", [2, 3]),
      ("plug:hw:0:1,3-5", "plug:hw:0", [0, 2, 3, 4]), ("hw:0:1,1", "hw:0", [0, 0]),
    ])
  func `channels follow the name, counted from 1`(
    text: String, device: String, channels: [Int]
  ) {
    let spelling = DeviceSpecifier(text)
    #expect(spelling?.device == device)
    #expect(spelling?.channels == channels)
  }

  @Test(arguments: [
    "hw:1", "hw:1,0", "default", "default:1", "hw:CARD=Loopback,DEV=1", "plug:dmix",
  ])
  func `names are passed to ALSA unchanged`(text: String) {
    let spelling = DeviceSpecifier(text)
    #expect(spelling?.device == text)
    #expect(spelling?.channels == nil)
  }

  @Test(arguments: [
    "hw:1,0:0", "hw:1,0:4-3", "hw:1,0:3-", "hw:1,0:1,,2", "default:0-1", "hw:0:1-257",
  ])
  func `invalid channels are refused`(text: String) {
    #expect(DeviceSpecifier(text) == nil)
  }

  @Test func `a device is opened with enough channels for the highest one`() {
    let device = DeviceRequest(device: "hw:1", channels: [7, 2])
    #expect(device.openedChannelCount == 8)
    #expect(device.usedChannelCount == 2)
  }
}
