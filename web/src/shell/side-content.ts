/** What there is to show at the right of a conversation; the panel itself is loaded when it is shown. */
import { visible } from '../parts/visible.ts';
import { changedFiles } from '../state/changed-files.ts';
import type { View } from '../state/view.ts';
import type { Documents } from './use-documents.ts';

const SHOWN_SOURCES = 50;

export type Source = { name: string; callId: string };

/** Files and pages that calls brought, each once, the newest first. What a call changed stands above. */
export const sourcesOf = ({ items, changes }: View): readonly Source[] => {
  const changed = new Set(changes.map(({ callId }) => callId));
  const found = new Map<string, Source>();
  for (const item of items) {
    if (item.kind !== 'call' || item.call.state !== 'done' || changed.has(item.call.id)) continue;
    const name = item.call.arguments['url'] ?? item.call.arguments['path'];
    if (typeof name === 'string' && name !== '' && name !== '.')
      found.set(name, { name: visible(name), callId: item.call.id });
  }
  return [...found.values()].reverse().slice(0, SHOWN_SOURCES);
};

export const hasSideContent = (view: View, documents: Documents): boolean =>
  documents.list.some(({ state }) => state === 'ready') ||
  view.tasks.length > 0 ||
  changedFiles(view.changes).length > 0 ||
  sourcesOf(view).length > 0;
