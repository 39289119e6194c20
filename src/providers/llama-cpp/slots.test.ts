import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../core/message.ts';
import type { ModelPart } from '../../core/model-port.ts';
import { type ScriptedResponse, scriptedNetwork } from '../../testing/scripted-server/network.ts';
import { createLlamaCppProvider } from './llama-cpp.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-slots-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const json = (value: object, status = 200) => ({ status, chunks: [JSON.stringify(value)] });
const SYSTEM: ModelMessage = { role: 'system', content: 'Be short.' };
const talk = (first: string, ...more: string[]): ModelMessage[] => [
  SYSTEM,
  ...[first, ...more].map((content) => ({ role: 'user' as const, content })),
];

type Breaks = 'refused' | 'in the prompt' | 'in the answer';
type ServerFacts = {
  slots?: number;
  saves?: boolean;
  keeps?: Map<string, number>;
  lies?: boolean;
  /** What becomes of the second request. */
  breaks?: Breaks;
};
const BROKEN: Readonly<Record<Breaks, ScriptedResponse>> = {
  refused: { status: 400, chunks: ['{"error":{"message":"no"}}'] },
  'in the prompt': { chunks: ['data: {"choices":[],"prompt_progress":{"total":9,"cache":0,"processed":5}}\n\n'] },
  'in the answer': { chunks: ['data: {"choices":[{"delta":{"content":"So"}}]}\n\n'] },
};
/** A llama.cpp server as far as its slots: what each holds, what is in its folder, what it was asked. */
const server = ({ slots = 2, saves = true, keeps = new Map(), lies = false, breaks }: ServerFacts = {}) => {
  const actions: string[] = [];
  const asked: (number | undefined)[] = [];
  let cached = 0;
  const network = scriptedNetwork((request) => {
    const { pathname, searchParams } = new URL(request.url);
    const body = request.body === undefined ? {} : (JSON.parse(String(request.body)) as Record<string, unknown>);
    if (pathname === '/props') return json({ total_slots: slots, model_path: '/m.gguf', build_info: 'b1' });
    const slot = /^\/slots\/(\d+)$/.exec(pathname)?.[1];
    if (slot !== undefined) {
      const name = String(body['filename']);
      if (!saves) return json({ error: { code: 501 } }, 501);
      if (name.includes('/')) return json({ error: { message: 'Invalid filename' } }, 400);
      const action = searchParams.get('action') ?? '';
      actions.push(`${action} ${slot}`);
      if (action === 'save') {
        keeps.set(name, 90);
        return json({ n_saved: 90 });
      }
      if (!keeps.has(name)) return json({ error: { message: 'Unable to restore slot' } }, 400);
      cached = lies ? 0 : 90;
      return json({ n_restored: 90 });
    }
    asked.push(body['id_slot'] as number | undefined);
    if (breaks !== undefined && asked.length > 1) return BROKEN[breaks];
    const timings = { cache_n: cached, prompt_n: 100 - cached, predicted_n: 1 };
    cached = 95;
    const end = JSON.stringify({ choices: [{ delta: { content: 'ok' }, finish_reason: 'stop' }], timings });
    return { chunks: [`data: ${end}\n\ndata: [DONE]\n\n`] };
  });
  return { network, actions, asked, keeps };
};
const clock = { now: () => (time += 1), monotonic: () => 0 };
let time = 0;
const signal = new AbortController().signal;
const open = (at: ReturnType<typeof server>, statesFolder: string | undefined = folder) => {
  const provider = createLlamaCppProvider({ network: at.network, clock, baseUrl: 'http://h:1', statesFolder });
  const parts: ModelPart[] = [];
  const ask = (messages: ModelMessage[]) =>
    provider.stream({ model: 'm', messages, tools: [], sampling: {} }, (part) => parts.push(part), signal);
  return { provider, ask, warnings: () => parts.filter(({ type }) => type === 'warning') };
};

