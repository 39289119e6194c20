/** A seeded piece of work for the measurement of long conversations: a folder, messages, and what a model does at each. */
import { randomFrom } from '../../tests/support/random.ts';

export type Fact = {
  about: 'person' | 'file';
  text: string /** The message that brings it into the conversation. */;
  at: number;
};
export type Turn = {
  message: string;
  /** The file that is read (none where it is empty), and the line in its middle without which the answer would be a guess. */
  reads: string;
  needs: string;
  /** What is changed after it was read. */
  edit?: { old_text: string; new_text: string };
  answer: string;
};
export type Scenario = { files: ReadonlyMap<string, string>; turns: readonly Turn[]; facts: readonly Fact[] };

const NOUNS =
  'order invoice parcel ledger refund basket route driver voucher shelf batch carrier label quota window'.split(' ');
const VERBS = 'load check merge split count price route store clear match group rank settle close open'.split(' ');
const FILE_BYTES = 6_000;

const fileOf = (random: () => number, number: number): { text: string; middle: string; lines: string[] } => {
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] as string;
  const upper = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const lines = [`// Part ${number} of the shop: ${pick(NOUNS)} and ${pick(NOUNS)}.`, ''];
  const edits: string[] = [];
  let middle = '';
  const size = (): number => lines.reduce((sum, line) => sum + line.length + 1, 0);
  while (size() < FILE_BYTES) {
    const [noun, other, verb] = [pick(NOUNS), pick(NOUNS), pick(VERBS)];
    const name = `${verb}${upper(noun)}${upper(other)}${Math.floor(random() * 90) + 10}`;
    const set = `  const limit = ${Math.floor(random() * 900) + 100}; // ${name}`;
    edits.push(set);
    lines.push(
      `export const ${name} = (${noun}: number[], ${other}: string): string[] => {`,
      set,
      `  const found: string[] = [];`,
      `  for (const [index, value] of ${noun}.entries()) {`,
      `    if (value > limit) found.push(\`\${${other}}-\${index}\`);`,
      '  }',
      '  return found;',
      '};',
      '',
    );
    if (middle === '' && size() > FILE_BYTES / 2) {
      middle = `const ${noun.toUpperCase()}_MIDDLE_${number} = ${Math.floor(random() * 90_000) + 10_000};`;
      lines.push(middle, '');
    }
  }
  return { text: lines.join('\n'), middle, lines: edits };
};

/** The second question about each kind of fact comes at message 50, or at the end of a shorter conversation. */
export const makeScenario = (seed: number, messages: number): Scenario => {
  const random = randomFrom(seed);
  const number = (digits: number): number => Math.floor(random() * 9 * 10 ** (digits - 1)) + 10 ** (digits - 1);
  const files = new Map<string, string>();
  const turns: Turn[] = [];
  const facts: Fact[] = [
    {
      about: 'person',
      at: 2,
      text: `the release goes out as ${['heron', 'otter', 'finch'][Math.floor(random() * 3)]}-${number(4)}`,
    },
    { about: 'person', at: 7, text: `never touch the folder vendor-${number(3)}` },
    { about: 'file', at: 10, text: `export const REPLICA_PORT = ${number(5)};` },
    { about: 'file', at: 13, text: `// The nightly export is owned by team-${number(4)}.` },
  ];
  for (let at = 1; at <= messages; at += 1) {
    const path = `src/part_${String(at).padStart(3, '0')}.ts`;
    const file = fileOf(random, at);
    const planted = facts.find((fact) => fact.about === 'file' && fact.at === at);
    const lines = file.text.split('\n');
    if (planted) lines.splice(Math.floor(lines.length / 3), 0, planted.text);
    files.set(path, lines.join('\n'));
    const spoken = facts.find((fact) => fact.about === 'person' && fact.at === at);
    const target = file.lines[at % file.lines.length] as string;
    const wantsEdit = at % 3 === 0;
    const task = wantsEdit
      ? `Read ${path} and raise the limit of ${target.split('// ')[1]} by one.`
      : `Read ${path} and tell me what its middle constant is for.`;
    const edit = { old_text: target, new_text: target.replace(/\d+/, (digits) => String(Number(digits) + 1)) };
    turns.push({
      message: `(#${at}) ${spoken ? `Keep in mind: ${spoken.text}. ` : ''}${task}`,
      reads: path,
      needs: file.middle,
      ...(wantsEdit ? { edit } : {}),
      answer: wantsEdit
        ? `I raised that limit in ${path} by one. The rest of the file is as it was, and nothing else calls it.`
        : `The constant in ${path} marks where the second half begins; the functions around it filter their input by a limit.`,
    });
  }
  return { files, turns, facts };
};

const FILLER =
  'the build deploy report invoice parser branch review table column index cache header footer button meeting budget'.split(
    ' ',
  );
const PLAIN: readonly ((key: string) => string)[] = [
  (key) => `The staging port is ${key}.`,
  (key) => `We decided to use library ${key} and not the other.`,
  (key) => `Never touch the folder ${key}!`,
  (key) => `Call the new function ${key}.`,
  (key) => `My colleague ${key} must approve that.`,
];

/** A fact with each message, in plain words between words that say nothing, and no files. */
export const makePlainScenario = (seed: number, messages: number): Scenario => {
  const random = randomFrom(seed);
  const words = (count: number): string =>
    `${Array.from({ length: count }, () => FILLER[Math.floor(random() * FILLER.length)]).join(' ')}.`;
  const turns: Turn[] = [];
  const facts: Fact[] = [];
  for (let at = 1; at <= messages; at += 1) {
    const text = (PLAIN[at % PLAIN.length] as (key: string) => string)(
      `k${at}x${Math.floor(random() * 9_000) + 1_000}`,
    );
    facts.push({ about: 'person', at, text });
    const message = `(#${at}). ${words(12)} ${words(9)} ${text} ${words(14)} ${words(8)}`;
    turns.push({ message, reads: '', needs: '', answer: 'Understood.' });
  }
  return { files: new Map(), turns, facts };
};
