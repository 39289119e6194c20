/**
 * The workspace as one call of a conversation sees it: what is known of files comes from the log, and what the call reads
 * and writes is noted for the log. Other conversations of the same workspace know nothing of it.
 */
import type { KnownFile } from '../../../core/content-part.ts';
import type { Workspace } from '../../../core/ports.ts';
import { hashOf } from '../../../io/workspace/read.ts';

export type ConversationFiles = {
  workspace: Workspace;
  /** What this call saw. */
  files(): KnownFile[];
};

export const conversationFiles = (
  workspace: Workspace,
  known: () => ReadonlyMap<string, string>,
): ConversationFiles => {
  const seen = new Map<string, string>();
  return {
    workspace: {
      ...workspace,
      async writeFile(path, bytes, options) {
        const written = await workspace.writeFile(path, bytes, options);
        if (written.ok) seen.set(workspace.fileName(path), hashOf(bytes));
        return written;
      },
      seenHash: (path) => seen.get(workspace.fileName(path)) ?? known().get(workspace.fileName(path)),
      markSeen: (path, hash) => void seen.set(workspace.fileName(path), hash),
    },
    files: () => [...seen].map(([path, hash]) => ({ path, hash })),
  };
};
