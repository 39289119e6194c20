/** Texts of many kinds, the same each time, of which real tokenizers were asked how many tokens they make (`token-counts.json`). */

const seeded = (seed: number) => (): number => {
  seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n');
const drawn = (seed: number, length: number, signs: string): string => {
  const next = seeded(seed);
  return Array.from({ length }, () => signs[Math.floor(next() * signs.length)] as string).join('');
};

const WORDS = 'invoice queue window server answer the of a to is was read model file line number total order'.split(
  ' ',
);
const sentence = (next: () => number): string =>
  `${Array.from({ length: 12 }, () => WORDS[Math.floor(next() * WORDS.length)]).join(' ')}.`;
const HEX = '0123456789abcdef';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** What a test runner prints of many suites: most of it is rules. */
export const ruledLog = (suites = 120): string =>
  lines(
    suites,
    (at) =>
      `${'='.repeat(78)}\nSuite ${at}: src/module-${at % 17}.test.js\n${'-'.repeat(78)}\n  PASS  ${at * 3} checks`,
  );
export const rules = (count = 300, length = 82): string => lines(count, () => '='.repeat(length));
export const paddedTable = (rows = 200): string =>
  lines(
    rows,
    (at) =>
      `| ${`item-${at}`.padEnd(40)} | ${String(at * 37).padStart(24)} | ${(at % 3 ? 'ready' : 'waiting').padEnd(30)} |`,
  );

export const TEXT_KINDS = {
  english: () => 'The quick brown fox jumps over the lazy dog. '.repeat(200),
  prose: () => {
    const next = seeded(7);
    return lines(120, () => sentence(next));
  },
  ruled_log: () => ruledLog(),
  rules_equals: () => rules(),
  rules_dashes: () => lines(300, () => '-'.repeat(82)),
  rules_long: () => lines(40, (at) => ('=-*#~_+.'[at % 8] as string).repeat(400)),
  rules_mixed: () => lines(200, () => '+----------+--------------------+----------------------------+-------+'),
  rules_drawn: () => lines(200, () => `┌${'─'.repeat(30)}┬${'─'.repeat(40)}┐`),
  padded_table: () => paddedTable(),
  markdown_table: () =>
    lines(150, (at) => `| ${`name ${at}`.padEnd(20)} |${'-'.repeat(30)}| ${String(at).padStart(12, '0')} |`),
  blanks_and_hashes: () => lines(150, () => `${' '.repeat(120)}${'#'.repeat(60)}`),
  blank_lines: () => '\n'.repeat(4_000),
  tabs: () => lines(200, (at) => `${'\t'.repeat(at % 9)}value${'\t'.repeat(6)}${at}`),
  dots: () => lines(150, (at) => `Chapter ${at} ${'.'.repeat(60)} ${at * 3}`),
  one_letter: () => 'a'.repeat(6_000),
  zeros: () => '0'.repeat(6_000),
  code_indented: () =>
    lines(250, (at) => `${' '.repeat(4 * (1 + (at % 9)))}if (value${at % 7} !== undefined) { return total + ${at}; }`),
  json_minified: () =>
    JSON.stringify(
      Array.from({ length: 120 }, (_, at) => ({ id: at, name: `item-${at}`, ok: at % 2 === 0, tags: [] })),
    ),
  json_indented: () =>
    JSON.stringify(
      Array.from({ length: 80 }, (_, at) => ({ id: at, inner: { name: `item-${at}`, list: [at, at + 1] } })),
      null,
      4,
    ),
  brackets: () => '[[[[{{{{((((}}}}]]]])))) '.repeat(200),
  base64: () => drawn(1, 8_000, BASE64),
  hex: () => lines(120, (at) => drawn(at, 64, HEX)),
  hex_dump: () =>
    lines(
      120,
      (at) => `${at.toString(16).padStart(8, '0')}  ${drawn(at, 32, HEX).replace(/../g, '$& ')} |................|`,
    ),
  numbers: () => Array.from({ length: 2_000 }, (_, at) => (at * 7_919) % 100_003).join(' '),
  timestamps: () =>
    lines(
      200,
      (at) =>
        `2026-01-${String(1 + (at % 28)).padStart(2, '0')}T10:${String(at % 60).padStart(2, '0')}:07.123Z INFO ok`,
    ),
  uuids: () =>
    lines(120, (at) => drawn(at + 9, 32, HEX).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')),
  paths: () =>
    lines(200, (at) => `/usr/local/lib/node_modules/package-${at % 13}/dist/esm/internal/module${at}.js:${at}:7`),
  chinese: () => '我们今天去公园散步,天气非常好,大家都很高兴。人工智能模型可以调用工具来完成任务。'.repeat(20),
  japanese: () => '今日は天気がとても良いので、公園へ散歩に行きました。ツールを呼び出すことができます。'.repeat(20),
  korean: () => '오늘은 날씨가 좋아서 공원에 산책하러 갔습니다. 모델은 도구를 호출할 수 있습니다. '.repeat(20),
  russian: () => 'Сегодня хорошая погода, и мы пошли гулять в парк. Модель может вызывать инструменты. '.repeat(20),
  arabic: () => 'الطقس جميل اليوم وذهبنا في نزهة إلى الحديقة. يمكن للنموذج استدعاء الأدوات. '.repeat(20),
  hindi: () => 'आज मौसम बहुत अच्छा है, और हम पार्क में घूमने गए। मॉडल उपकरणों को बुला सकता है। '.repeat(20),
  german: () =>
    'Heute ist das Wetter sehr schön, und wir sind im Park spazieren gegangen. Das Modell kann Werkzeuge aufrufen. '.repeat(
      20,
    ),
  emoji: () => '🎉🐢🚀🔥✅❌👍🏽👩‍💻 '.repeat(100),
} as const satisfies Record<string, () => string>;
export type TextKind = keyof typeof TEXT_KINDS;
