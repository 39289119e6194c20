import { describe, expect, it } from 'vitest';
import { parseArguments } from './arguments.ts';
import { FLAG_NAMES, isFlagName } from './flags.ts';
import { UsageError } from './io.ts';

const parse = (...argv: string[]) => parseArguments(argv, import.meta.dirname);

const PAIRS: [string, string[]][] = [
  ['--plan and --yolo', ['--plan', '--yolo']],
  ['--mode and --plan', ['--plan', '--mode', 'edit']],
  ['--mode and --yolo', ['--yolo', '--mode=ask']],
  ['--sandbox and --no-sandbox', ['--no-sandbox', '--sandbox']],
  ['--think and --no-think', ['--think', '--no-think']],
  ['--think-budget and --no-think', ['--no-think', '--think-budget', '100']],
  ['--session and --no-session', ['--no-session', '--session', 'q']],
  ['--continue and --no-session', ['-c', '--no-session']],
  ['--tools and --no-tools', ['--no-tools', '--tools', 'ls']],
];

describe('flags that contradict each other', () => {
  it.each(PAIRS)('%s are refused by their names', (names, flags) => {
    for (const command of [['run', 'x'], []]) {
      const act = () => parse(...command, ...flags);
      expect(act).toThrow(UsageError);
      expect(act).toThrow(`${names} contradict each other; give one of them.`);
    }
  });

  it('every flag with a --no- form is among them', () => {
    const positive = FLAG_NAMES.flatMap((name) => (name.startsWith('no-') ? [name.slice('no-'.length)] : []));
    const missing = positive.filter(
      (name) => isFlagName(name) && !PAIRS.some(([names]) => names === `--${name} and --no-${name}`),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    [['--plan', '--mode', 'plan']],
    [['--yolo', '--mode', 'yolo']],
    [['--think', '--think-budget', '100']],
    [['--no-think', '--think-budget', '0']],
    [['--yolo', '--deny', 'bash']],
  ])('%j agree', (flags) => {
    expect(parse('run', 'x', ...flags).kind).toBe('command');
  });
});
