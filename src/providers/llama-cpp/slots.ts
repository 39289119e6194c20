/**
 * Slots of llama.cpp's server, held per conversation and kept over its end: where the server was started with
 * `--slot-save-path`, what a slot has read is saved when another conversation begins and when halter ends, and restored
 * when the conversation comes back. Whether restoring was worth anything is told by the server's own count of cached tokens.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoraAdapter } from '../../core/engine-options.ts';
import type { Usage } from '../../core/message.ts';
import { messageText } from '../../core/message.ts';
import type { ModelPart, ModelRequest } from '../../core/model-port.ts';
import type { Network } from '../../core/ports.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import { type Fields, objectOf } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';

export type SlotOptions = {
  network: Network;
  /** Without `/v1`. */
  root: string;
  headers: Readonly<Record<string, string>>;
  /** Where halter notes which files of the server hold what. */
  folder: string;
  /** What was read with other adapters is of no use. */
  adapters: readonly LoraAdapter[];
  now(): number;
};

export type HeldSlot = {
  /** Absent: the server chooses. */
  id?: number;
  /** To be called when the answer is there or broke off: `read`, the server began to read for it. */
  done(answer: { usage: Usage | undefined; read: boolean }): Promise<void>;
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

class ServerSlots implements Slots {
  readonly #options: SlotOptions;
  readonly #conversations = new Map<string, Conversation>();
  #server: Promise<Server | undefined> | undefined;
  #restores = true;
  /** The conversation of the last request. A server may clear idle slots when another one begins. */
  #last: Conversation | undefined;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  async hold(request: ModelRequest, emit: (part: ModelPart) => void, signal: AbortSignal): Promise<HeldSlot> {
    this.#server ??= this.#findServer(signal);
    const server = await this.#server;
    if (server === undefined) return FREE;
    const taken = await this.#conversationOf(server, request, signal);
    if (taken === undefined) return FREE;
    const { conversation, restored } = taken;
    conversation.busy += 1;
    conversation.used = this.#options.now();
    this.#last = conversation;
    return { id: conversation.slot, done: (ended) => this.#done(conversation, { ...ended, restored, request, emit }) };
  }

  async close(): Promise<void> {
    for (const conversation of this.#conversations.values()) await this.#save(conversation);
  }

  async #ask(method: 'GET' | 'POST', path: string, body: Fields | undefined, signal: AbortSignal) {
    const { network, root, headers } = this.#options;
    const answer = await network.request({
      method,
      url: `${root}${path}`,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
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
  }

  /** A name that no server takes: one that saves slots refuses the name, another the whole action. */
  async #findServer(signal: AbortSignal): Promise<Server | undefined> {
    const saves = await this.#ask('POST', '/slots/0?action=save', { filename: '../' }, signal);
    // It does not answer, or loads its model: it is asked again the next time.
    if (saves.status === 0 || saves.status === 503) this.#server = undefined;
    if (saves.status !== 400) return undefined;
    const { fields } = await this.#ask('GET', '/props', undefined, signal);
    const count = fields['total_slots'];
    if (typeof count !== 'number' || count < 1) return undefined;
    const adapters = this.#options.adapters.map(({ file, scale }) => ` ${file}:${scale}`).join('');
    return { count, model: `${String(fields['model_path'])} ${String(fields['build_info'])}${adapters}` };
  }

  /** The conversation of a request, in a slot of its own; undefined where every slot is busy. */
  async #conversationOf(
    server: Server,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<{ conversation: Conversation; restored?: number | undefined } | undefined> {
    const file = fileOf(server, request, false);
    const known = this.#conversations.get(file);
    const before = this.#last;
    if (before !== undefined && before !== known && before.busy === 0) await this.#save(before);
    if (known === undefined) return this.#begin(server, file, fileOf(server, request, true), signal);
    const isElsewhere = before !== known && known.busy === 0;
    return { conversation: known, restored: isElsewhere ? await this.#restore(known.slot, [file], signal) : undefined };
  }

  async #begin(server: Server, file: string, head: string, signal: AbortSignal) {
    const begun = this.#conversations.get(head);
    // What all conversations begin with was read ahead: this one goes on in its slot.
    const isBegun = begun !== undefined && begun.busy === 0;
    if (isBegun) this.#conversations.delete(head);
    const taken = isBegun ? { slot: begun.slot } : this.#takeSlot(server.count);
    if (taken === undefined) return undefined;
    // It is taken before anything is waited for, so that no other request takes it too.
    const conversation: Conversation = { slot: taken.slot, file, used: this.#options.now(), unsaved: false, busy: 1 };
    this.#conversations.set(file, conversation);
    if (taken.gone) await this.#save(taken.gone);
    const restored = isBegun ? undefined : await this.#restore(taken.slot, [file, head], signal);
    conversation.busy -= 1;
    return { conversation, restored };
  }

  async #done(
    conversation: Conversation,
    answered: {
      usage: Usage | undefined;
      read: boolean;
      restored: number | undefined;
      request: ModelRequest;
      emit: (part: ModelPart) => void;
    },
  ): Promise<void> {
    const { usage, read, restored, request, emit } = answered;
    conversation.busy -= 1;
    // A slot in which nothing was read may hold another conversation still.
    if (read) conversation.unsaved = true;
    if (usage === undefined) return;
    if (isHead(request)) await this.#save(conversation);
    // A conversation that was shortened begins with the same instructions still, so fewer than that is nothing.
    const expected = Math.min((restored ?? 0) / 2, usage.prompt_tokens / 2, PROVIDER_LIMITS.slotRestoredTokens);
    if ((usage.cached_tokens ?? 0) >= expected) return;
    this.#restores = false;
    emit({
      type: 'warning',
      code: 'slot_not_restored',
      message: `The server said that it restored ${restored} tokens of this conversation, and read ${usage.prompt_tokens - (usage.cached_tokens ?? 0)} of ${usage.prompt_tokens} again. Nothing is restored there any more until halter starts again.`,
    });
  }

  async #save(conversation: Conversation): Promise<void> {
    if (!conversation.unsaved) return;
    const { slot, file } = conversation;
    const saved = await this.#ask('POST', `/slots/${slot}?action=save`, { filename: file }, never);
    const tokens = saved.fields['n_saved'];
    if (saved.status !== 200 || typeof tokens !== 'number') return;
    conversation.unsaved = false;
    await note(this.#options.folder, file, { at: this.#options.now(), tokens });
  }

  /** A slot that nobody here uses now: a free one, or that of the conversation that was silent longest, which goes. */
  #takeSlot(count: number): { slot: number; gone?: Conversation } | undefined {
    const taken = new Set([...this.#conversations.values()].map(({ slot }) => slot));
    for (let slot = 0; slot < count; slot += 1) if (!taken.has(slot)) return { slot };
    const idle = [...this.#conversations].filter(([, { busy }]) => busy === 0);
    const [oldest] = idle.toSorted(([, one], [, other]) => one.used - other.used);
    if (oldest === undefined) return undefined;
    this.#conversations.delete(oldest[0]);
    return { slot: oldest[1].slot, gone: oldest[1] };
  }

  /** Tokens that the server says it has again; undefined where there was nothing to restore. */
  async #restore(slot: number, files: readonly string[], signal: AbortSignal): Promise<number | undefined> {
    const notes = await readNotes(this.#options.folder);
    const file = files.find((name) => notes.has(name));
    if (file === undefined || !this.#restores) return undefined;
    const { status, fields } = await this.#ask('POST', `/slots/${slot}?action=restore`, { filename: file }, signal);
    const tokens = fields['n_restored'];
    if (status === 200 && typeof tokens === 'number') return tokens;
    // The file is gone or of another model: it is not asked for again.
    if (status === 400) await note(this.#options.folder, file, undefined);
    return undefined;
  }
}

export const createSlots = (options: SlotOptions): Slots => new ServerSlots(options);

/** What all conversations begin with. */
const isHead = ({ messages }: ModelRequest): boolean => messages.every(({ role }) => role === 'system');

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
    makeFolder(folder);
    await writeFile(temporary, JSON.stringify({ version: NOTES_VERSION, files }), { flag: 'wx', mode: 0o600 });
    await rename(temporary, join(folder, NOTES_FILE));
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
};
