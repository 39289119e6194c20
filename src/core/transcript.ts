/** A session as a person reads it, entry by entry: what `sessions show` prints and what is exported. */
import { argumentsText } from './call-arguments.ts';
import { commandLayer, layerText, stoppedText } from './command-layer.ts';
import type { Event, EventOf } from './events.ts';
import { type ContentPart, shownText, type ToolCall } from './message.ts';
import { modelChangedText } from './model-roles.ts';
import { endedJobText } from './session-jobs.ts';
import { activePath } from './session-tree.ts';
import { endsBeforeLastWords } from './streamed-answer.ts';
import { executionTime, statusOf } from './tool/display-status.ts';
import { textIn } from './tool/model-content.ts';
import type { ToolResult } from './tool-result.ts';
import { compactionLines } from './window/compaction-text.ts';

/** `unended`: what is known of one that began and has no result. */
export type TranscriptCall = {
  call: ToolCall;
  result?: ToolResult;
  /** What the model read in the place of its data, where its tool said so. */
  shown?: string;
  unended?: string;
};
export type TranscriptEntry =
  | { kind: 'user'; seq: number; at: number; text: string; images: Extract<ContentPart, { type: 'image' }>[] }
  | {
      kind: 'assistant';
      seq: number;
      at: number;
      text: string;
      reasoning: string;
      calls: TranscriptCall[];
      /** halter's own words, where the model gave no answer. */
      byHalter?: true;
    }
  /** What halter has to say in between. */
  | { kind: 'note'; seq: number; at: number; text: string };

/** Of the way through the session that counts. */
export const transcriptOf = (events: readonly Event[]): TranscriptEntry[] => entriesOf(activePath(events), events);

/** Of some of its events. */
export const entriesOf = (path: readonly Event[], events: readonly Event[]): TranscriptEntry[] => {
  const entries: TranscriptEntry[] = [];
  const calls = new Map<string, TranscriptCall>();
  for (const event of inReadingOrder(path)) {
    const { seq, at } = event;
    const note = noteOf(event);
    if (note !== undefined) entries.push({ kind: 'note', seq, at, text: note });
    else if (event.type === 'user_message_added') {
      entries.push({ kind: 'user', seq, at, text: textOf(event.content), images: imagesOf(event.content) });
    } else if (event.type === 'assistant_message_added') {
      const { content, reasoning = '', tool_calls, by_halter: byHalter } = event.message;
      const made = tool_calls.map((call): TranscriptCall => ({ call }));
      for (const one of made) calls.set(one.call.id, one);
      const said = { text: content.trim(), reasoning, calls: made, ...(byHalter ? { byHalter } : {}) };
      entries.push({ kind: 'assistant', seq, at, ...said });
    } else if (event.type === 'tool_finished' || event.type === 'arguments_rejected') {
      const known = calls.get(event.tool_call_id);
      if (known) known.result = event.result;
      if (known && 'for_model' in event && event.for_model !== undefined) known.shown = textIn(event.for_model);
    } else if (event.type === 'layer_changed') {
      const known = calls.get(event.tool_call_id);
      const text = known?.result && stoppedText(event, known.call.name);
      if (text !== undefined) entries.push({ kind: 'note', seq, at, text });
    } else if (event.type === 'tool_started') {
      const known = calls.get(event.tool_call_id);
      if (known) known.unended = UNENDED;
    }
  }
  for (const [id, made] of calls) {
    if (made.result !== undefined) delete made.unended;
    const layer = made.unended === undefined ? undefined : commandLayer(events, id);
    if (layer !== undefined) made.unended = `${UNENDED}; ${layerText(layer)}`;
  }
  return entries;
};

/** The end of a run that broke an answer off comes after what was there of the answer. */
const inReadingOrder = (path: readonly Event[]): readonly Event[] => {
  const read: Event[] = [];
  for (const event of path) {
    const before = read.at(-1);
    const isLast = event.type === 'assistant_message_added' && before !== undefined && endsBeforeLastWords(before);
    if (isLast) read.splice(-1, 1, event, before);
    else read.push(event);
  }
  return read;
};

const UNENDED = 'no result: it still runs, or halter was ended while it ran';

const textOf = (content: string | ContentPart[]): string =>
  typeof content === 'string' ? content : shownText(content.filter(({ type }) => type === 'text'));
const imagesOf = (content: string | ContentPart[]): Extract<ContentPart, { type: 'image' }>[] =>
  typeof content === 'string' ? [] : content.filter((part) => part.type === 'image');

const noteOf = (event: Event): string | undefined => {
  switch (event.type) {
    case 'model_failed':
      return `No answer: ${event.message}${event.hint ? ` ${event.hint}` : ''}`;
    case 'run_stopped':
      return event.name === 'Interrupted' || event.reason !== 'model_unusable' ? event.message : undefined;
    case 'run_cancelled':
      return 'Ended by the person.';
    case 'model_changed':
      return modelChangedText(event);
    case 'context_compacted':
      return compactionLines(event).join('\n');
    case 'job_changed':
      return endedJobText(event);
    case 'tool_called':
      return calledText(event);
    case 'change_undone':
      if (event.how === 'left') return undefined;
      if (event.how === 'partly') return `A part of the change of ${event.path} was taken back.`;
      return event.how === 'beside'
        ? `What ${event.path} held before was written to ${event.beside}.`
        : `The change of ${event.path} was taken back.`;
    default:
      return undefined;
  }
};

/** The display message of a call that no model made. */
const calledText = ({ name, arguments: args, result }: EventOf<'tool_called'>): string =>
  [
    `[Tool: ${name}] called from outside the conversation`,
    `Arguments: ${JSON.stringify(args)}`,
    `Status: ${statusOf(result)}`,
    `Result: ${result.data ?? '(none)'}`,
    executionTime(result),
  ].join('\n');

/** Whose words they are. */
export const speakerOf = (entry: Exclude<TranscriptEntry, { kind: 'note' }>): 'user' | 'assistant' | 'halter' =>
  entry.kind === 'assistant' && entry.byHalter ? 'halter' : entry.kind;

/** `file`: where the whole of a long result is. */
export type Spoken = { seq: number; role: string; text: string; file?: string };

/** Everything that was said: messages, arguments and results of calls. */
export const spoken = (entries: readonly TranscriptEntry[]): Spoken[] =>
  entries.flatMap((entry) => {
    if (entry.kind === 'note') return [];
    const calls = entry.kind === 'assistant' ? entry.calls : [];
    return [
      { seq: entry.seq, role: speakerOf(entry) as string, text: entry.text },
      ...calls.map(({ call }) => ({
        seq: entry.seq,
        role: 'call',
        text: `${call.name} ${argumentsText(call)}`,
      })),
      ...calls.map((made) => ({ seq: entry.seq, role: 'tool', text: resultText(made), ...wholeOf(made) })),
    ];
  });

const resultText = ({ result, shown }: TranscriptCall): string =>
  [result?.error_message, result?.data, shown].filter((text) => text).join('\n');
const wholeOf = ({ result }: TranscriptCall): { file?: string } =>
  result?.metadata.result_file === undefined ? {} : { file: result.metadata.result_file };
