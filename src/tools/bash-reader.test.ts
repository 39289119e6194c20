/** Who reads what a command came to: the model that wrote it, or the person who typed it. */
import { expect, it } from 'vitest';
import type { ProcessResult } from '../core/ports.ts';
import type { ToolContext } from '../core/tool.ts';
import { bashTool } from './bash.ts';

const SANDBOX = { network: false };
const WITHHELD = ['changed_outside', 'repository_changed_outside', 'not_written', 'runs_later'] as const;
type Row = [name: string, command: string, result: Partial<ProcessResult>, person: RegExp];
const ROWS: readonly Row[] = [
  ['no network', 'curl http://a.example/x', { exitCode: 7 }, /halter with --allow-host a\.example/],
  [
    'a failure without a word',
    'curl -s http://a.example | head',
    { exitCode: 0 },
    /halter with --allow-host a\.example/,
  ],
  [
    'a program that is hidden',
    'tool | head',
    { exitCode: 127, sandbox: { ...SANDBOX, hidden: [{ name: 'tool', file: '/opt/x/tool' }] } },
    /halter with --allow-read \/opt\/x/,
  ],
  [
    'the same in a command that went well',
    'tool | head',
    { exitCode: 0, sandbox: { ...SANDBOX, hidden: [{ name: 'tool', file: '/opt/x/tool' }] } },
    /halter with --allow-read \/opt\/x/,
  ],
  [
    'a worktree',
    'git add .',
    { exitCode: 1, output: '/r/.git: Read-only file system', sandbox: { ...SANDBOX, repository: '/r/.git' } },
    /halter with --add-dir \/r/,
  ],
  ['something left running', 'server & sleep 1', { exitCode: 0, output: 'up' }, /was ended with it/],
  ['time', 'sleep 700', { exitCode: null, timedOut: true }, /ran longer than/],
  ...WITHHELD.map(
    (cause): Row => [
      cause,
      'touch a',
      { exitCode: 0, sandbox: { ...SANDBOX, withheld: [{ path: 'a', cause, reason: 'why' }] } },
      /\ba \(why\)/,
    ],
  ),
];
/** Instructions for a model, and words about the person to somebody else. */
const FOR_THE_MODEL = /the person|a person|Do not try|say what is needed|Say so|timeout_ms|background: true/;

/** All that its reader sees: what is streamed is for a person, the result for the model. */
const told = async (command: string, result: Partial<ProcessResult>, reader?: 'person'): Promise<string> => {
  const ended = {
    exitCode: 0,
    signal: null,
    output: '',
    timedOut: false,
    cancelled: false,
    sandbox: SANDBOX,
    ...result,
  };
  let streamed = '';
  const context = {
    processes: { run: async () => ({ ok: true, value: ended }) },
    signal: new AbortController().signal,
    report: (text: string) => {
      streamed += text;
    },
    ...(reader === undefined ? {} : { reader }),
  } as unknown as ToolContext;
  const output = await bashTool.run({ command }, context);
  const words = output.success ? '' : output.error_message;
  return reader === 'person' ? `${streamed}${words}` : `${output.data}${words}`;
};

it.each(ROWS)('tells a person of %s in words for a person', async (_name, command, result, person) => {
  const shown = await told(command, result, 'person');
  expect(shown).toMatch(person);
  expect(shown).not.toMatch(FOR_THE_MODEL);
});

it.each(ROWS.filter(([name]) => name !== 'something left running'))(
  'tells the model of %s',
  async (_name, command, result) => {
    expect(await told(command, result)).toMatch(/the person|a person|timeout_ms|again/);
  },
);

it.each([
  [undefined, /^What the command changed in files was not put in place: /],
  [{ names: ['a.txt'], more: 0 }, /^A part of what the command changed in files was not put in place \(.*a\.txt.*\): /],
])('tells how much was put in place where the conversation cannot be saved: %j', async (changed, words) => {
  const sandbox = { ...SANDBOX, dropped: true as const, ...(changed && { changed }) };
  for (const reader of [undefined, 'person'] as const) {
    const all = await told('make', { sandbox }, reader);
    expect(all.slice(Math.max(0, all.search(/What the command|A part/)))).toMatch(words);
  }
});
