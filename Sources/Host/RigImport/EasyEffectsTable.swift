// EasyEffectsTable.swift: the LV2 plugins of EasyEffects and their parameters. SPDX-License-Identifier: MIT

/// How values of EasyEffects presets map to parameters of LV2 plugins.
///
/// The facts are those of the files `src/*_preset.cpp` (keys), `src/*.cpp` (symbols, units) and
/// `src/contents/kcfg` (labels) of EasyEffects 8.2. `filter-7` is the filter of versions 6 and 7, as its settings
/// schema describes it.
enum EasyEffectsTable {
  /// The meaning of a value in a preset.
  enum Meaning: Equatable {
    /// The value of the parameter.
    case value
    /// A gain in decibels; the parameter is linear.
    case decibels
    /// A gain in decibels; the parameter is linear, and -100 dB or less is 0.
    case decibelsOrSilence
    /// A label; its position from 0 is the value.
    case label([String])
  }

  /// A value of a preset.
  struct Entry {
    /// Keys with slashes between them; `#` is the number of a band.
    let key: String
    /// The symbol of the parameter, with the same `#`.
    let symbol: String
    let meaning: Meaning
  }

  /// A plugin of EasyEffects.
  struct Plugin {
    let uri: String
    let entries: [Entry]
  }

  /// The values of parameters if presets do not have their keys.
  ///
  /// Versions 6 and 7 always give the delay a time, and have no keys for samples and distance.
  static let absent: [String: [(key: String, symbol: String, value: Double)]] = [
    "delay": [("mode-l", "mode_l", 2), ("mode-r", "mode_r", 2)]
  ]

  /// The LV2 plugins by their names in presets.
  static let plugins: [String: Plugin] = {
    var plugins: [String: Plugin] = [:]
    var (name, uri, entries) = ("", "", [Entry]())
    for line in table.split(separator: "\n") {
      if line.hasPrefix("= ") {
        plugins[name] = Plugin(uri: uri, entries: entries)
        let words = line.split(separator: " ").map(String.init)
        (name, uri, entries) = (words[1], words[2], [])
      } else {
        entries += line.split(separator: ";").compactMap(entry)
      }
    }
    plugins[name] = Plugin(uri: uri, entries: entries)
    plugins[""] = nil
    return plugins
  }()

  private static func entry(_ text: Substring) -> Entry? {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 3 else { return nil }
    let meaning: Meaning =
      switch words[2] {
      case "v": .value
      case "d": .decibels
      case "i": .decibelsOrSilence
      default: .label(labels[words[2]] ?? [])
      }
    return Entry(key: words[0], symbol: words[1], meaning: meaning)
  }

  private static let labels: [String: [String]] = Dictionary(
    uniqueKeysWithValues: labelTable.split(separator: "\n").map { line in
      let words = line.split(separator: " ", maxSplits: 1)
      return (String(words[0]), words[1].split(separator: ",").map(String.init))
    })

