/**
 * A git of halter's own, which reads objects and indexes that a command wrote. Its folder is made for it: it obeys no
 * settings, hooks, filters or replacements of a repository, loads nothing, and believes no table that a command wrote.
 */
import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../disk/make-folder.ts';
import { firstOf } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { type OpenProgram, openProgram, type Ran, runProgram } from './run-program.ts';

export type GitObject = { type: string; content: Buffer };

const PLAIN = ['-c', 'core.commitGraph=false', '-c', 'core.multiPackIndex=false', '-c', 'core.quotePath=false'];

export class OwnGit {
  /** Its folder, with `objects` in it, which shows those of all stores. */
  readonly folder: string;
  readonly #program: string;
  readonly #readers: ObjectReader[] = [];

  /** `stores`: folders of objects that it reads beside its own. */
  constructor(program: string, folder: string, options: { isSha256: boolean; stores: readonly string[] }) {
    this.#program = program;
    this.folder = folder;
    for (const name of ['objects/info', 'objects/pack', 'refs']) makeFolder(path.join(folder, name));
    writeFileSync(path.join(folder, 'HEAD'), 'ref: refs/heads/none\n');
    const format = options.isSha256 ? '\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n' : '';
    writeFileSync(path.join(folder, 'config'), `[core]\n\tbare = false\n${format}`);
    const named = options.stores.filter((store) => !/^"|\n/.test(store));
    writeFileSync(path.join(folder, 'objects/info/alternates'), named.map((store) => `${store}\n`).join(''));
  }

  /** One more, for the processes that are started later; a link to it has a plain name. */
  addStore(store: string, number: number): void {
    const shown = path.join(this.folder, `store-${number}`);
    symlinkSync(store, shown);
    appendFileSync(path.join(this.folder, 'objects/info/alternates'), `${shown}\n`);
  }

  run(words: readonly string[], input = '', environment: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const options = { environment: { ...this.#environment(), ...environment }, timeoutMs: SANDBOX_LIMITS.gitReadMs };
    return runProgram([this.#program, ...PLAIN, ...words], input, options);
  }

  /** Reads objects, or with `isCheck` only whether they are there. */
  reader(isCheck = false): ObjectReader {
    const words = [...PLAIN, 'cat-file', isCheck ? '--batch-check' : '--batch'];
    const reader = new ObjectReader(this.#program, words, this.#environment());
    this.#readers.push(reader);
    return reader;
  }

  close(): void {
    for (const reader of this.#readers) reader.close();
  }

  #environment(): Record<string, string> {
    return {
      HOME: this.folder,
      GIT_DIR: this.folder,
      GIT_WORK_TREE: path.join(this.folder, 'refs'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_LITERAL_PATHSPECS: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
    };
  }
}

export const findGit = (): string | undefined => firstOf('git');

type Waiting = { resolve(found: GitObject | undefined): void; reject(error: Error): void };

/** One process that answers in the order of the questions. */
export class ObjectReader {
  readonly #child: OpenProgram;
  readonly #waiting: Waiting[] = [];
  readonly #isCheck: boolean;
  #pending: Buffer = Buffer.alloc(0);
  #chunks: Buffer[] = [];
  /** How many bytes there have to be until there is something to read. */
  #needed = 1;
  #have = 0;
  #failure: Error | undefined;

  constructor(program: string, words: readonly string[], environment: Readonly<Record<string, string>>) {
    this.#isCheck = words.includes('--batch-check');
    this.#child = openProgram([program, ...words], environment, SANDBOX_LIMITS.gitReadMs);
    const fail = (): void => this.#fail(new Error('git could not read it'));
    this.#child.on('error', fail);
    this.#child.on('close', fail);
    this.#child.stdin?.on('error', fail);
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  /** Undefined where it is not there. Throws where git ends, or where it is too large. */
  read(oid: string): Promise<GitObject | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#waiting.push({ resolve, reject });
      this.#child.stdin.write(`${oid}\n`);
    });
  }

  async has(oid: string): Promise<boolean> {
    return (await this.read(oid)) !== undefined;
  }

  close(): void {
    this.#failure ??= new Error('it is closed');
    this.#child.kill('SIGKILL');
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    if (this.#have < this.#needed) return;
    this.#pending = Buffer.concat([this.#pending, ...this.#chunks]);
    this.#chunks = [];
    while (this.#answer());
    this.#have = this.#pending.length;
  }

  /** False where more has to come first. */
  #answer(): boolean {
    const line = this.#pending.indexOf(0x0a);
    this.#needed = this.#pending.length + 1;
    if (line < 0) return false;
    const [, type = '', size = ''] = this.#pending.toString('latin1', 0, line).split(' ');
    const isFound = /^\d+$/.test(size);
    const length = isFound && !this.#isCheck ? Number(size) : undefined;
    if (length !== undefined && length > SANDBOX_LIMITS.gitObjectBytes) {
      this.#fail(new Error('an object of git is too large to be read'));
      this.close();
      return false;
    }
    const end = length === undefined ? line + 1 : line + 1 + length + 1;
    this.#needed = end;
    if (this.#pending.length < end) return false;
    const content = Buffer.from(this.#pending.subarray(line + 1, length === undefined ? line + 1 : end - 1));
    this.#pending = this.#pending.subarray(end);
    this.#needed = 1;
    this.#waiting.shift()?.resolve(isFound ? { type, content } : undefined);
    return this.#pending.length > 0;
  }
}
