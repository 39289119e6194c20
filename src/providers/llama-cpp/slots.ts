/**
 * Slots of llama.cpp's server, held per conversation and kept over its end: where the server was started with
 * `--slot-save-path`, what a slot has read is saved when another conversation begins and when halter ends, and restored
 * when the conversation comes back. Whether restoring was worth anything is told by the server's own count of cached tokens.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Usage } from '../../core/message.ts';
import { messageText } from '../../core/message.ts';
import type { ModelPart, ModelRequest } from '../../core/model-port.ts';
import type { Network } from '../../core/ports.ts';
import { type Fields, objectOf } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';

export type SlotOptions = {
  network: Network;
  /** Without `/v1`. */
  root: string;
  headers: Readonly<Record<string, string>>;
  /** Where halter notes which files of the server hold what. */
  folder: string;
  now(): number;
};

export type HeldSlot = {
  /** Absent: the server chooses. */
  id?: number;
  /** To be called when the answer is there, with what the server says of it. */
  done(usage: Usage | undefined): Promise<void>;
};

export type Slots = {
  hold(request: ModelRequest, emit: (part: ModelPart) => void, signal: AbortSignal): Promise<HeldSlot>;
  /** Saves what is not saved yet. */
  close(): Promise<void>;
};

type Server = { count: number; model: string };
type Conversation = { slot: number; file: string; used: number; unsaved: boolean; busy: number };
type Note = { at: number; tokens: number };

const NOTES_FILE = 'slots.json';
const NOTES_VERSION = 1;
const never = new AbortController().signal;
const FREE: HeldSlot = { done: async () => undefined };

