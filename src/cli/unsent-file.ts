/** What was typed and not sent, one small file for each session and for each folder that has none yet. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from '../storage/atomic-file.ts';
import type { UnsentStore } from '../terminal/app-options.ts';

/** Where it cannot be kept, it is forgotten: typing goes on. */
export const openUnsent = (dataFolder: string, workspace: string): UnsentStore => {
  const folder = join(dataFolder, 'unsent');
  const fileOf = (sessionId: string | undefined): string => {
    const named = sessionId === undefined ? `folder ${workspace}` : `session ${sessionId}`;
    return join(folder, `${createHash('sha256').update(named).digest('hex').slice(0, 32)}.json`);
  };
  return {
    read(sessionId) {
      try {
        const kept: unknown = JSON.parse(readFileSync(fileOf(sessionId), 'utf8'));
        const { pid, text } = kept as { pid?: unknown; text?: unknown };
        // Another window is open in this folder, and it is being typed into. A session is open in one window alone.
        if (sessionId === undefined && typeof pid === 'number' && pid !== process.pid && isProcessAlive(pid))
          return undefined;
        return typeof text === 'string' && text !== '' ? text : undefined;
      } catch {
        return undefined;
      }
    },
    keep(sessionId, text, isOver = false) {
      const file = fileOf(sessionId);
      try {
        if (text === '') return rmSync(file, { force: true });
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const fresh = `${file}.${process.pid}`;
        writeFileSync(fresh, JSON.stringify({ ...(isOver ? {} : { pid: process.pid }), text }), { mode: 0o600 });
        renameSync(fresh, file);
      } catch {
        return undefined;
      }
    },
  };
};
