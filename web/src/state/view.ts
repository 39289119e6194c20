/** What the person sees of a session, as data. It is a fold over the session's updates, see `reduce.ts`. */
import type { Event, QueuedMessage, Rule, StopReason } from '../../../src/core/events.ts';
import type { CallEnd } from '../../../src/core/failure-word.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ContentPart, Repair, ToolCall, Usage } from '../../../src/core/message.ts';
import type { OwnSettings } from '../../../src/core/own-settings.ts';
import type { Mode } from '../../../src/core/policy/modes.ts';
import type { Task } from '../../../src/core/ports.ts';
import type { ArgumentOrigin } from '../../../src/core/provenance/origin.ts';
import type { ServerQuestion } from '../../../src/core/server-question.ts';
import type { BranchPoint } from '../../../src/core/session-tree.ts';
import type { Preview, Risk } from '../../../src/core/tool.ts';
import type { ToolResult } from '../../../src/core/tool-result.ts';
import type { ContextUse } from '../../../src/core/window.ts';

export type CallState = 'waiting' | 'asks' | 'running' | CallEnd;

export type CallView = {
  id: string;
  name: string;
  arguments: JsonObject;
  /** As JSON text with the model's own digits, where the values have lost some. */
  written?: string;
  source: ToolCall['source'];
  repairs: readonly Repair[];
  /** The text that stood where the arguments should be, where they could not be read. */
  malformed?: { text: string; problem: string };
  state: CallState;
  risk?: Risk;
  /** Which rule decided. */
  because?: string;
  /** After untrusted content: whose words the weighty arguments are. */
  provenance?: readonly ArgumentOrigin[];
  /** What Remember would store. */
  rule?: Rule;
  /** Other rules to choose from, the narrowest first. */
  suggestions?: readonly Rule[];
  /** No yes holds for longer than this call. */
  asksEachTime?: boolean;
  /** A command that is known to read or print and to do nothing else. */
  onlyReads?: boolean;
  /** What it runs stands in the sandbox of commands, where there is one. */
  inSandbox?: boolean;
  preview?: Preview;
  /** The person's words for a denial. */
  reason?: string;
  /** Milliseconds since 1970, by the log. */
  askedAt?: number;
  startedAt?: number;
  finishedAt?: number;
  /** Live output; the end of it, while the call runs. */
  output: string;
  result?: ToolResult;
};

/** A tool call that the model is still writing. */
export type DraftCall = { index: number; name: string; text: string };

/** `after`: the event that the message follows, where another version of it would begin. */
type UserItem = {
  kind: 'user';
  key: string;
  seq: number;
  after: number;
  at: number;
  content: string | ContentPart[];
  /** Under which it was sent, where it was sent under one. */
  messageKey?: string;
};
/** `seq` is that of the fact; nothing that is still coming has one. */
export type TextItem = {
  kind: 'text';
  key: string;
  seq?: number;
  text: string;
  live: boolean;
  /** The person wrote it in the place of the model's words. */
  edited?: boolean;
  /** halter listed what the tools returned, since the model gave no answer. */
  byHalter?: boolean;
  cut?: 'length' | 'cancelled' | 'disconnected';
  /** Why it broke off, where that is known. */
  why?: string;
};
/** `since`: of the page's clock, while it comes; `seconds`: how long it took, by the log once the answer is in it. */
export type ReasoningItem = {
  kind: 'reasoning';
  key: string;
  seq?: number;
  text: string;
  live: boolean;
  since?: number;
  seconds?: number;
};
type CallItem = { kind: 'call'; key: string; seq: number; call: CallView };
export type DraftItem = { kind: 'draft'; key: string; draft: DraftCall };
export type NoticeItem = {
  kind: 'notice';
  key: string;
  seq: number;
  severity: 'quiet' | 'warning' | 'error';
  text: string;
  hint?: string;
  stopped?: StopReason | 'cancelled';
};
/** What stands under a finished answer: the tools it used, what it cost. */
export type EndItem = {
  kind: 'end';
  key: string;
  seq: number;
  used: readonly string[];
  sources: readonly string[];
  usage?: Usage;
};
export type Item = UserItem | TextItem | ReasoningItem | CallItem | DraftItem | NoticeItem | EndItem;

/** What is going on now. Everything in it comes from progress and is gone when the next fact says more. */
export type Activity =
  | { type: 'idle' }
  /** `at`: milliseconds since 1970, by the log; absent where nobody knows since when. */
  | { type: 'sent'; at?: number }
  | { type: 'loading'; message: string; fraction?: number; at?: number }
  | {
      type: 'prefill';
      processed: number;
      total: number;
      cached?: number;
      since: number;
      from: number;
      secondsLeft?: number;
    }
  | { type: 'thinking'; since: number }
  | { type: 'writing'; since: number; characters: number }
  | { type: 'tools' }
  | { type: 'asking' };

/** A file that a call changed. */
export type ChangeView = {
  seq: number;
  path: string;
  callId: string;
  /** It was not there before. */
  created: boolean;
  /** It is not there any more. */
  removed: boolean;
  undone: boolean;
  /** It is of another branch than the one that is shown; the file holds it all the same. */
  elsewhere: boolean;
};

export type Warning = { code: string; message: string };

export type View = {
  /** The facts so far, in their order, those of other branches too. */
  log: readonly Event[];
  /** The newest fact of the branch that is shown. */
  head: number;
  branches: readonly BranchPoint[];
  /** The name that the person gave; empty where there is none. */
  title: string;
  items: readonly Item[];
  model: string;
  /** How often the person is asked. */
  mode: Mode;
  /** The mode that the session was in, where its next message would run in a looser one. */
  loosenedFrom?: Mode;
  /** What was set for this session alone. */
  settings: OwnSettings;
  workspace: string;
  tasks: readonly Task[];
  /** What MCP servers ask of the person and nobody answered yet, the oldest first. */
  questions: readonly ServerQuestion[];
  /** Of all branches. */
  changes: readonly ChangeView[];
  /** Messages that wait for their turn. */
  queue: readonly QueuedMessage[];
  /** Those that waited and that a person took out, here or elsewhere, by their ids. */
  removed: readonly string[];
  /** The last answer's own count. */
  usage?: Usage;
  /** How much of the window the conversation takes. */
  use?: ContextUse | undefined;
  activity: Activity;
  /** A run is going on, from the person's message to its end; or room is made because they asked for it. */
  running: boolean;
  warnings: readonly Warning[];
  /** What the last failure of the model said one could do. */
  hint?: string | undefined;
  /** Answers of the model so far, failed ones too: what keys are made of. */
  answers: number;
};

export const EMPTY_VIEW: View = {
  log: [],
  head: 0,
  branches: [],
  title: '',
  items: [],
  model: '',
  mode: 'ask',
  settings: {},
  workspace: '',
  tasks: [],
  questions: [],
  changes: [],
  queue: [],
  removed: [],
  activity: { type: 'idle' },
  running: false,
  warnings: [],
  answers: 0,
};
