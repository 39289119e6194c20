/** A value that makes no sense for a flag is refused by the flag's name, in words that cannot steer a terminal. */
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { FLAG_NAMES, type FlagName, flagSpec, isSwitch } from '../src/cli/flags.ts';
import { sanitizeText } from '../src/terminal/sanitize.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { everyNth } from './support/long.ts';

/** Nothing listens there, so that no run comes as far as a model. */
const NOWHERE = 'http://127.0.0.1:1/v1';
const WORDS: Readonly<Record<string, readonly string[]>> = {
  run: ['hi'],
  search: ['words'],
  'sessions fork': ['none'],
  replay: ['none'],
  'mcp add': ['files', 'http://127.0.0.1:1/mcp'],
  'models probe': ['none'],
};
/** Where an empty one says something. */
const MAY_BE_EMPTY: readonly FlagName[] = ['tools', 'system-prompt', 'append-system-prompt'];
/** What is done before their value is looked at is more than a test of it. */
const LAST: readonly string[] = ['serve', 'worker'];

const callOf = (name: FlagName, value: string): string[] => {
  const takes = COMMANDS.filter(({ flags }) => flags.includes(name));
  const command = takes.find((each) => !LAST.includes(each.name)) ?? takes[0];
  if (command === undefined) throw new Error(`no command takes --${name}`);
  const isReach = ['base-url', 'provider', 'model', 'offline'].includes(name) || !command.flags.includes('base-url');
  return [
    ...command.name.split(' '),
    ...(WORDS[command.name] ?? []),
    ...(isReach ? [] : ['--base-url', NOWHERE]),
    ...(command.name === 'serve' && name !== 'host' ? ['--host', 'no.such.host.invalid'] : []),
    `--${name}=${value}`,
  ];
};

const VALUED = FLAG_NAMES.filter((name) => !isSwitch(name));

describe('the value of a flag', () => {
  const needed = VALUED.filter((name) => !MAY_BE_EMPTY.includes(name));
  it.each(needed.flatMap((name) => [[name, ''] as const, [name, '  '] as const]))(
    'of --%s is not %j',
    async (name, value) => {
      verifies('B11');
      const ran = await runHalter(callOf(name, value));
      expect([ran.code, ran.out], ran.err).toEqual([2, '']);
      expect(ran.err).toContain(`--${name}`);
    },
  );

  const numbers = VALUED.filter((name) => ['integer', 'number', 'tokens'].includes(flagSpec(name).kind));
  it.each(
    everyNth(
      numbers.flatMap((name) => ['abc', 'NaN', 'Infinity', '1e400'].map((value) => [name, value] as const)),
      2,
    ),
  )('of --%s is a number, not %s', async (name, value) => {
    const ran = await runHalter(callOf(name, value));
    expect([ran.code, ran.out], ran.err).toEqual([2, '']);
    expect(ran.err).toContain(`--${name}`);
  });

  const ODD = ['a\u001b[31mb\u0007\u009b2J\u202ec\nd\r\te', 'x y\n'.repeat(2_500)];
  const texts = VALUED.filter((name) => name !== 'output' && name !== 'record');
  it.each(texts.flatMap((name) => ODD.map((value, index) => [name, index, value] as const)))(
    'of --%s is said again in one line (%i)',
    async (name, _index, value) => {
      const ran = await runHalter(callOf(name, value));
      expect(ran.err).not.toMatch(/defect of halter|\n {4}at /);
      const lines = ran.err.trimEnd().split('\n');
      const own = lines.filter((line) => !/^halter: |^`halter .*--help`/.test(line));
      expect(ran.err === '' ? [] : own).toEqual([]);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(2_500);
      expect(sanitizeText(ran.err)).toBe(ran.err);
    },
  );

  it.each(['constructor', '__proto__'])('of --api-key-env is a variable, which %s is not', async (value) => {
    const ran = await runHalter(callOf('api-key-env', value));
    expect(ran.code).toBe(5);
    expect(ran.err).toContain(value);
    expect(ran.err).toContain('The environment has no variable');
  });
});
