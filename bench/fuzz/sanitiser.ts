/**
 * Random strings through the sanitiser, cut into random pieces: no unsafe byte comes out, every cut gives the same text,
 * and what can be seen is still there – who lets nothing through wins nothing.
 */
import { Sanitizer, sanitizeLine } from '../../src/terminal/sanitize.ts';
import { type FuzzPart, generator } from './part.ts';

/** Written apart from the sanitiser's own pattern, from the ranges that terminals and readers act on. */
const DANGEROUS =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: the class names single code points on purpose.
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Cs}/u;

/** Emoji that are joined to one sign are shown as they are: nothing acts on the joiner inside them. */
const JOINED_EMOJI =
  /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?(?:\u200d\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?)+/gu;
/** Letters of scripts that join theirs, the same. */
const SCRIPTS =
  'Arabic Syriac Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan';
const LETTER = `[${SCRIPTS.replaceAll(/(\w+) ?/g, '\\p{Script=$1}')}]`;
const JOINED_LETTERS = new RegExp(`${LETTER}\\p{M}*(?:[\\u200c\\u200d]${LETTER}\\p{M}*)+`, 'gu');
/** What a joiner at the beginning of the next piece may join. */
const LAST_JOINING = new RegExp(`(?:\\p{Extended_Pictographic}\\p{Emoji_Modifier}?|${LETTER}\\p{M}*)$`, 'u');
const isUnsafe = (text: string): boolean =>
  DANGEROUS.test(text.replaceAll(JOINED_EMOJI, '').replaceAll(JOINED_LETTERS, ''));

const NASTY: readonly string[] = [
  '\u001b',
  '\u001b[31m',
  '\u001b]0;title\u0007',
  '\u001b]8;;http://evil.test\u001b\\',
  '\u001b]52;c;eA==\u0007',
  '\u001bP+q\u001b\\',
  '\u001b[200~',
  '\u001b[\u001b[2Jx',
  '\u009b2J',
  '\u0090q\u009c',
  '\r',
  '\r\n',
  '\n',
  '\t',
  '\b \b',
  '\u0000',
  '\u007f',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u200d',
  '\ufeff',
  '\u{e0041}',
  '\u{e007f}',
  '\ufe0f',
  '⚠️',
  '👩‍👩‍👧',
  '\ud83d',
  '\ude00',
  'e\u0301',
  '\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301',
  '日本',
  '\u2028',
  '\u00a0',
  'plain words',
  'x',
];

/** No backslash among the characters, so that what was escaped can be told from what was written so. */
const randomText = (random: () => number): string => {
  const below = (limit: number): number => Math.floor(random() * limit);
  let text = '';
  for (let parts = below(8); parts >= 0; parts -= 1) {
    const kind = random();
    if (kind < 0.5) text += NASTY[below(NASTY.length)];
    else if (kind < 0.7) text += String.fromCharCode(below(0x100));
    else if (kind < 0.9) text += String.fromCharCode(below(0x1_0000));
    else text += String.fromCodePoint(below(0x11_0000));
  }
  return text.replaceAll('\\', '/');
};

const inPieces = (text: string, random: () => number): string => {
  const sanitizer = new Sanitizer('text');
  let out = '';
  for (let from = 0; from < text.length; ) {
    const to = from + 1 + Math.floor(random() * 4);
    out += sanitizer.push(text.slice(from, to));
    from = to;
  }
  return out + sanitizer.end();
};

const SHORT: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
/** What a line was before it was made visible. */
const spelledOut = (line: string): string =>
  line.replaceAll(/\\(?:u\{([0-9A-F]+)\}|([nrt]))/g, (_all, code: string | undefined, letter: string) =>
    code === undefined ? (SHORT[letter] as string) : String.fromCodePoint(Number.parseInt(code, 16)),
  );

export const sanitiserFuzz: FuzzPart = {
  count: 1_000_000,
  async run({ count, seed }) {
    const random = generator(seed);
    const wrong: string[] = [];
    const found = { unsafe: 0, cut: 0, lost: 0, escaped: 0 };
    // One that is used for all of them: what one string leaves behind must not open a way for the next.
    const stream = new Sanitizer('text');
    let before = '';
    for (let index = 0; index < count; index += 1) {
      const text = randomText(random);
      const whole = new Sanitizer('text');
      const out = whole.push(text) + whole.end();
      const line = sanitizeLine(text);
      const streamed = stream.push(text);
      const joined = (LAST_JOINING.exec(before)?.[0] ?? '') + streamed;
      if (streamed !== '') before = streamed;
      const problem = [out, joined, line.replaceAll('\n', '\0')].some(isUnsafe)
        ? 'unsafe'
        : inPieces(text, random) !== out
          ? 'cut'
          : spelledOut(line) !== text
            ? 'lost'
            : undefined;
      if (out !== text) found.escaped += 1;
      if (problem === undefined) continue;
      found[problem] += 1;
      wrong.push(`${problem}: ${JSON.stringify(text)} became ${JSON.stringify(out)} and ${JSON.stringify(line)}`);
    }
    return {
      held: wrong.length === 0 && found.escaped > 0,
      lines: [
        ...wrong.slice(0, 20),
        `${count} random strings: ${found.unsafe} with an unsafe byte, ${found.cut} other when cut in pieces, ${found.lost} that cannot be told from what is shown`,
        `${((100 * found.escaped) / count).toFixed(1)} % held something to be shown in another way`,
      ],
    };
  },
};
