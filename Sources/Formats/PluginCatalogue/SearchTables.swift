// SearchTables.swift: what people call effects, and the words that plugins use for them.
// SPDX-License-Identifier: MIT

/// The data of the search by purpose.
///
/// A line of `synonyms` has phrases of users, an equals sign, and phrases of plugins, the best one first. A plus sign
/// joins phrases that must all be there. A line of `commands` has a command line, its purpose, and further words.
enum SearchTables {
  static let synonyms = """
    remove noise, noise reduction, reduce noise, denoise, denoiser, denoising, background noise, hiss, noisy, clean up, \
    noise removal = noise reduction, denoiser, denoise, noise suppression, noise repellent, noise removal, \
    noise filter, noise gate, gate
    noise gate, gating, silence between, gate = noise gate, gate
    ducking, duck, ducker, duck music, music under voice, voice over music, talk over, side chain, sidechain, \
    sidechain compression, key input = ducker, ducking, compressor + side chain, duck
    normalise, normalize, normalisation, same loudness, match loudness, loudness target, lufs, ebu r128, r128 = \
    sets files to a loudness, loudness
    loudness, how loud, loudness meter, volume meter, level meter, vu meter = loudness, level
    cabinet, cab, speaker simulator, speaker cabinet, impulse response, ir, ir loader, cab sim = \
    cabinet, impulse response, speaker, simulator
    guitar amp, guitar amplifier, bass amp, amp sim, amp simulator, amp, preamp, tube preamp, tube amp, valve amp, \
    marshall, fender = \
    guitar amplifier, simulator + drive, valve, simulator
    highpass, high pass, low cut, lowcut, hpf, rumble, remove bass, remove rumble, bass cut, wind noise, pop noise = \
    highpass, high pass, low cut, equaliser, filter type
    lowpass, low pass, high cut, highcut, hi cut, lpf, muffle, remove treble, treble cut, dull = \
    lowpass, low pass, high cut, muffle, equaliser, filter type
    bandpass, band pass, telephone, telephone voice, phone sound, radio voice, megaphone = \
    bandpass, band pass, telephone, radio, megaphone, equaliser
    hum, mains hum, remove hum, get rid hum, notch, ground loop, 50 hz, 60 hz = hum, notch, equaliser
    eq, equalizer, equaliser, equalization, equalisation, tone control, tone, treble, bass and treble, boomy, muddy, bass boost, treble boost, more bass, \
    honky, nasal, boxy, brighter, bright, boomy bass = \
    equaliser, eq, tone
    stereo width, widen, wider, widener, stereo image, stereo widener, spread, spatial, mid side, ms = \
    width, spatial, mid side, spread
    stereo, mono to stereo, make stereo, pan, panner, panning, balance, left right = \
    width, spatial, stereo, pan, balance
    mono, stereo to mono = mono, balance
    fuzz, distortion, dirt, overdrive, drive, saturation, saturate, crunch, high gain, grit, tube, valve, metal, \
    warm, warmth = \
    overdrive, distortion, saturation, valve, drive
    bit crusher, bitcrusher, bitcrush, lo fi, lofi, 8 bit, degrade, retro, sample rate reduction = \
    decimator, degrade, decimate, aliasing, bit depth, vinyl
    vinyl, record player, crackle, old record, gramophone = vinyl, crackle
    autotune, auto tune, pitch correction, tune voice, tune vocals, correct pitch, out of tune = \
    pitch shifter, pitch, tune, tuner
    pitch, pitch shift, pitch shifting, transpose, octave, octave up, chipmunk, higher voice, deeper voice, harmonizer, \
    harmoniser, detune, semitone = pitch shifter, pitch, detune, transpose
    octave down, octave below, octave lower, octaver, sub octave, suboctave, sub bass, deeper = suboctave, subsynth, octaves down, pitch shifter, pitch
    echo, delay, slapback, slap back, repeat, repeats, tape echo, space echo, ping pong, dub = echo, delay, tape
    reverb, reverberation, room, hall, room sound, church, cathedral, space, spacious, ambience, ambient, bathroom, wet = \
    reverb, ambience, room, hall
    plate, spring, spring reverb, plate reverb = plate reverb, plate, reverb
    convolution, convolver, convolve = convolution, convolver, impulse response
    chorus, thicken, fatten, fatter, ensemble, doubler, doubling, double voice, double vocals, \
    double track, thicker = chorus, detune, multivoice
    flanger, flange, flanging, jet = flanger, flange
    phaser, phase, phasing, univibe = phaser, allpass
    tremolo, vibrato, trem, wobble, wobbly, wow, flutter = tremolo, vibrato, leslie
    leslie, rotary, rotary speaker, rotating speaker = leslie, rotary, organ + vibrato
    wah, wah wah, auto wah, envelope filter, resonant filter, filter sweep = rezfilter, envelope filter, filter + resonance, filter
    filter = filter, equaliser, highpass, lowpass, bandpass
    ring mod, ring modulator, ring modulation, dalek, metallic = ring modulator, ringmod, ring
    robot, robot voice, robotic, daft punk, vocoder, talk box, talkbox, talking = \
    vocoder, talkbox, ring modulator, robot
    sibilance, de esser, deesser, de ess, deess, harsh s, s sounds, hissing s, sharp s, esses = \
    de esser, sibilance, de ess
    compressor, compress, compression, sustain, dynamics, even out, even level, squash, glue, level out, levelling, leveler, \
    leveller, louder, quiet parts, automatic gain, agc = compressor, levelling, dynamics, limiter
    multiband, multiband compressor, multiband compression, multi band = multiband, four band, bands + compressor
    limiter, limit, brickwall, brick wall, maximizer, maximiser, peak limiter, ceiling, true peak limiter, \
    stop clipping, prevent clipping, avoid clipping, too loud = limiter, limit, maximiser
    true peak, peak meter, clipping, measure peak, overs = true peak, clipping, peak
    clipped, declip, repair clipping, fix clipping = declipper, declip
    transient, transients, punch, punchy, punchier, attack, snap, transient shaper, transient designer = transient, drum punch
    tuner, tune guitar, tune bass, tune string, tuning, guitar tuner, in tune, tune instrument = tuner, detects + note, tracker
    spectrum, analyser, analyzer, rta, frequency spectrum, spectrum analyzer, see frequencies, frequencies = \
    spectrum, analyser
    oscilloscope, scope, waveform, wave form = scope, waveform
    voice, vocal, vocals, speech, podcast, microphone, mic, broadcast, singer, singing, sing, voice over = \
    voice, speech, vocal
    echo cancellation, echo cancel, remove echo, aec, cancel echo = echo cancellation
    karaoke, remove vocals, vocal remover, remove voice, no vocals = karaoke
    loop, looper, loop pedal, loop station, looping = looper, loop
    metronome, click track, click = metronome
    drum machine, drums, beat, beats, drum beat, beatbox, drum replacement = beatbox, drum
    synth, synthesizer, synthesiser, lead, pad = synthesiser, instrument, oscillator
    instrument, midi instrument, keyboard, play midi = instrument, played + midi
    piano, electric piano, rhodes, e piano = piano
    organ, hammond, drawbar = organ, drawbar
    sampler, sample player, play sample, play file, backing track, jingle = sampler, plays + file
    test tone, test signal, tone generator, sine, signal generator, generator, pink noise, white noise, sweep = \
    oscillator, test tone, generator, noise
    volume, gain, level, boost, louder, quieter, attenuate, mute, polarity, invert, invert phase = \
    gain, amplifier, level, polarity, inverter, volume
    mixer, mix, mixing, mixing desk, crossfade, blend, fade between, console = mixer, crossfade
    dc offset, dc, dc blocker = dc offset, dc
    dither, word length, 16 bit = dither
    crossover, split bands, bi amp = x over, crossover, bands
    comb filter, comb, karplus = comb
    frequency shifter, frequency shift, bode = frequency shifter
    shimmer = pitch shifter, reverb
    drums = drum, transient
    bass guitar, bass = bass, sub
    compare, null test, difference, a b test, regression test = difference of two files, compare
    """

  /// A command, its purpose, and other words that lead to it.
  struct Command {
    let line: String
    let purpose: String
    let words: String
  }

  static let commands = [
    Command(
      line: "outboard render --loudness -16 FILES -o DIRECTORY/",
      purpose: "Sets files to a loudness, with a true-peak limit.",
      words: "normalise, loudness, true peak, podcast loudness, streaming, ebu r128"),
    Command(
      line: "outboard analyse FILES",
      purpose: "Measures level, loudness, true peak, clipping and spectrum of files.",
      words: "loudness meter, spectrum, peak, analyser"),
    Command(
      line: "outboard meters", purpose: "Shows levels and loudness of a session.",
      words: "level, loudness, meter"),
    Command(
      line: "outboard compare A B", purpose: "Measures the difference of two files or plugins.",
      words: "compare, difference of two files, null test"),
    Command(
      line: "outboard run --record FILE", purpose: "Records a session.",
      words: "recorder, record, recording"),
    Command(
      line: "outboard latency", purpose: "Measures the round-trip latency of a sound card.",
      words: "latency, delay of the card, round trip"),
  ]
}
