import { describe, expect, it } from 'vitest';
import type { ModelRow, Status } from './api.ts';
import { modelState, rowOf } from './model-name.ts';

const row = (id: string, more: Partial<ModelRow> = {}): ModelRow => ({
  id,
  provider: id.split('/')[0] ?? '',
  current: false,
  ...more,
});
const FILE = row('embedded/starter', { aliases: ['smollm2', 'smollm2-135m-instruct'] });
const status = (state: Status['model']['state'], id?: string): Status =>
  ({ model: { state, message: 'No engine.', ...(id === undefined ? {} : { id }) } }) as Status;

describe('one model under several names', () => {
  it.each(['embedded/starter', 'starter', 'embedded/smollm2-135m-instruct', 'smollm2'])('is found as %s', (name) => {
    expect(rowOf([row('ollama/other'), FILE], name)).toBe(FILE);
  });

  it('is another one where the whole name is there', () => {
    const [one, other] = [row('ollama/m'), row('openai/m')];
    expect(rowOf([one, other], 'openai/m')).toBe(other);
  });
});

describe('how a model stands', () => {
  const PROBLEM = 'The embedded engine is not installed.';
  it.each<[string, string, Status | undefined, ModelRow[], string, string | undefined]>([
    ['nothing is known', '', undefined, [], 'none', undefined],
    ['it is looked for', '', status('none'), [], 'none', undefined],
    ['one is loaded', '', status('loading'), [], 'loading', undefined],
    ['none was found', '', status('failed'), [], 'not there', 'No engine.'],
    ['none was found, and one was chosen', 'ollama/m', status('failed'), [row('ollama/m')], 'ready', undefined],
    [
      'none was found, and the chosen one has no engine',
      'embedded/starter',
      status('failed'),
      [{ ...FILE, problem: PROBLEM }],
      'not there',
      PROBLEM,
    ],
    [
      'the chosen one has no engine, by another name',
      'embedded/smollm2',
      status('failed'),
      [{ ...FILE, problem: PROBLEM }],
      'not there',
      PROBLEM,
    ],
    ['it is the one in use', 'starter', status('ready', 'embedded/starter'), [FILE], 'ready', undefined],
    [
      'the one in use is loaded',
      'embedded/smollm2',
      status('loading', 'embedded/starter'),
      [FILE],
      'loading',
      undefined,
    ],
    [
      'another is loaded',
      'ollama/m',
      status('loading', 'embedded/starter'),
      [FILE, row('ollama/m')],
      'ready',
      undefined,
    ],
    [
      'its server lists others, and one of nearly that name',
      'openai/gpt-os',
      status('ready', 'openai/good'),
      ['good', 'gpt-oss', 'bad'].map((name) => row(`openai/${name}`)),
      'not listed',
      'Its server lists openai/good, openai/gpt-oss, openai/bad. Did you mean openai/gpt-oss?',
    ],
    [
      'its server lists many, and none of such a name',
      'openai/nonexist',
      status('ready', 'openai/a1'),
      ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'].map((name) => row(`openai/${name}`)),
      'not listed',
      'Its server lists openai/a1, openai/a2, openai/a3, openai/a4, openai/a5 and 2 more.',
    ],
    ['its server lists nothing', 'openai/any', status('ready', 'ollama/m'), [row('ollama/m')], 'ready', undefined],
    [
      'its server does not answer now',
      'openai/any',
      status('ready', 'ollama/m'),
      [row('ollama/m'), row('openai/x', { unreachable: true })],
      'ready',
      undefined,
    ],
    ['neither is in the list', 'ollama/m', status('loading', 'embedded/starter'), [], 'ready', undefined],
  ])('%s', (_title, name, told, models, state, problem) => {
    expect(modelState(name, { status: told, models, isGone: () => false })).toEqual({ state, problem });
  });

  it('is not there when its server is gone', () => {
    const stands = { status: status('ready', 'ollama/m'), models: [row('ollama/m')], isGone: () => true };
    expect(modelState('ollama/m', stands).state).toBe('not there');
  });
});
