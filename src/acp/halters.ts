/** The halters behind an editor's sessions: one for each folder and what goes with it. */
import { isAbsolute } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import type { Agent } from '../agent/create-agent.ts';
import type { Outcome } from '../core/outcome.ts';
import type { ServerDefinition } from '../mcp/server-definition.ts';

/** A halter for the folder that the editor works in, with servers that the person let start. */
export type OpenHalter = (
  folder: string,
  additionalFolders: readonly string[],
  servers: readonly ServerDefinition[],
) => Promise<Outcome<Agent>>;

/** What a session is opened with. */
export type Place = { cwd: string; additional: readonly string[]; servers: readonly ServerDefinition[] };
export type Held = { opening: Promise<Agent>; key: string; isShared: boolean; sessions: number };

export const createHalters = (open: OpenHalter) => {
  const all = new Map<string, Held>();

  const heldFor = ({ cwd, additional, servers }: Place): Held => {
    if (!isAbsolute(cwd)) throw RequestError.invalidParams(undefined, 'cwd must be an absolute path');
    const key = JSON.stringify([cwd, additional, servers]);
    const known = all.get(key);
    if (known !== undefined) return known;
    const opening = open(cwd, additional, servers).then((opened) => {
      if (opened.ok) return opened.value;
      all.delete(key);
      throw RequestError.invalidParams(undefined, opened.error.message);
    });
    const held = { opening, key, isShared: servers.length === 0, sessions: 0 };
    all.set(key, held);
    return held;
  };

  return {
    /** For one session, until it is given back. */
    async take(place: Place): Promise<Held> {
      const held = heldFor(place);
      held.sessions += 1;
      return held;
    },
    /** One with servers of its own ends with its last session, and the servers with it. */
    async release(held: Held): Promise<void> {
      held.sessions -= 1;
      if (held.isShared || held.sessions > 0) return;
      all.delete(held.key);
      await (await held.opening).close();
    },
    /** To look at what is kept; no session's servers start for that. */
    plain: async (cwd: string): Promise<Agent> => heldFor({ cwd, additional: [], servers: [] }).opening,
    async close(): Promise<void> {
      for (const halter of await Promise.allSettled([...all.values()].map(({ opening }) => opening)))
        if (halter.status === 'fulfilled') await halter.value.close();
    },
  };
};