  /// Sets of labels.
  private static let labelTable = """
    filter-7 12dB/oct Lowpass,24dB/oct Lowpass,36dB/oct Lowpass,12dB/oct Highpass,24dB/oct Highpass,\
    36dB/oct Highpass,6dB/oct Bandpass,12dB/oct Bandpass,18dB/oct Bandpass,6dB/oct Bandreject,\
    12dB/oct Bandreject,18dB/oct Bandreject
    set0 Downward,Upward,Boosting
    set1 Off,12 dB/oct,24 dB/oct,36 dB/oct
    set2 Feed-forward,Feed-back,External,Link
    set3 Peak,RMS,Low-Pass,SMA
    set4 Middle,Side,Left,Right,Min,Max
    set5 Left/Right,Right/Left,Mid/Side,Side/Mid,Min,Max
    set6 Linear,Logarithmic
    set7 Wide,Split
    set8 RMS,Peak
    set9 Samples,Distance,Time
    set10 IIR,FIR,FFT,SPM
    set11 Off,x2,x3,x4,x6,x8
    set12 Off,Bell,Hi-pass,Hi-shelf,Lo-pass,Lo-shelf,Notch,Resonance,Allpass,Bandpass,\
    Ladder-pass,Ladder-rej
    set13 RLC (BT),RLC (MT),BWC (BT),BWC (MT),LRX (BT),LRX (MT),APO (DR)
    set14 x1,x2,x3,x4
    set15 Downward,Upward
    set16 Internal,External,Link
    set17 Low-pass,High-pass,Low-shelf,High-shelf,Bell,Band-pass,Notch,Resonance,Ladder-pass,\
    Ladder-rejection,All-pass
    set18 x1,x2,x3,x4,x6,x8,x12,x16
    set19 Herm Thin,Herm Wide,Herm Tail,Herm Duck,Exp Thin,Exp Wide,Exp Tail,Exp Duck,Line Thin,\
    Line Wide,Line Tail,Line Duck
    set20 None,Half x2/16 bit,Half x2/24 bit,Half x3/16 bit,Half x3/24 bit,Half x4/16 bit,\
    Half x4/24 bit,Half x6/16 bit,Half x6/24 bit,Half x8/16 bit,Half x8/24 bit,Full x2/16 bit,\
    Full x2/24 bit,Full x3/16 bit,Full x3/24 bit,Full x4/16 bit,Full x4/24 bit,Full x6/16 bit,\
    Full x6/24 bit,Full x8/16 bit,Full x8/24 bit,True Peak/16 bit,True Peak/24 bit
    set21 None,7bit,8bit,11bit,12bit,15bit,16bit,23bit,24bit
    set22 FFT,IIR
    set23 256,512,1024,2048,4096,8192,16384
    set24 Fastest,Low,Normal,High,Best
    set25 Flat,ISO226-2003,Fletcher-Munson,Robinson-Dadson,ISO226-2023
    set26 Classic,Modern,Linear Phase
    set27 None,Pink BT,Pink MT,Brown BT,Brown MT
    set28 Peak,RMS,LPF,SMA
    set29 Small,Medium,Large,Tunnel-like,Large/smooth,Experimental
    set30 LR > LR (Stereo Default),LR > MS (Stereo to Mid-Side),MS > LR (Mid-Side to Stereo),\
    LR > LL (Mono Left Channel),LR > RR (Mono Right Channel),LR > L+R (Mono Sum L+R),\
    LR > RL (Stereo Flip Channels)
    """

