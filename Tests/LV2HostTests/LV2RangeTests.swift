// LV2RangeTests.swift: tests of LV2Range.swift and URIDMap.swift. SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import LV2Host

@Suite struct `Ranges of control ports` {
  private func range(
    _ minimum: Float, _ value: Float, _ maximum: Float, isToggle: Bool = false
  ) -> [Float] {
    let range = LV2Range(
      minimum: minimum, defaultValue: value, maximum: maximum, isToggle: isToggle)
    return [range.minimum, range.defaultValue, range.maximum]
  }

  @Test func `declared values remain`() { #expect(range(-3, 1, 7) == [-3, 1, 7]) }

  @Test func `without a default the value nearest to zero is used`() {
    #expect(range(-3, .nan, 7) == [-3, 0, 7])
    #expect(range(20, .nan, 20_000) == [20, 20, 20_000])
    #expect(range(-9, .nan, -2) == [-9, -2, -2])
  }

  @Test func `without a limit one is chosen that includes the default`() {
    #expect(range(.nan, 5, .nan) == [0, 5, 5])
    #expect(range(.nan, -5, .nan) == [-5, -5, 1])
    #expect(range(.nan, .nan, .nan) == [0, 0, 1])
    #expect(range(10, .nan, .nan) == [10, 10, 11])
    #expect(range(.nan, 1, .nan, isToggle: true) == [0, 1, 1])
  }

  @Test(
    arguments: [
      // Minimum, default, maximum as declared, and their values at 1,000 Hz.
      ([0.001, 0.2, 0.5], [1, 200, 500]), ([0.001, 40, 0.5], [1, 40, 500]),
      ([0.001, 900, 0.5], [1, 900_000, 900_000]), ([0.001, .nan, 0.5], [1, 1, 500]),
    ] as [([Float], [Float])])
  func `a default is in multiples of the rate or absolute, whichever is within the limits`(
    declared: [Float], expected: [Float]
  ) {
    let range = LV2Range(
      minimum: declared[0], defaultValue: declared[1], maximum: declared[2], scale: 1_000)
    #expect([range.minimum, range.defaultValue, range.maximum] == expected)
    #expect(range.isDefaultScaled == (declared[1] != 40))
  }

  @Test func `a default outside its range widens it, and reversed limits are swapped`() {
    #expect(range(0, 2, 1) == [0, 2, 2])
    #expect(range(1, 0.5, 0) == [0, 0.5, 1])
  }
}

@Suite struct `Numbers for URIs` {
  @Test func `URIs are compared by their bytes`() {
    // The same letter as one code point and as a letter with an accent, and then invalid UTF-8.
    let texts: [[CChar]] = [
      Array("urn:caf\u{e9}".utf8CString), Array("urn:cafe\u{301}".utf8CString),
      [117, -1, 0], [117, -2, 0],
    ]
    let numbers = texts.map { URIDMap.shared.number($0) }
    #expect(Set(numbers).count == texts.count)
    for (text, number) in zip(texts, numbers) {
      #expect(URIDMap.shared.text(number).map { strcmp($0, text) } == 0)
    }
  }

  @Test func `two URIs never have the same number, and no number is zero`() {
    let uris = (0 ..< 5000).map { "urn:outboard:test:number:\($0)" }
    let numbers = uris.map { URIDMap.shared.number($0) }
    #expect(Set(numbers).count == uris.count)
    #expect(!numbers.contains(0))
    #expect(uris.map { URIDMap.shared.number($0) } == numbers)
    for (uri, number) in zip(uris, numbers) {
      #expect(URIDMap.shared.text(number).map { String(cString: $0) } == uri)
    }
    #expect(URIDMap.shared.text(0) == nil)
    #expect(URIDMap.shared.text(.max) == nil)
  }

  @Test func `many threads that map the same URIs get the same numbers`() async {
    let all = await withTaskGroup(of: [UInt32].self) { group in
      for _ in 0 ..< 8 {
        group.addTask {
          (0 ..< 500).map { URIDMap.shared.number("urn:outboard:test:shared:\($0)") }
        }
      }
      return await group.reduce(into: Set<[UInt32]>()) { $0.insert($1) }
    }
    #expect(all.count == 1)
  }
}
