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

describe('a stream that gives a reason with each chunk', () => {
  const event = (content: string, finish_reason: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;
  const streaming = async (words: readonly (string | null)[], isDone = true) => {
    const chunks = [...words.map((word, at) => event(`${at} `, word)), ...(isDone ? ['data: [DONE]\n\n'] : [])];
    const headers = { 'content-type': 'text/event-stream' };
    const network = scriptedNetwork(() => ({ headers, chunks }));
    const { outcome, parts } = await tell((options) => createProvider('openai', { ...options, network }));
    const warned = parts.flatMap((part) => (part.type === 'warning' ? [part.code] : []));
    return { outcome, warned: warned.filter((code) => code !== 'retrying') };
  };
  const MANY = 20;
  const row = (word: string | null, last: string | null) => [...Array.from({ length: MANY }, () => word), last];

  it.each<[string, string | null, string | null, string[]]>([
    ['an unknown one', 'banana', 'banana', ['unknown_finish']],
    ['an unknown one until it ends', 'running', 'stop', []],
    ['a filter', 'content_filter', 'content_filter', ['content_filter']],
    ['an unknown one, and a filter in the end', 'running', 'content_filter', ['content_filter']],
    ['null in quotes', 'null', 'stop', []],
    ['none', 'None', 'stop', []],
    ['nothing', null, 'banana', ['unknown_finish']],
  ])('is told of by its last one, once: %s', async (_, each, last, codes) => {
    verifies('Z15');
    const { outcome, warned } = await streaming(row(each, last));
    expect(outcome).toMatchObject({ ok: true, answer: { finish: 'stop' } });
    expect(warned).toEqual(codes);
  });

  it.each(['null', 'NULL', 'none', ''])('is not whole where the stream breaks behind %j', async (word) => {
    verifies('Z15');
    const { outcome } = await streaming(row(word, word), false);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'disconnected' } });
  });
});
