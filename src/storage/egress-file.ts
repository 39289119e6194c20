/**
 * The egress ledger: every connection that halter or a tool tried, one line of JSON each, for the person to read later.
 * A line is written before the first byte goes out, so that a killed halter leaves no connection unsaid. It is bounded:
 * full files are put aside, and the oldest are removed.
 */
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, FolderError, writeFailure } from '../disk/disk-failure.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { STORAGE_LIMITS } from './limits.ts';

export type EgressVerdict =
  /** A connection was made. */
  | 'connected'
  /** halter did not try it. */
  | 'refused'
  /** It was tried and did not come about. */
  | 'failed';

export type EgressConnection = {
  type: 'connection';
  /** Together with `run`, names the connection. */
  id: number;
  run: string;
  at: number;
  session?: string;
  /** The call of the model that it was for: its command stands in the log of the session. */
  call?: string;
  /** `model`, a tool's name, or `halter`. */
  who: string;
  method: string;
  scheme: string;
  host: string;
  port: number;
  address?: string;
  proxied?: boolean;
  reused?: boolean;
  verdict: EgressVerdict;
  reason?: string;
};
type EgressTransfer = { type: 'transfer'; id: number; run: string; sent: number; received: number };
/** A command that a model wrote: its own connections cannot be seen from here. */
export type EgressCommand = {
  type: 'command';
  at: number;
  session?: string;
  call?: string;
  who: string;
  /** `none`: it ran in the sandbox, without a network. `not_seen`: it may have reached anything. */
  network: 'none' | 'not_seen';
};
export type EgressLine = EgressConnection | EgressTransfer | EgressCommand;
export type EgressEntry = (EgressConnection & { sent?: number; received?: number }) | EgressCommand;

export type EgressFile = {
  readonly path: string;
  /** Never throws: a full disk must not end a run. `onProblem` is called once. */
  append(line: EgressLine): void;
  /** In the order in which they happened; lines that cannot be read are left out and counted. */
  read(): { entries: EgressEntry[]; damaged: number };
};

const NAME = 'egress.jsonl';
const ASIDE = /^egress-(\d+)\.jsonl$/;

export const createEgressFile = (options: {
  folder: string;
  maxBytes?: number;
  onProblem?(message: string): void;
}): EgressFile => {
  const path = join(options.folder, NAME);
  const maxBytes = options.maxBytes ?? STORAGE_LIMITS.egressFileBytes;
  let told = false;
  let made = false;

  const aside = (): string[] => {
    const names = readdirSync(options.folder).filter((name) => ASIDE.test(name));
    return names.sort((left, right) => Number(ASIDE.exec(left)?.[1]) - Number(ASIDE.exec(right)?.[1]));
  };
  const rotate = (): void => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < maxBytes) return;
    const last = Number(ASIDE.exec(aside().at(-1) ?? '')?.[1] ?? 0);
    // Two halters may do this at once: each file gets a name of its own, so neither loses the other's.
    renameSync(path, join(options.folder, `egress-${Math.max(Date.now(), last + 1)}.jsonl`));
    for (const name of aside().slice(0, -STORAGE_LIMITS.egressFilesAside))
      rmSync(join(options.folder, name), { force: true });
  };

  return {
    path,
    append(line) {
      try {
        if (!made) makeFolder(options.folder);
        made = true;
        rotate();
        appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
      } catch (error) {
        // Its file may have gone in between; a folder that cannot be made is told.
        if (told || (errorCode(error) === 'ENOENT' && !(error instanceof FolderError))) return;
        told = true;
        options.onProblem?.(
          writeFailure(`Connections are not listed, since ${path} cannot be written`, error).error.message,
        );
      }
    },
    read() {
      let names: string[];
      try {
        names = [...aside(), NAME];
      } catch {
        return { entries: [], damaged: 0 };
      }
      return readEntries(names.map((name) => join(options.folder, name)));
    },
  };
};

const readEntries = (files: readonly string[]): { entries: EgressEntry[]; damaged: number } => {
  const entries: EgressEntry[] = [];
  const connections = new Map<string, EgressConnection & { sent?: number; received?: number }>();
  let damaged = 0;
  for (const text of files.map(textOf)) {
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const value = parsed(line);
      if (value === undefined) damaged += 1;
      else if (value.type === 'transfer') {
        const connection = connections.get(`${value.run} ${value.id}`);
        if (connection) Object.assign(connection, { sent: value.sent, received: value.received });
      } else {
        entries.push(value);
        if (value.type === 'connection') connections.set(`${value.run} ${value.id}`, value);
      }
    }
  }
  return { entries, damaged };
};

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const parsed = (line: string): EgressLine | undefined => {
  try {
    const value = JSON.parse(line) as EgressLine;
    return ['connection', 'transfer', 'command'].includes(value.type) ? value : undefined;
  } catch {
    return undefined;
  }
};