export const createSlots = (options: SlotOptions): Slots => {
  const conversations = new Map<string, Conversation>();
  let server: Promise<Server | undefined> | undefined;
  let restores = true;
  /** The conversation of the last request. A server may clear idle slots when another one begins. */
  let last: Conversation | undefined;

  const ask = async (method: 'GET' | 'POST', path: string, body: Fields | undefined, signal: AbortSignal) => {
    const answer = await options.network.request({
      method,
      url: `${options.root}${path}`,
      headers: { ...options.headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal,
      connectTimeoutMs: PROVIDER_LIMITS.modelConnectTimeoutMs,
      firstByteTimeoutMs: PROVIDER_LIMITS.slotActionMs,
      maxResponseBytes: PROVIDER_LIMITS.modelInformationBytes,
    });
    const text = answer.ok ? await answer.value.text() : undefined;
    if (!answer.ok || !text?.ok) return { status: 0, fields: {} as Fields };
    try {
      return { status: answer.value.status, fields: objectOf(JSON.parse(text.value)) };
    } catch {
      return { status: answer.value.status, fields: {} as Fields };
    }
  };

  /** A name that no server takes: one that saves slots refuses the name, another the whole action. */
  const findServer = async (signal: AbortSignal): Promise<Server | undefined> => {
    const saves = await ask('POST', '/slots/0?action=save', { filename: '../' }, signal);
    // It does not answer, or loads its model: it is asked again the next time.
    if (saves.status === 0 || saves.status === 503) server = undefined;
    if (saves.status !== 400) return undefined;
    const { fields } = await ask('GET', '/props', undefined, signal);
    const count = fields['total_slots'];
    if (typeof count !== 'number' || count < 1) return undefined;
    return { count, model: `${String(fields['model_path'])} ${String(fields['build_info'])}` };
  };

  const save = async (conversation: Conversation): Promise<void> => {
    if (!conversation.unsaved) return;
    const { slot, file } = conversation;
    const saved = await ask('POST', `/slots/${slot}?action=save`, { filename: file }, never);
    const tokens = saved.fields['n_saved'];
    if (saved.status !== 200 || typeof tokens !== 'number') return;
    conversation.unsaved = false;
    await note(options.folder, file, { at: options.now(), tokens });
  };

  /** A slot that nobody here uses now: a free one, or that of the conversation that was silent longest, which goes. */
  const takeSlot = (count: number): { slot: number; gone?: Conversation } | undefined => {
    const taken = new Set([...conversations.values()].map(({ slot }) => slot));
    for (let slot = 0; slot < count; slot += 1) if (!taken.has(slot)) return { slot };
    const idle = [...conversations].filter(([, { busy }]) => busy === 0);
    const [oldest] = idle.toSorted(([, one], [, other]) => one.used - other.used);
    if (oldest === undefined) return undefined;
    conversations.delete(oldest[0]);
    return { slot: oldest[1].slot, gone: oldest[1] };
  };

  /** Tokens that the server says it has again; undefined where there was nothing to restore. */
  const restore = async (slot: number, files: readonly string[], signal: AbortSignal): Promise<number | undefined> => {
    const notes = await readNotes(options.folder);
    const file = files.find((name) => notes.has(name));
    if (file === undefined || !restores) return undefined;
    const { status, fields } = await ask('POST', `/slots/${slot}?action=restore`, { filename: file }, signal);
    const tokens = fields['n_restored'];
    if (status === 200 && typeof tokens === 'number') return tokens;
    // The file is gone or of another model: it is not asked for again.
    if (status === 400) await note(options.folder, file, undefined);
    return undefined;
  };

  const hold: Slots['hold'] = async (request, emit, signal) => {
    server ??= findServer(signal);
    const found = await server;
    if (found === undefined) return FREE;
    const isHead = request.messages.every(({ role }) => role === 'system');
    const [file, head] = [fileOf(found, request, false), fileOf(found, request, true)];
    let conversation = conversations.get(file);
    let restored: number | undefined;
    const before = last;
    if (before !== undefined && before !== conversation && before.busy === 0) await save(before);
    if (conversation !== undefined && before !== conversation && conversation.busy === 0)
      restored = await restore(conversation.slot, [file], signal);
    if (conversation === undefined) {
      const begun = conversations.get(head);
      // What all conversations begin with was read ahead: this one goes on in its slot.
      const isBegun = begun !== undefined && begun.busy === 0;
      if (isBegun) conversations.delete(head);
      const taken = isBegun ? { slot: begun.slot } : takeSlot(found.count);
      if (taken === undefined) return FREE;
      // It is taken before anything is waited for, so that no other request takes it too.
      conversation = { slot: taken.slot, file, used: options.now(), unsaved: false, busy: 1 };
      conversations.set(file, conversation);
      if (taken.gone) await save(taken.gone);
      if (!isBegun) restored = await restore(taken.slot, [file, head], signal);
      conversation.busy -= 1;
    }
    const own = conversation;
    own.busy += 1;
    own.used = options.now();
    last = own;
    return {
      id: own.slot,
      async done(usage) {
        own.busy -= 1;
        if (usage === undefined) return;
        own.unsaved = true;
        if (isHead) await save(own);
        // A conversation that was shortened begins with the same instructions still, so fewer than that is nothing.
        const expected = Math.min((restored ?? 0) / 2, usage.prompt_tokens / 2, PROVIDER_LIMITS.slotRestoredTokens);
        if ((usage.cached_tokens ?? 0) >= expected) return;
        restores = false;
        emit({
          type: 'warning',
          code: 'slot_not_restored',
          message: `The server said that it restored ${restored} tokens of this conversation, and read ${usage.prompt_tokens - (usage.cached_tokens ?? 0)} of ${usage.prompt_tokens} again. Nothing is restored there any more until halter starts again.`,
        });
      },
    };
  };

  return {
    hold,
    async close() {
      for (const conversation of conversations.values()) await save(conversation);
    },
  };
};

/** Of the model and of what the conversation begins with: its instructions, its tools and the first message. */
const fileOf = (server: Server, { messages, tools }: ModelRequest, headAlone: boolean): string => {
  const hash = createHash('sha256').update(JSON.stringify([server.model, tools]));
  for (const message of messages) {
    if (message.role !== 'system' && (message.role !== 'user' || headAlone)) break;
    hash.update(`\n${message.role} ${messageText(message.content)}`);
    if (message.role === 'user') break;
  }
  return `halter-${hash.digest('hex').slice(0, 32)}.bin`;
};

const readNotes = async (folder: string): Promise<Map<string, Note>> => {
  try {
    const value = objectOf(JSON.parse(await readFile(join(folder, NOTES_FILE), 'utf8')));
    if (value['version'] !== NOTES_VERSION) return new Map();
    return new Map(
      Object.entries(objectOf(value['files'])).flatMap(([name, entry]) => {
        const { at, tokens } = objectOf(entry);
        return typeof at === 'number' && typeof tokens === 'number' ? [[name, { at, tokens }] as const] : [];
      }),
    );
  } catch {
    return new Map();
  }
};

/** A note that cannot be written loses a saving and nothing else. */
const note = async (folder: string, file: string, what: Note | undefined): Promise<void> => {
  const temporary = join(folder, `.${NOTES_FILE}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`);
  try {
    const notes = await readNotes(folder);
    notes.delete(file);
    if (what) notes.set(file, what);
    const files = Object.fromEntries([...notes].slice(-PROVIDER_LIMITS.slotFiles));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(temporary, JSON.stringify({ version: NOTES_VERSION, files }), { flag: 'wx', mode: 0o600 });
    await rename(temporary, join(folder, NOTES_FILE));
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
};
