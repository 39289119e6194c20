/**
 * Whatever a model's server sends, a client gets an answer in the grammar of its API or an error of it, on every wire, whole
 * and streamed: never half of one, never a call that the model did not make, never words for programmers.
 */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { errorIn, shapeOfPath } from '../../../tests/support/error-shapes.ts';
import { inTurn } from '../../../tests/support/long.ts';
import { ODD_UPSTREAMS, type OddRow } from '../../../tests/support/odd-upstreams.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import { framesOf, NAME, type Told, WIRES, type WireCase } from '../../../tests/support/wire-cases.ts';
import { grammarFaults } from '../../../tests/support/wire-grammar.ts';
import type { JsonObject } from '../../core/json.ts';
import { createProvider } from '../../providers/index.ts';
import { scriptedNetwork } from '../../testing/scripted-server/network.ts';
import { isChat, quiet } from '../../testing/scripted-server/table.ts';

/** Ollama's second route takes no tools. */
const GENERATE: Pick<WireCase, 'name' | 'path' | 'body' | 'whole' | 'stream'> = {
  name: "Ollama's generate",
  path: '/api/generate',
  body: ({ stream }) => ({ model: 'm', prompt: 'Weather in Paris?', stream: stream ?? false }),
  whole: (reply) => ({
    text: String(reply['response']),
    reasoning: String(reply['thinking'] ?? ''),
    calls: [],
    finish: reply['done_reason'],
  }),
  stream: (frames) => {
    const told: Told = { text: '', reasoning: '', calls: [], finish: undefined };
    for (const { data } of frames) {
      if (data['error'] !== undefined) told.error = String(data['error']);
      told.text += String(data['response'] ?? '');
      told.reasoning += String(data['thinking'] ?? '');
      told.finish = data['done_reason'] ?? told.finish;
    }
    return told;
  },
};

const serverThat = (protocol: (typeof ODD_UPSTREAMS)[number][0], row: OddRow) => {
  const network = scriptedNetwork((asked) => {
    if (asked.url.endsWith('/models')) return { chunks: ['{"data":[{"id":"m"}]}'] };
    if (asked.url.endsWith('/api/tags')) return { chunks: ['{"models":[{"name":"m","model":"m"}]}'] };
    if (asked.url.endsWith('/api/show')) return { chunks: ['{"capabilities":["completion","tools"]}'] };
    if (!isChat(asked.url)) return undefined;
    const body = JSON.parse(Buffer.from(asked.body as Uint8Array).toString()) as JsonObject;
    return row.respond(body['stream'] !== false);
  });
  return testServer([], { modelProvider: createProvider(protocol, { ...quiet([]), network }) });
};

/** Marks of a page, words for programmers, and values that were never written. */
const UGLY = /<html|<!DOCTYPE|\[object |\bundefined\b|\bNaN\b|\bat \S+ \(|\.ts:\d|\bdefect\b/i;

const ask = async (
  server: Awaited<ReturnType<typeof serverThat>>,
  wire: typeof GENERATE,
  tools: boolean,
  stream: boolean,
) => {
  const usage =
    wire.path.endsWith('completions') && stream ? { fields: { stream_options: { include_usage: true } } } : {};
  const response = await server.call('POST', wire.path, wire.body({ tools, stream, ...usage }));
  const body = await response.text();
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200) {
    const error = errorIn(shapeOfPath(wire.path), JSON.parse(body) as JsonObject);
    const faults = [
      ...(error === undefined ? ['no error of this API'] : []),
      ...(type.includes('application/json') ? [] : [`an error as ${type}`]),
      ...(response.status >= 400 ? [] : [`status ${response.status}`]),
    ];
    return { faults, told: { text: '', reasoning: '', calls: [], finish: undefined, error } as Told, body };
  }
  const told = stream ? wire.stream(framesOf(body)) : wire.whole(JSON.parse(body) as JsonObject);
  return { faults: grammarFaults(wire.path, body, stream), told, body };
};

/** What a client must not get of this row, in words. */
const faultsOf = ({ wanted }: OddRow, told: Told): string[] => {
  const cities = told.calls.map(({ args }) => (args as JsonObject)['city']);
  const names = told.calls.filter(({ name }) => name !== NAME).map(({ name }) => `a call of ${name}`);
  if (wanted === 'anything') return names;
  if (wanted === 'error') return told.error === undefined ? ['no error'] : names;
  if (wanted === 'words') {
    if (told.calls.length > 0) return ['a call that the model did not make'];
    return told.error === undefined && told.text.trim() === '' ? ['no words'] : [];
  }
  if (told.error !== undefined) return [`an error: ${told.error}`];
  if ('cities' in wanted) {
    const same = JSON.stringify(cities.toSorted()) === JSON.stringify([...wanted.cities].sort());
    return same ? names : [`calls for ${JSON.stringify(cities)}`, ...names];
  }
  return [
    ...(told.text === wanted.text ? [] : [`the text ${told.text}`]),
    ...(told.reasoning.trim() === (wanted.reasoning ?? '') ? [] : [`the thoughts ${told.reasoning}`]),
    ...(told.calls.length === 0 ? [] : ['a call']),
  ];
};

/** Two of them speak one protocol: usually each of its rows is played with one. */
const SHARES: Readonly<Record<string, number>> = { openai: 0, 'llama-cpp': 1 };
const PLAYED = ODD_UPSTREAMS.map(([protocol, rows]) => {
  const share = SHARES[protocol];
  return [protocol, share === undefined ? rows : inTurn(rows, share, Object.keys(SHARES).length)] as const;
});

describe.each(PLAYED)('a server of %s that sends', (protocol, rows) => {
  // Usually each row is played on one wire in turn, of Ollama also on its second route.
  it.each(rows.map((row, at) => [row.name, row, at] as const))('%s', async (_, row, at) => {
    verifies('B2', 'Z15');
    const server = await serverThat(protocol, row);
    const wires = inTurn(row.tools ? WIRES : [...WIRES, GENERATE], at % WIRES.length, WIRES.length);
    const faults: string[] = [];
    for (const wire of wires) {
      for (const stream of [false, true]) {
        const { faults: broken, told, body } = await ask(server, wire, row.tools === true, stream);
        const ugly = UGLY.exec(body)?.[0];
        const all = [...broken, ...faultsOf(row, told), ...(ugly === undefined ? [] : [`the words ${ugly}`])];
        if (all.length > 0) faults.push(`${wire.name}${stream ? ', streamed' : ''}: ${all.join('; ')}`);
      }
    }
    expect(faults.join('\n')).toBe('');
    expect(server.defects).toEqual([]);
  });
});
