/**
 * What the engine has read, kept on disk: the state of a prompt can be loaded in a fraction of the time that reading it
 * again takes. A state counts only for the very model, engine and window it was made with, and for the very tokens; it is
 * believed only after its checksum was right, and whatever is in doubt is thrown away. It holds words of conversations, so
 * nobody else can read it, and deleting a session deletes all of them (`storage/session-files.ts`).
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, lstat, open, readdir, readFile, rename, rm, statfs, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../../disk/make-folder.ts';
import type { Token } from './engine.ts';
import { EMBEDDED_LIMITS } from './limits.ts';

export type KeptState = { file: string; tokens: readonly Token[] };

export type PromptStates = {
  /**
   * A session was deleted since this was last asked, and all states with it: what is held in memory is of before, and is
   * not to be written again.
   */
  wasDeleted(): Promise<boolean>;
  /** The state that has most of the prompt's beginning in it, and how much; nothing is checked yet. */
  longest(prompt: readonly Token[]): Promise<{ state: KeptState; same: number } | undefined>;
  /** Whether the file is the one that was written. One that is not is removed. */
  verify(state: KeptState): Promise<boolean>;
  /** `write` makes the file. A state that begins the new one is replaced by it, unless it is a head. */
  save(tokens: readonly Token[], kind: StateKind, write: (file: string) => Promise<unknown>): Promise<boolean>;
  remove(state: KeptState): Promise<void>;
};

/** `head`: what all sessions begin with. */
export type StateKind = 'head' | 'session';

type Record = { version: number; kind: StateKind; tokens: Token[]; sha256: string; bytes: number };
type StoredState = { file: string; record: Record };

const VERSION = 1;
const NAMES = /^[0-9a-f]{16}\.json$/;

export const sameTokens = (one: readonly Token[], other: readonly Token[]): number => {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) if (one[index] !== other[index]) return index;
  return length;
};

class StateFolder implements PromptStates {
  /** Of all models. */
  readonly #folder: string;
  /** Of this model. */
  readonly #own: string;
  #known: string | undefined;

  constructor(folder: string, key: string) {
    this.#folder = folder;
    this.#own = path.join(folder, createHash('sha256').update(key).digest('hex').slice(0, 32));
  }