  /// Plugins after `=`; then keys, symbols and meanings.
  private static let table = """
    = bass_enhancer http://calf.sourceforge.net/plugins/BassEnhancer
    amount amount d; harmonics drive v; scope freq v; floor floor v; blend blend v;
    floor-active floor_active v;
    = bass_loudness http://drobilla.net/plugins/mda/Loudness
    loudness loudness d; output output d; link link d;
    = compressor http://lsp-plug.in/plugins/lv2/sc_compressor_stereo
    dry cdr i; wet cwt i; attack at v; release rt v; release-threshold rrl i; threshold al d;
    ratio cr v; knee kn d; makeup mk d; boost-threshold bth d; boost-amount bsa d;
    stereo-split ssplit v; hpf-frequency shpf v; lpf-frequency slpf v;
    input-to-sidechain in2sc i; input-to-link in2lk i; sidechain-to-input sc2in i;
    sidechain-to-link sc2lk i; link-to-input lk2in i; link-to-sidechain lk2sc i; mode cm set0;
    hpf-mode shpm set1; lpf-mode slpm set1; sidechain/preamp scp i; sidechain/reactivity scr v;
    sidechain/lookahead sla v; sidechain/type sct set2; sidechain/mode scm set3;
    sidechain/source scs set4; sidechain/stereo-split-source sscs set5;
    = crusher http://calf.sourceforge.net/plugins/Crusher
    bit-reduction bits v; morph morph v; anti-aliasing anti_aliasing v;
    sample-reduction samples v; lfo-active lfo v; lfo-range lforange v; lfo-rate lforate v;
    dc dc d; mode mode set6;
    = deesser http://calf.sourceforge.net/plugins/Deesser
    threshold threshold d; ratio ratio v; laxity laxity v; makeup makeup d; f1-freq f1_freq v;
    f2-freq f2_freq v; f1-level f1_level d; f2-level f2_level d; f2-q f2_q v;
    sc-listen sc_listen v; mode mode set7; detection detection set8;
    = delay http://lsp-plug.in/plugins/lv2/comp_delay_x2_stereo
    time-l time_l v; time-r time_r v; sample-l samp_l v; sample-r samp_r v; meters-l m_l v;
    meters-r m_r v; centimeters-l cm_l v; centimeters-r cm_r v; temperature-l t_l v;
    temperature-r t_r v; dry-l dry_l i; dry-r dry_r i; wet-l wet_l i; wet-r wet_r i;
    invert-phase-l phase_l v; invert-phase-r phase_r v; mode-l mode_l set9; mode-r mode_r set9;
    = equalizer http://lsp-plug.in/plugins/lv2/para_equalizer_x32_lr
    balance bal v; pitch-left frqs_l v; pitch-right frqs_r v; mode mode set10;
    decramp decramp set11; left/band#/type ftl_# set12;
    left/band#/mode fml_# set13; left/band#/slope sl_# set14; left/band#/solo xsl_# v;
    left/band#/mute xml_# v; left/band#/frequency fl_# v; left/band#/q ql_# v;
    left/band#/width wl_# v; left/band#/gain gl_# d; right/band#/type ftr_# set12;
    right/band#/mode fmr_# set13; right/band#/slope sr_# set14; right/band#/solo xsr_# v;
    right/band#/mute xmr_# v; right/band#/frequency fr_# v; right/band#/q qr_# v;
    right/band#/width wr_# v; right/band#/gain gr_# d;
    = exciter http://calf.sourceforge.net/plugins/Exciter
    amount amount d; harmonics drive v; scope freq v; ceil ceil v; blend blend v;
    ceil-active ceil_active v;
    = expander http://lsp-plug.in/plugins/lv2/sc_expander_stereo
    dry cdr i; wet cwt i; attack at v; release rt v; release-threshold rrl i; threshold al d;
    ratio er v; knee kn d; makeup mk d; stereo-split ssplit v; hpf-frequency shpf v;
    lpf-frequency slpf v; input-to-sidechain in2sc i; input-to-link in2lk i;
    sidechain-to-input sc2in i; sidechain-to-link sc2lk i; link-to-input lk2in i;
    link-to-sidechain lk2sc i; mode em set15; hpf-mode shpm set1; lpf-mode slpm set1;
    sidechain/preamp scp i; sidechain/reactivity scr v; sidechain/lookahead sla v;
    sidechain/type sci set16; sidechain/mode scm set3; sidechain/source scs set4;
    sidechain/stereo-split-source sscs set5;
    = filter http://lsp-plug.in/plugins/lv2/filter_stereo
    frequency f v; width w v; gain g d; quality q v; balance bal v; type ft set17;
    mode fm set13; decramp decramp set11; equal-mode mode set10; slope s set18;
    = filter-7 http://calf.sourceforge.net/plugins/Filter
    frequency freq v; resonance res d; mode mode filter-7; inertia inertia v;
    = gate http://lsp-plug.in/plugins/lv2/sc_gate_stereo
    dry cdr i; wet cwt i; attack at v; release rt v; curve-threshold gt d; curve-zone gz d;
    hysteresis gh v; hysteresis-threshold ht d; hysteresis-zone hz d; reduction gr d;
    makeup mk d; stereo-split ssplit v; hpf-frequency shpf v; lpf-frequency slpf v;
    input-to-sidechain in2sc i; input-to-link in2lk i; sidechain-to-input sc2in i;
    sidechain-to-link sc2lk i; link-to-input lk2in i; link-to-sidechain lk2sc i;
    hpf-mode shpm set1; lpf-mode slpm set1; sidechain/preamp scp i; sidechain/reactivity scr v;
    sidechain/lookahead sla v; sidechain/type sci set16; sidechain/mode scm set3;
    sidechain/source scs set4; sidechain/stereo-split-source sscs set5;
    = limiter http://lsp-plug.in/plugins/lv2/sc_limiter_stereo
    lookahead lk v; attack at v; release rt v; threshold th d; sidechain-preamp scp i;
    stereo-link slink v; alr-attack alr_at v; alr-release alr_rt v; alr-knee knee d;
    alr-knee-smooth smooth v; alr alr v; gain-boost boost v; input-to-sidechain in2sc i;
    input-to-link in2lk i; sidechain-to-input sc2in i; sidechain-to-link sc2lk i;
    link-to-input lk2in i; link-to-sidechain lk2sc i; mode mode set19; oversampling ovs set20;
    dithering dith set21; sidechain-type extsc set16;
    = loudness http://lsp-plug.in/plugins/lv2/loud_comp_stereo
    volume volume v; clipping hclip v; clipping-range hcrange v; mode mode set22; fft fft set23;
    iir-approximation approx set24; std std set25;
    = multiband_compressor http://lsp-plug.in/plugins/lv2/sc_mb_compressor_stereo
    dry g_dry i; wet g_wet i; stereo-split ssplit v; input-to-sidechain in2sc d;
    input-to-link in2lk i; sidechain-to-input sc2in d; sidechain-to-link sc2lk i;
    link-to-input lk2in i; link-to-sidechain lk2sc i; compressor-mode mode set26;
    envelope-boost envb set27; band#/sidechain-type sce_# set16;
    band#/sidechain-custom-lowcut-filter sclc_# v;
    band#/sidechain-custom-highcut-filter schc_# v; band#/compressor-enable ce_# v;
    band#/solo bs_# v; band#/mute bm_# v; band#/stereo-split-source sscs_# set5;
    band#/sidechain-source scs_# set4; band#/sidechain-mode scm_# set28;
    band#/compression-mode cm_# set0; band#/sidechain-lookahead sla_# v;
    band#/sidechain-reactivity scr_# v; band#/sidechain-lowcut-frequency sclf_# v;
    band#/sidechain-highcut-frequency schf_# v; band#/attack-time at_# v;
    band#/release-time rt_# v; band#/ratio cr_# v; band#/attack-threshold al_# d;
    band#/knee kn_# d; band#/boost-threshold bth_# d; band#/boost-amount bsa_# d;
    band#/makeup mk_# d; band#/release-threshold rrl_# i; band#/sidechain-preamp scp_# i;
    band#/enable-band cbe_# v; band#/split-frequency sf_# v;
    = multiband_gate http://lsp-plug.in/plugins/lv2/sc_mb_gate_stereo
    dry g_dry i; wet g_wet i; stereo-split ssplit v; input-to-sidechain in2sc i;
    input-to-link in2lk i; sidechain-to-input sc2in i; sidechain-to-link sc2lk i;
    link-to-input lk2in i; link-to-sidechain lk2sc i; gate-mode mode set26;
    envelope-boost envb set27; band#/gate-enable ce_# v; band#/solo bs_# v; band#/mute bm_# v;
    band#/hysteresis gh_# v; band#/sidechain-type sce_# set16;
    band#/sidechain-custom-lowcut-filter sclc_# v;
    band#/sidechain-custom-highcut-filter schc_# v; band#/stereo-split-source sscs_# set5;
    band#/sidechain-source scs_# set4; band#/sidechain-mode scm_# set28;
    band#/attack-time at_# v; band#/release-time rt_# v;
    band#/sidechain-lowcut-frequency sclf_# v; band#/sidechain-highcut-frequency schf_# v;
    band#/sidechain-lookahead sla_# v; band#/sidechain-reactivity scr_# v;
    band#/hysteresis-threshold ht_# d; band#/hysteresis-zone hz_# d;
    band#/curve-threshold gt_# d; band#/curve-zone gz_# d; band#/reduction gr_# d;
    band#/makeup mk_# d; band#/sidechain-preamp scp_# i; band#/enable-band cbe_# v;
    band#/split-frequency sf_# v;
    = reverb http://calf.sourceforge.net/plugins/Reverb
    decay-time decay_time v; hf-damp hf_damp v; diffusion diffusion v; amount amount i;
    dry dry i; predelay predelay v; bass-cut bass_cut v; treble-cut treble_cut v;
    room-size room_size set29;
    = stereo_tools http://calf.sourceforge.net/plugins/StereoTools
    balance-in balance_in v; balance-out balance_out v; softclip softclip v; mutel mutel v;
    muter muter v; phasel phasel v; phaser phaser v; side-level slev d; side-balance sbal v;
    middle-level mlev d; middle-panorama mpan v; stereo-base stereo_base v; delay delay v;
    sc-level sc_level v; stereo-phase stereo_phase v; mode mode set30;
    """
}
