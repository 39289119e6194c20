import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { rounds } from '../../tests/support/long.ts';
import { parseArguments } from './arguments.ts';
import { COMMANDS } from './commands.ts';
import { FLAG_NAMES, flagSpec } from './flags.ts';
import { UsageError } from './io.ts';

const here = import.meta.dirname;
const parse = (...argv: string[]) => parseArguments(argv, here);
const command = (...argv: string[]) => {
  const parsed = parse(...argv);
  if (parsed.kind !== 'command') throw new Error(`not a command: ${parsed.kind}`);
  return { name: parsed.command.name, words: parsed.words, flags: parsed.flags };
};

describe('the arguments of the command line', () => {
  it('finds the command, its words and its flags in any order', () => {
    verifies('B11', 'U1');
    expect(command('run', 'What', 'files', '-m', 'ollama/qwen3', 'are here?', '--format', 'json')).toEqual({
      name: 'run',
      words: ['What', 'files', 'are here?'],
      flags: { model: 'ollama/qwen3', format: 'json' },
    });
    expect(command('-C', 'src', 'tools', 'call', 'ls', '{}', '--yolo')).toEqual({
      name: 'tools call',
      words: ['ls', '{}'],
      flags: { directory: 'src', yolo: true },
    });
  });

  it('opens the terminal app without a command, and in a folder that is named', () => {
    expect(command()).toEqual({ name: '', words: [], flags: {} });
    expect(command('commands', '-c')).toEqual({ name: '', words: ['commands'], flags: { continue: true } });
  });

  it('collects flags that may be repeated', () => {
    const { flags } = command('run', 'x', '--allow', 'ls', '--allow', 'bash(git log *)', '--deny=bash');
    expect(flags).toEqual({ allow: ['ls', 'bash(git log *)'], deny: ['bash'] });
  });

  it('takes everything behind -- as words', () => {
    expect(command('run', '--', '--format', 'is a flag').words).toEqual(['--format', 'is a flag']);
  });

  it('reads numbers, negative ones too, and refuses what is none', () => {
    expect(command('run', 'x', '--seed', '-1', '--temperature', '0.2', '--max-time=1.5').flags).toEqual({
      seed: -1,
      temperature: 0.2,
      'max-time': 1.5,
    });
    expect(() => parse('run', '--seed', '1.5')).toThrow('--seed is an integer, not "1.5".');
    expect(() => parse('run', '--temperature', 'warm')).toThrow('--temperature is a number, not "warm".');
    expect(() => parse('run', '--max-iterations', '')).toThrow('--max-iterations is an integer');
  });

  it('reads the size of a window as people write it', () => {
    verifies('B7');
    for (const [text, tokens] of [
      ['8192', 8_192],
      ['8k', 8_192],
      ['32K', 32_768],
      ['32,768', 32_768],
    ] as const) {
      expect(command('run', 'x', '--context-length', text).flags).toEqual({ 'context-length': tokens });
    }
    expect(() => parse('run', '--context-length', 'large')).toThrow(
      '--context-length must be a whole number of tokens, such as 8192 or 8k, not "large".',
    );
    expect(() => parse('run', '--context-length', '-8192')).toThrow('must be a whole number of tokens');
    expect(() => parse('run', '--context-length=8')).toThrow(
      '--context-length must be at least 512 tokens; 8k is 8,192 tokens, not "8".',
    );
  });

  it('takes a text for a switch only behind =', () => {
    expect(command('run', '-c', '--compact').flags).toEqual({ continue: true, compact: true });
    expect(command('run', '-c', '--compact', 'and then?')).toMatchObject({
      words: ['and then?'],
      flags: { compact: true },
    });
    expect(command('run', '-c', '--compact=the port is 4711').flags).toMatchObject({ compact: 'the port is 4711' });
    expect(command('run', '-c', '--compact=').flags).toMatchObject({ compact: true });
  });

  it.each([
    [['rnu', 'x'], 'There is no command and no folder "rnu". Did you mean run?'],
    [['./nowhere'], 'There is no folder "./nowhere".'],
    [['tools', 'cal'], 'There is no "tools cal": list, call, validate. Did you mean call?'],
    [['run', '--modle', 'x'], 'Unknown flag --modle. Did you mean --model or --mode?'],
    [['run', '--json', 'hello'], '--json means nothing to halter run. Did you mean --format json?'],
    [['sessions', 'list', '--yolo'], '--yolo means nothing to halter sessions list.'],
    [['run', '--format', 'yaml'], '--format is one of text, json, stream-json, not "yaml".'],
    [['run', '--allow', '--yolo'], '--allow needs a value: RULE. If the value is "--yolo", write --allow=--yolo.'],
    [['run', '-m'], '-m needs a value: PROVIDER/MODEL.'],
    [['run', '--yolo=yes'], '--yolo takes no value.'],
    [['tools', 'call', 'ls'], 'tools call needs NAME JSON.'],
    [['tools', 'call', 'ls', '{}', 'more'], 'tools call does not know what to do with "more".'],
    [['help', 'rum'], 'There is no command "rum". Did you mean run?'],
  ])('says what is wrong with %j', (argv, message) => {
    expect(() => parse(...argv)).toThrow(UsageError);
    expect(() => parse(...argv)).toThrow(message);
  });

  it('asks for help on everything, a group or a command, and for the version', () => {
    expect(parse('--help')).toEqual({ kind: 'help', topic: '' });
    expect(parse('config')).toEqual({ kind: 'help', topic: 'config' });
    expect(command('sessions', '--json')).toEqual(command('sessions', 'list', '--json'));
    expect(parse('tools', '-h')).toEqual({ kind: 'help', topic: 'tools' });
    expect(parse('help', 'tools', 'call')).toEqual({ kind: 'help', topic: 'tools call' });
    expect(parse('run', 'x', '--help')).toEqual({ kind: 'help', topic: 'run' });
    expect(parse('--version')).toEqual({ kind: 'version' });
  });

  it('is a command, help, or a usage error for any words whatever', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(...COMMANDS.flatMap(({ name }) => name.split(' '))),
      fc.constantFrom(...FLAG_NAMES.map((name) => `--${name}`), '-m', '-C', '--', '-', '--=', '--__proto__', '-xyz'),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
        try {
          expect(['command', 'help', 'version']).toContain(parse(...argv).kind);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
      { numRuns: rounds(333, 10_000) },
    );
  });

  it('has no two flags with one letter', () => {
    const letters = FLAG_NAMES.flatMap((name) => flagSpec(name).short ?? []);
    expect(new Set(letters).size).toBe(letters.length);
  });
});
