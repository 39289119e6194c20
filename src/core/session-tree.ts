/**
 * A session is a tree in one log. Events are only ever appended; `branch_selected` says from which of them the
 * conversation goes on. What counts is the path from the first event to the last one: state, messages for the model,
 * tasks and context are folds over it. What was left aside stays in the log and can be returned to.
 */
import type { Event, EventBody } from './events.ts';
import { messageText } from './message.ts';

/** Events that say something about the session and are no step of the conversation. */
const BESIDE: ReadonlySet<EventBody['type']> = new Set([
  'prompt_begun',
  'answer_streamed',
  'branch_selected',
  'model_changed',
  'mode_changed',
  'settings_changed',
  'limits_changed',
  'session_renamed',
  'context_compacted',
  'change_recorded',
  'layer_changed',
  'job_changed',
  'change_undone',
  'tool_called',
]);

/** For each event, the place in the list of the one that it follows; -1 for the first. */
const parents = (events: readonly Event[]): Int32Array => {
  const places = new Map<number, number>();
  const found = new Int32Array(events.length);
  for (const [place, event] of events.entries()) {
    // A damaged log may lack the event that is named: then the branch says nothing.
    const named = event.type === 'branch_selected' ? places.get(event.at_seq) : undefined;
    found[place] = named ?? place - 1;
    places.set(event.seq, place);
  }
  return found;
};

const pathTo = (events: readonly Event[], parentOf: Int32Array, last: number): Event[] => {
  const path: Event[] = [];
  for (let place = last; place >= 0; place = parentOf[place] as number) path.push(events[place] as Event);
  return path.reverse();
};

/**
 * The events that count, in their order, the branch markers among them. A log without branches is returned as it is,
 * and so is a path: the path of a path is the same path.
 */
export const activePath = (events: readonly Event[]): readonly Event[] =>
  events.some(({ type }) => type === 'branch_selected') ? pathTo(events, parents(events), events.length - 1) : events;

/** The events that counted when the event `seq` was the last one. */
export const pathAt = (events: readonly Event[], seq: number): readonly Event[] => {
  const place = events.findIndex((event) => event.seq === seq);
  return place === -1 ? [] : pathTo(events, parents(events), place);
};

export type Alternative = {
  /** The event that this alternative begins with: a message of the person, or what came of one. */
  seq: number;
  /** Its newest event: `branch` there goes on where this alternative was left. */
  head_seq: number;
  /** Its text, where it begins with one. */
  text: string;
  /** It is part of the active path. */
  current: boolean;
};
export type BranchPoint = {
  /** `message`: the person said different things here; `answer`: the same thing was answered more than once. */
  kind: 'message' | 'answer';
  /** The event that the alternatives follow: `branch` here begins another one. */
  at_seq: number;
  /** Oldest first; at least two. */
  alternatives: Alternative[];
};

type Tree = {
  /** The newest event that comes of the one at this place. */
  headSeqOf(place: number): number;
  /** By the place of a step of the conversation, those of the steps that follow it; -1: the first. */
  children: ReadonlyMap<number, readonly number[]>;
  /** The numbers of the events that count. */
  active: ReadonlySet<number>;
  /** The place of the step before an event. */
  anchor(place: number): number;
};

const treeOf = (events: readonly Event[]): Tree => {
  const parentOf = parents(events);
  const heads = new Int32Array(events.length);
  for (let place = events.length - 1; place >= 0; place -= 1) {
    heads[place] = Math.max(heads[place] as number, place);
    const parent = parentOf[place] as number;
    if (parent >= 0) heads[parent] = Math.max(heads[parent] as number, heads[place] as number);
  }
  const anchor = (place: number): number => anchorOf(events, parentOf, place);
  const children = new Map<number, number[]>();
  for (const [place, event] of events.entries()) {
    if (BESIDE.has(event.type)) continue;
    const at = anchor(place);
    const others = children.get(at);
    if (others === undefined) children.set(at, [place]);
    else others.push(place);
  }
  return {
    headSeqOf: (place) => (events[heads[place] as number] as Event).seq,
    children,
    active: new Set(activePath(events).map(({ seq }) => seq)),
    anchor,
  };
};

/** The places of the active path at which there is more than one way on, from the first to the last. */
export const branches = (events: readonly Event[]): BranchPoint[] => {
  const { headSeqOf, children, active } = treeOf(events);
  const points: BranchPoint[] = [];
  for (const [anchor, places] of [...children].sort(([one], [other]) => one - other)) {
    const at = events[anchor];
    if (places.length < 2 || at === undefined || !active.has(at.seq)) continue;
    const alternatives = places.map((place): Alternative => {
      const { seq } = events[place] as Event;
      return { seq, head_seq: headSeqOf(place), text: textOf(events[place] as Event), current: active.has(seq) };
    });
    const isMessage = places.some((place) => events[place]?.type === 'user_message_added');
    points.push({ kind: isMessage ? 'message' : 'answer', at_seq: at.seq, alternatives });
  }
  return points;
};

export type TreeNode = {
  seq: number;
  /** Its newest event: `branch` there goes on where this part of the tree was left. */
  head_seq: number;
  /** `message`: of the person; `answer`: one of several answers to the same message. */
  kind: 'message' | 'answer';
  text: string;
  /** How many times the way to it parted. */
  depth: number;
  /** It is part of the active path. */
  current: boolean;
};

/** All that was ever said in a session, with what was left aside: every message, and every answer that has others beside it. */
export const messageTree = (events: readonly Event[]): TreeNode[] => {
  const { headSeqOf, children, active, anchor } = treeOf(events);
  const nodes: TreeNode[] = [];
  // Without recursion: a session may be as deep as it is long.
  const open: { place: number; depth: number }[] = [{ place: 0, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const event = events[next.place];
    if (event === undefined) break;
    const below = children.get(next.place) ?? [];
    const beside = children.get(anchor(next.place)) ?? [];
    const isMessage = event.type === 'user_message_added';
    if (isMessage || (event.type === 'assistant_message_added' && beside.length > 1)) {
      const kind = isMessage ? 'message' : 'answer';
      nodes.push({
        seq: event.seq,
        head_seq: headSeqOf(next.place),
        kind,
        text: textOf(event),
        depth: next.depth,
        current: active.has(event.seq),
      });
    }
    const depth = next.depth + (below.length > 1 ? 1 : 0);
    for (const place of below.toReversed()) open.push({ place, depth });
  }
  return nodes;
};

/** The last step of the conversation before an event. */
const anchorOf = (events: readonly Event[], parentOf: Int32Array, place: number): number => {
  let parent = parentOf[place] as number;
  while (parent >= 0 && BESIDE.has((events[parent] as Event).type)) parent = parentOf[parent] as number;
  return parent;
};

const textOf = (event: Event): string => {
  if (event.type === 'user_message_added') return messageText(event.content);
  return event.type === 'assistant_message_added' ? event.message.content : '';
};

/** What the person called the session last; undefined where its first words are its name. */
export const givenTitle = (events: readonly Event[]): string | undefined => {
  const renamed = events.findLast((event) => event.type === 'session_renamed');
  return renamed?.type === 'session_renamed' && renamed.title !== '' ? renamed.title : undefined;
};