describe('slots of llama.cpp', () => {
  it('are held by the conversation, and saved when another one takes them and at the end', async () => {
    const at = server();
    const { ask, provider } = open(at);
    await ask(talk('one'));
    await ask(talk('two'));
    await ask(talk('one', 'more'));
    expect(at.asked).toEqual([0, 1, 0]);
    // The server may clear a slot that is idle while another one works.
    expect(at.actions.splice(0)).toEqual(['save 0', 'save 1', 'restore 0']);
    await ask(talk('three'));
    expect(at.asked.at(-1)).toBe(1);
    expect(at.actions.splice(0)).toEqual(['save 0']);
    await provider.close();
    expect(at.actions).toEqual(['save 1']);
    expect((await stat(join(folder, 'slots.json'))).mode & 0o777).toBe(0o600);
  });

  it.each<[Breaks, string[]]>([
    ['refused', ['save 0']],
    ['in the prompt', ['save 0', 'save 1']],
    ['in the answer', ['save 0', 'save 1']],
  ])('are saved with what was read for an answer that broke off: %s', async (breaks, saved) => {
    const at = server({ breaks });
    const { ask, provider } = open(at);
    await ask(talk('one'));
    expect(await ask(talk('two'))).toMatchObject({ ok: false });
    await provider.close();
    expect(at.actions).toEqual(saved);
  });

  it('are restored for a conversation that comes back after a restart, once', async () => {
    const keeps = new Map<string, number>();
    const before = open(server({ keeps }));
    await before.ask(talk('one'));
    await before.provider.close();
    const at = server({ keeps });
    const { ask, warnings } = open(at);
    const outcome = await ask(talk('one', 'again'));
    await ask(talk('one', 'again', 'and again'));
    expect(at.actions).toEqual(['restore 0']);
    expect(outcome.ok && outcome.answer.usage).toMatchObject({ cached_tokens: 90 });
    expect(warnings()).toEqual([]);
  });

  it('give a new conversation what all begin with: from the slot that read it ahead, or from its file', async () => {
    const keeps = new Map<string, number>();
    const at = server({ keeps });
    const first = open(at);
    await first.provider.warmUp?.read({ model: 'm', messages: [SYSTEM], tools: [], sampling: {} }, signal);
    expect(at.actions).toEqual(['save 0']);
    await first.ask(talk('one'));
    expect(at.asked).toEqual([0, 0]);
    const later = server({ keeps });
    await open(later).ask(talk('another'));
    expect(later.actions).toEqual(['restore 0']);
  });

  it('are not believed where the server restores and reads all again: it is said, and not tried any more', async () => {
    const keeps = new Map<string, number>();
    const before = open(server({ keeps }));
    await before.ask(talk('one'));
    await before.ask(talk('two'));
    await before.provider.close();
    const at = server({ keeps, lies: true });
    const { ask, warnings } = open(at);
    await ask(talk('one'));
    expect(warnings()).toMatchObject([{ code: 'slot_not_restored' }]);
    await ask(talk('two'));
    expect(at.actions).toEqual(['restore 0', 'save 0']);
    expect(warnings()).toHaveLength(1);
  });

  it('are forgotten where the file is gone', async () => {
    const before = open(server());
    await before.ask(talk('one'));
    await before.provider.close();
    const at = server();
    await open(at).ask(talk('one'));
    expect(at.actions).toEqual(['restore 0']);
    expect(JSON.parse(await readFile(join(folder, 'slots.json'), 'utf8'))).toMatchObject({ files: {} });
  });

  it('are the server’s own choice where it saves none, nothing is kept, or all are taken', async () => {
    const without = server({ saves: false });
    await open(without).ask(talk('one'));
    expect([without.asked, without.actions]).toEqual([[undefined], []]);
    const unkept = server();
    const { provider } = open(unkept, '');
    await provider.close();
    const none = createLlamaCppProvider({ network: unkept.network, clock, baseUrl: 'http://h:1' });
    await none.stream({ model: 'm', messages: talk('one'), tools: [], sampling: {} }, () => undefined, signal);
    expect(unkept.asked).toEqual([undefined]);
    const single = server({ slots: 1 });
    const { ask } = open(single);
    await Promise.all([ask(talk('one')), ask(talk('two'))]);
    expect(single.asked.filter((slot) => slot === 0)).toHaveLength(1);
  });
});
