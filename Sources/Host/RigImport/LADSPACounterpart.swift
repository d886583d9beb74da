// LADSPACounterpart.swift: LV2 versions of LADSPA plugins. SPDX-License-Identifier: MIT

/// The LV2 versions of the LADSPA plugins of swh-plugins.
///
/// Both are generated from the same sources (swh-plugins and swh-lv2 of Steve Harris), and have the same control
/// inputs in the same order. The list was compared with Debian's packages.
enum LADSPACounterpart {
  /// Returns the URI of the LV2 version of a label; nil if there is none.
  static func uri(ofLabel label: String) -> String? {
    labels.contains(label) ? "http://plugin.org.uk/swh-plugins/\(label)" : nil
  }

  /// Returns the label of a LADSPA plugin by its unique number; nil if there is no LV2 version.
  static func label(ofID identifier: Int) -> String? { byID[identifier] }

  private static let byID: [Int: String] = {
    let words = table.split(separator: " ")
    let pairs = stride(from: 0, to: words.count - 1, by: 2).compactMap { index in
      Int(words[index]).map { ($0, String(words[index + 1])) }
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }()

  private static let labels = Set(byID.values)

  /// Unique numbers and labels.
  private static let table = """
    1181 amp  1185 diode  1186 divider  1187 shaper  1188 ringmod_2i1o  1189 ringmod_1i1o1l \
    1190 comb  1191 flanger  1192 fadDelay  1194 pitchScaleHQ  1195 declip  1196 foverdrive \
    1197 mbeq  1198 sinusWavewrapper  1200 hermesFilter  1201 multivoiceChorus  1202 decimator \
    1203 singlePara  1204 triplePara  1206 transient  1207 dcRemove  1208 retroFlange  1209 valve \
    1210 sifter  1211 tapeDelay  1213 foldover  1214 svf  1216 gverb  1217 lfoPhaser \
    1218 fourByFourPole  1219 autoPhaser  1220 harmonicGen  1401 surroundEncoder  1402 delayorama \
    1403 dysonCompress  1404 crossoverDist  1405 valveRect  1406 split  1407 alias \
    1408 satanMaximiser  1409 karaoke  1410 gate  1411 combSplitter  1412 waveTerrain \
    1413 hardLimiter  1414 smoothDecimate  1415 fmOsc  1416 analogueOsc  1417 rateShifter \
    1418 freqTracker  1419 modDelay  1420 matrixStMS  1421 matrixMSSt  1422 matrixSpatialiser \
    1423 plate  1424 gong  1425 sc1  1426 sc2  1427 sc3  1428 zm1  1429 inv  1430 chebstortion \
    1431 bodeShifter  1432 bodeShifterCV  1433 amPitchshift  1436 lcrDelay  1437 giantFlange \
    1438 djFlanger  1439 gongBeater  1440 hilbert  1605 revdelay  1881 sinCos  1882 sc4  1883 se4 \
    1885 impulse_fc  1886 decay  1887 comb_l  1888 comb_c  1889 comb_n  1890 highpass_iir \
    1891 lowpass_iir  1892 bandpass_iir  1893 bandpass_a_iir  1895 allpass_n  1896 allpass_l \
    1897 allpass_c  1898 delay_n  1899 delay_l  1900 delay_c  1901 dj_eq  1902 bwxover_iir \
    1903 buttlow_iir  1904 butthigh_iir  1905 vynil  1907 dj_eq_mono  1908 lsFilter  1909 const \
    1910 pointerCastDistortion  1913 fastLookaheadLimiter  1914 artificialLatency  1915 xfade \
    1917 xfade4
    """
}
