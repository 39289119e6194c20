/** A view under work, and what facts and progress both do to it. */
import type { Event } from '../../../../src/core/events.ts';
import { inPage } from '../../../../src/core/page-words.ts';
import type { Task } from '../../../../src/core/ports.ts';
import type { CallView, ChangeView, Item, NoticeItem, View, Warning } from '../view.ts';

export type Fact<Type extends Event['type']> = Extract<Event, { type: Type }>;
/** A view under work: its lists are its own until it is handed out. */
export type Draft = Omit<View, 'log' | 'items' | 'tasks' | 'changes' | 'warnings'> & {
  log: Event[];
  items: Item[];
  tasks: Task[];
  changes: ChangeView[];
  warnings: Warning[];
};

export const open = (view: View): Draft => ({
  ...view,
  log: [...view.log],
  items: [...view.items],
  tasks: [...view.tasks],
  changes: [...view.changes],
  warnings: [...view.warnings],
});

export const answerKey = (draft: Draft, part: string): string => `a${draft.answers}${part}`;

export const isLive = (item: Item): boolean => item.kind === 'draft' || ('live' in item && item.live);
export const dropLive = (draft: Draft): void => {
  if (draft.items.some(isLive)) draft.items = draft.items.filter((item) => !isLive(item));
};

/** `at`: by the log, where a fact began it. */
export const beginRun = (draft: Draft, at?: number): void => {
  draft.running = true;
  draft.activity = { type: 'sent', ...(at === undefined ? {} : { at }) };
};

export const endRun = (draft: Draft): void => {
  draft.running = false;
  draft.activity = { type: 'idle' };
  draft.hint = undefined;
  // What was tried again is told by how it ended.
  draft.warnings = draft.warnings.filter(({ code }) => code !== 'retrying');
};

export const settleActivity = (draft: Draft): void => {
  if (!draft.running) return;
  const asks = draft.items.some((item) => item.kind === 'call' && item.call.state === 'asks');
  draft.activity = { type: asks || draft.questions.length > 0 ? 'asking' : 'tools' };
};

/** The calls that can still change are at the end, so that is where the search begins. */
export const changeCall = (draft: Draft, id: string, change: (call: CallView) => CallView): void => {
  const index = draft.items.findLastIndex((item) => item.kind === 'call' && item.call.id === id);
  const item = draft.items[index];
  if (item?.kind === 'call') draft.items[index] = { ...item, call: change(item.call) };
};

export const callIn = (draft: Draft, id: string): CallView | undefined => {
  const item = draft.items.findLast((each) => each.kind === 'call' && each.call.id === id);
  return item?.kind === 'call' ? item.call : undefined;
};

export const notice = (draft: Draft, seq: number, rest: Omit<NoticeItem, 'kind' | 'key' | 'seq'>): void => {
  const hint = rest.hint === undefined ? {} : { hint: inPage(rest.hint) };
  draft.items.push({ kind: 'notice', key: `n${seq}`, seq, ...rest, text: inPage(rest.text), ...hint });
};
