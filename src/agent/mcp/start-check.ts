/** Before a server is started, each time: it has to be what was agreed to, its files in the workspace included. */
import path from 'node:path';
import type { ServerDefinition } from '../../mcp/server-definition.ts';
import { type ServerPlace, startContents, startDigest } from './server-files.ts';

export type StartCheck = {
  /** Why it may not start; undefined where it is what was agreed to. */
  problem(): string | undefined;
  /** What it is now, where that is not what was agreed to when it was last looked at. */
  changed(): string | undefined;
  /** It may start as it is now. */
  agree(): void;
};

const NAMED = 3;

export const createStartCheck = (
  server: ServerDefinition,
  place: ServerPlace,
  /** What the person has to do about a change. */
  advice: string,
  agreed: string = startDigest(server, place),
): StartCheck => {
  let digest = agreed;
  let contents = startContents(server, place);
  let changed: string | undefined;
  return {
    changed: () => changed,
    problem() {
      const now = startDigest(server, place);
      changed = now === digest ? undefined : now;
      if (changed === undefined) return undefined;
      const different = [...startContents(server, place)].filter(([file, content]) => contents.get(file) !== content);
      const names = different.slice(0, NAMED).map(([file]) => path.relative(place.roots[0] ?? '/', file));
      return `what it is started from changed since it was allowed (${names.join(', ') || 'a file is gone'}); ${advice}`;
    },
    agree() {
      digest = startDigest(server, place);
      contents = startContents(server, place);
      changed = undefined;
    },
  };
};
