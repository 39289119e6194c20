import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { MODES, type Mode } from '../../core/policy/modes.ts';
import { type PolicyRules, parseRule, type SourcedRule } from '../../core/policy.ts';
import type { Connection } from '../../mcp/connection.ts';
import type { SampleRequest } from '../../mcp/server-requests.ts';
import { serverTools } from '../../mcp/server-tools.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { createSample } from './sample.ts';

/** What a server gets, and how often the person was asked, who always says no. */
const sample = async (rules: PolicyRules): Promise<{ said: string | undefined; asked: number }> => {
  let asked = 0;
  const provider = scriptedProvider([{ text: 'words of the model' }], { models: [{ id: 'm' }] });
  const answer = createSample({
    rules: () => rules,
    model: async () => ({ ok: true, value: { provider, model: 'm' } }),
    ask: async () => {
      asked += 1;
      return { action: 'decline' };
    },
  });
  const request: SampleRequest = {
    server: 's',
    text: 'say it',
    maxTokens: 10,
    signal: new AbortController().signal,
  } as SampleRequest;
  return { said: (await answer(request))?.text, asked };
};
const rule = (text: string, source: SourcedRule['source']): SourcedRule => ({ ...parse(text), source });
const parse = (text: string) => {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
};
const allowing = (texts: readonly string[], source: SourcedRule['source'] = 'command line', mode: Mode = 'ask') =>
  sample({ allow: texts.map((text) => rule(text, source)), deny: [], mode });

describe('words of the model for a server', () => {
  const WIDE = [
    'mcp__*',
    'mcp__s__*',
    'mcp__s*',
    'mcp__*__sampling',
    'mcp__s__sampl*',
    'mcp__s__sampling*',
    '*',

    'mcp__other__sampling',
    'mcp__s__samplin',
  ];

  it.each(WIDE)('are not granted by the rule %s, whoever gave it', async (text) => {
    verifies('S42');
    for (const source of ['command line', 'this session', 'remembered', 'program'] as const)
      expect(await allowing([text, 'bash'], source)).toEqual({ said: undefined, asked: 1 });
  });

  it('are granted by the very name, and by no mode below yolo', async () => {
    verifies('S42');
    expect(await allowing(['mcp__s__sampling'])).toEqual({ said: 'words of the model', asked: 0 });
    for (const mode of MODES.filter((each) => each !== 'yolo')) {
      const { said } = await allowing(['mcp__*'], 'command line', mode);
      expect([mode, said]).toEqual([mode, undefined]);
    }
  });

  it('are no tool of the server, whatever it calls its tools', () => {
    verifies('S42');
    const server = { name: 's', kind: 'process' as const, command: 'x', args: [], env: {} };
    const options = { known: () => undefined, current: () => undefined, differenceOf: () => '' };
    const made = serverTools({ server } as unknown as Connection, [{ name: 'sampling' }, { name: 'other' }], options);
    expect(made.map(({ tool }) => tool.name)).toEqual([
      expect.stringMatching(/^mcp__s__sampling_\w{6}$/),
      'mcp__s__other',
    ]);
  });

  it('are kept back by a rule that denies all of a server, though another one allows them', async () => {
    verifies('S42');
    for (const text of ['mcp__*', 'mcp__s__*', 'mcp__s__sampling', '*'])
      expect(
        await sample({
          allow: [rule('mcp__s__sampling', 'command line')],
          deny: [rule(text, 'remembered')],
          mode: 'yolo',
        }),
      ).toEqual({ said: undefined, asked: 0 });
  });
});