  async wasDeleted(): Promise<boolean> {
    try {
      makeFolder(this.#own);
      const { ino, birthtimeMs } = await lstat(this.#folder);
      const before = this.#known;
      this.#known = `${ino} ${birthtimeMs}`;
      return before !== undefined && before !== this.#known;
    } catch {
      return false;
    }
  }

  async longest(prompt: readonly Token[]): Promise<{ state: KeptState; same: number } | undefined> {
    let best: { state: KeptState; same: number } | undefined;
    for (const { file, record } of await this.#all()) {
      const same = sameTokens(record.tokens, prompt);
      // Of two that serve as well, the shorter one is loaded sooner.
      const isBetter =
        best === undefined ||
        same > best.same ||
        (same === best.same && record.tokens.length < best.state.tokens.length);
      if (same > 0 && isBetter) best = { state: { file, tokens: record.tokens }, same };
    }
    return best;
  }

  async verify({ file, tokens }: KeptState): Promise<boolean> {
    const record = await readRecord(recordOf(file));
    const isRight = record !== undefined && isOf(record, tokens) && (await isFileOf(file, record));
    if (!isRight) await removeState(file);
    else await utimes(file, new Date(), new Date()).catch(() => undefined);
    return isRight;
  }

  async save(tokens: readonly Token[], kind: StateKind, write: (file: string) => Promise<unknown>): Promise<boolean> {
    const temporary = path.join(this.#own, `.${process.pid}-${randomBytes(8).toString('hex')}.tmp`);
    try {
      makeFolder(this.#own);
      await chmod(this.#folder, 0o700);
      const before = await this.#all();
      if (before.some(({ record }) => isOf(record, tokens))) return true;
      const size = await writePrivately(temporary, write);
      if (size > EMBEDDED_LIMITS.stateFileBytes || !(await hasRoom(this.#own, size))) return false;
      const record = { version: VERSION, kind, tokens: [...tokens], sha256: await hashOf(temporary), bytes: size };
      await this.#keep(temporary, record);
      await removeBeginnings(before, tokens);
      await keepBounded(this.#folder);
      return true;
    } catch {
      // A full disk or a folder that is gone: the prompt is read again, as it would be anyway.
      return false;
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
      await rm(`${temporary}.json`, { force: true }).catch(() => undefined);
    }
  }

  async remove({ file }: KeptState): Promise<void> {
    await removeState(file);
  }

  async #keep(temporary: string, record: Record): Promise<void> {
    const file = path.join(this.#own, `${randomBytes(8).toString('hex')}.state`);
    await rename(temporary, file);
    await writeFile(`${temporary}.json`, JSON.stringify(record), { flag: 'wx', mode: 0o600 });
    // The record comes last: a state without one is none.
    await rename(`${temporary}.json`, recordOf(file));
  }

  async #all(): Promise<StoredState[]> {
    const names = (await readdir(this.#own).catch(() => [])).filter((name) => NAMES.test(name));
    const found = await Promise.all(
      names.map(async (name) => {
        const file = path.join(this.#own, name.replace(/\.json$/, '.state'));
        const record = await readRecord(recordOf(file));
        if (record === undefined) await removeState(file);
        return record && { file, record };
      }),
    );
    return found.filter((state) => state !== undefined);
  }
}

/** States of one model: `key` names everything on which they depend. */
export const openPromptStates = (folder: string, key: string): PromptStates => new StateFolder(folder, key);

const recordOf = (file: string): string => file.replace(/\.state$/, '.json');

const removeState = async (file: string): Promise<void> => {
  await rm(recordOf(file), { force: true }).catch(() => undefined);
  await rm(file, { force: true }).catch(() => undefined);
};

const isOf = (record: Record, tokens: readonly Token[]): boolean =>
  record.tokens.length === tokens.length && sameTokens(record.tokens, tokens) === tokens.length;

const readRecord = async (file: string): Promise<Record | undefined> => {
  try {
    const found = await lstat(file);
    if (!found.isFile() || found.size > EMBEDDED_LIMITS.stateRecordBytes) return undefined;
    const value = JSON.parse(await readFile(file, 'utf8')) as Partial<Record>;
    const isWhole =
      value.version === VERSION &&
      (value.kind === 'head' || value.kind === 'session') &&
      typeof value.sha256 === 'string' &&
      typeof value.bytes === 'number' &&
      Array.isArray(value.tokens) &&
      value.tokens.every((token) => Number.isInteger(token));
    return isWhole ? (value as Record) : undefined;
  } catch {
    return undefined;
  }
};

/** Made by us with its mode, so that whoever writes into it does not decide on that. Its size in bytes. */
const writePrivately = async (file: string, write: (file: string) => Promise<unknown>): Promise<number> => {
  await (await open(file, 'wx', 0o600)).close();
  await write(file);
  await chmod(file, 0o600);
  return (await lstat(file)).size;
};

/** A longer state serves wherever one that begins it does. */
const removeBeginnings = async (states: readonly StoredState[], tokens: readonly Token[]): Promise<void> => {
  for (const { file, record } of states) {
    const isBeginning = sameTokens(record.tokens, tokens) === record.tokens.length;
    if (isBeginning && record.kind !== 'head') await removeState(file);
  }
};

const hashOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file, { highWaterMark: EMBEDDED_LIMITS.stateHashBytes })) {
    hash.update(piece as Buffer);
  }
  return hash.digest('hex');
};

const isFileOf = async (file: string, record: Record): Promise<boolean> => {
  try {
    const found = await lstat(file);
    return found.isFile() && found.size === record.bytes && (await hashOf(file)) === record.sha256;
  } catch {
    return false;
  }
};

const hasRoom = async (folder: string, bytes: number): Promise<boolean> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize > bytes * EMBEDDED_LIMITS.stateFreeTimes;
};

/** Over all models: the ones that were not used for longest go, and what writers that were killed left behind. */
const keepBounded = async (folder: string): Promise<void> => {
  const files: { file: string; size: number; used: number }[] = [];
  for (const model of await readdir(folder)) {
    const inner = path.join(folder, model);
    for (const name of await readdir(inner).catch(() => [])) {
      const file = path.join(inner, name);
      const found = await lstat(file).catch(() => undefined);
      if (found === undefined) continue;
      const isLeft = name.endsWith('.tmp') && Date.now() - found.mtimeMs > EMBEDDED_LIMITS.stateLeftMs;
      const isOrphan =
        name.endsWith('.state') &&
        (await lstat(file.replace(/\.state$/, '.json')).catch(() => undefined)) === undefined;
      if (isLeft || (isOrphan && Date.now() - found.mtimeMs > EMBEDDED_LIMITS.stateLeftMs))
        await rm(file, { force: true });
      else if (name.endsWith('.state')) files.push({ file, size: found.size, used: found.mtimeMs });
    }
  }
  files.sort((one, other) => other.used - one.used);
  let bytes = 0;
  for (const [index, { file, size }] of files.entries()) {
    bytes += size;
    if (bytes <= EMBEDDED_LIMITS.stateBytes && index < EMBEDDED_LIMITS.states) continue;
    await rm(file.replace(/\.state$/, '.json'), { force: true });
    await rm(file, { force: true });
  }
};
