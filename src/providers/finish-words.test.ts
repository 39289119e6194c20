import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scriptedNetwork } from '../testing/scripted-server/network.ts';
import { tell } from '../testing/scripted-server/table.ts';
import { createProvider } from './index.ts';

const answering = (name: 'openai' | 'ollama', word: string) => {
  const said = { role: 'assistant', content: 'It is' };
  const reply =
    name === 'openai'
      ? { choices: [{ index: 0, message: said, finish_reason: word }] }
      : { message: said, done: true, done_reason: word };
  const network = scriptedNetwork(() => ({ chunks: [JSON.stringify(reply)] }));
  return tell((options) => createProvider(name, { ...options, network }));
};

describe.each(['openai', 'ollama'] as const)('an answer of %s', (name) => {
  it.each([
    ['content_filter', 'content_filter'],
    ['SAFETY', 'content_filter'],
    ['banana', 'unknown_finish'],
  ])('that ended with %s is told with a warning, not as a plain end', async (word, code) => {
    verifies('Z15');
    const { outcome, parts } = await answering(name, word);
    expect(outcome).toMatchObject({ ok: true, answer: { finish: 'stop' } });
    expect(parts.filter(({ type }) => type === 'warning')).toMatchObject([{ code }]);
  });

  it.each(['stop', 'EOS', 'length', 'load'])('that ended with %s warns of nothing', async (word) => {
    const { parts } = await answering(name, word);
    expect(parts.filter(({ type }) => type === 'warning')).toEqual([]);
  });

  it.each(['abort', 'cancelled'])('that the server gave up (%s) is an error', async (word) => {
    const { outcome } = await answering(name, word);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'disconnected' } });
  });
});
