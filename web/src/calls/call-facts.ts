/** What one line says of a call, whatever tool it is: nothing here knows a tool by name. */
import { changeSize } from '../../../src/core/change-size.ts';
import { failureWord, notRunWord } from '../../../src/core/failure-word.ts';
import { timeTaken } from '../../../src/core/tool/display-status.ts';
import { bytes, counted, duration } from '../parts/format.ts';
import { visible } from '../parts/visible.ts';
import type { CallState, CallView } from '../state/view.ts';

const SUBJECT_CHARACTERS = 200;

/** The argument that tells this call from the next: the first that is a text, or else a number. */
export const subjectOf = (call: Pick<CallView, 'arguments'>): string => {
  const values = Object.values(call.arguments);
  const value = values.find((each) => typeof each === 'string') ?? values.find((each) => typeof each === 'number');
  const text = value === undefined ? '' : String(value);
  return visible((text.split('\n')[0] ?? '').slice(0, SUBJECT_CHARACTERS));
};

/** `mcp__server__tool` is the tool of a server; the rest are halter's own. */
export const toolTitle = (name: string): { tool: string; server?: string } => {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server && tool ? { tool: visible(tool), server: visible(server) } : { tool: visible(name) };
};

export const STATE_WORDS: Readonly<Record<CallState, string>> = {
  waiting: 'waiting',
  asks: 'waits for you',
  running: 'running',
  done: 'done',
  failed: 'failed',
  denied: 'denied',
  not_run: 'not run',
};
export const STATE_MARKS: Readonly<Record<CallState, string>> = {
  waiting: '○',
  asks: '?',
  running: '●',
  done: '✓',
  failed: '✕',
  denied: '⊘',
  not_run: '○',
};

const stateWord = ({ state, startedAt, result }: CallView): string =>
  notRunWord(result, startedAt !== undefined) ?? STATE_WORDS[state];

/** What stands at the end of the line: state where it is not plain success, change, time, size, repairs. */
export const callFacts = (call: CallView): string[] => {
  const metadata = call.result?.metadata;
  const size = call.state === 'done' && call.preview?.diff ? changeSize(call.preview.diff) : undefined;
  const taken = call.result && timeTaken(call.result);
  return [
    ...(call.state === 'done' || call.state === 'waiting' ? [] : [stateWord(call)]),
    ...(call.state === 'failed' && call.result ? [failureWord(call.result)] : []),
    ...(size === undefined ? [] : [size]),
    ...(taken !== undefined && (call.state === 'done' || call.startedAt !== undefined) ? [duration(taken)] : []),
    ...(metadata && metadata.data_size_bytes > 0 ? [bytes(metadata.data_size_bytes)] : []),
    ...(call.repairs.length > 0 ? [counted(call.repairs.length, 'repair')] : []),
    ...(metadata?.cached ? ['from cache'] : []),
  ];
};
