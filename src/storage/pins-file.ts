/** The sessions that the person put in front of the others, in a file of their own: every browser shows the same. */
import { join } from 'node:path';
import { type Outcome, succeed } from '../core/outcome.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { waitForLock } from './file-lock.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';
import { type PinStore, withPin } from './pins.ts';

const VERSION = 1;

export const createPinsFile = ({ folder }: { /** `halterPaths(…).data` */ folder: string }): PinStore => {
  const path = join(folder, 'pinned-sessions.json');
  const read = async (): Promise<Outcome<ReadonlySet<string>>> => {
    const bytes = await readOwnFile(path, STORAGE_LIMITS.pinsFileBytes, 'no session is pinned by it');
    return bytes.ok ? succeed(new Set(parsePins(bytes.value))) : bytes;
  };
  return {
    read,
    async set(session, pinned) {
      const { lockWaitMs, lockRetryMs } = STORAGE_LIMITS;
      const held = await waitForLock(join(folder, 'pinned-sessions.lock'), lockWaitMs, lockRetryMs);
      if (!held.ok) return held;
      try {
        const known = await read();
        if (!known.ok) return known;
        if (known.value.has(session) === pinned) return succeed(undefined);
        const sessions = withPin([...known.value], session, pinned);
        return await writeFileAtomically(path, `${JSON.stringify({ version: VERSION, sessions })}\n`);
      } finally {
        held.value.release();
      }
    },
  };
};

/** A damaged file costs an order in a list and nothing else: it is begun anew. */
const parsePins = (bytes: Uint8Array | undefined): string[] => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const sessions: unknown = (value as { sessions?: unknown } | null)?.sessions;
    return Array.isArray(sessions) ? sessions.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
};
