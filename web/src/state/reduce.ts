/**
 * Session updates → what the person sees. Pure, so that a reload, a second tab and a broken connection all end in the
 * same view: facts decide, progress only fills the time until the next fact.
 */
import type { SessionUpdate } from '../../../src/core/events.ts';
import { activePath, branches } from '../../../src/core/session-tree.ts';
import { type Draft, isLive, open } from './reduce/draft.ts';
import { takeFact } from './reduce/facts.ts';
import { takeProgress } from './reduce/progress.ts';
import { type CallView, EMPTY_VIEW, type View } from './view.ts';

/** `now` is what progress is timed by; facts bring their own time. */
export const reduce = (view: View, updates: readonly SessionUpdate[], now: number): View => {
  if (updates.length === 0) return view;
  let draft = open(view);
  const known = draft.log.length;
  for (const update of updates) {
    if (update.seq === undefined) {
      takeProgress(draft, update, now);
      continue;
    }
    // A connection that was taken up again may bring what is known already.
    if (update.seq <= (draft.log.at(-1)?.seq ?? 0)) continue;
    draft.log.push(update);
    if (update.type === 'branch_selected') draft = rebuilt(draft);
    else takeFact(draft, update);
    draft.head = update.seq;
  }
  if (draft.log.length > known && draft.log.some(({ type }) => type === 'branch_selected')) {
    draft.branches = branches(draft.log);
  }
  return draft;
};

/** Without what no fact holds yet: it is told again, put together, when a connection was taken up again. */
export const withoutProgress = (view: View): View => ({
  ...view,
  queue: [],
  items: view.items
    .filter((item) => !isLive(item))
    .map((item) =>
      item.kind === 'call' && item.call.output !== '' ? { ...item, call: { ...item.call, output: '' } } : item,
    ),
});

/** Another branch is another conversation: its view is made from its own events. Files know no branches. */
const rebuilt = ({ log, warnings, queue, removed, changes }: Draft): Draft => {
  const next = open({ ...EMPTY_VIEW, warnings, queue, removed });
  const path = activePath(log);
  for (const event of path) {
    takeFact(next, event);
    next.head = event.seq;
  }
  const here = new Set(path.map(({ seq }) => seq));
  return { ...next, log, changes: changes.map((change) => ({ ...change, elsewhere: !here.has(change.seq) })) };
};

/** The calls that wait for the person's decision, in the order they were asked. */
export const askedCalls = (view: View): CallView[] =>
  view.running
    ? view.items.flatMap((item) => (item.kind === 'call' && item.call.state === 'asks' ? [item.call] : []))
    : [];
