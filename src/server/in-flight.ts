/** What is under way and not kept yet, put together, so that whoever comes in the middle sees what the others see. */

import type { StreamLine } from '../agent/loop/call-model/stream-lines.ts';
import type { SessionUpdate } from '../core/events.ts';
import { SERVER_LIMITS } from './limits.ts';

export type InFlight = {
  add(update: SessionUpdate, lines: readonly StreamLine[]): void;
  lines(): StreamLine[];
  /** Something of an answer was shown that did not end. */
  hasAnswer(): boolean;
};

type Grown = { first: StreamLine; parts: string[] };

export const createInFlight = (): InFlight => {
  /** The latest of each kind that says where things stand. */
  let standing = new Map<string, StreamLine>();
  /** Deltas of the answer, put together by what they belong to, in the order they began. */
  let answer = new Map<string, Grown>();
  /** Readers were shown words of an answer that has not ended, whatever became of that try. */
  let isShown = false;
  let queue: StreamLine | undefined;
  const outputs = new Map<string, { first: StreamLine; text: string }>();

  const grow = (key: string, line: StreamLine): void => {
    const grown = answer.get(key) ?? { first: line, parts: [] };
    grown.parts.push(String(line['delta'] ?? line['arguments_delta'] ?? ''));
    // Many small texts take many times the room of one.
    if (grown.parts.length > SERVER_LIMITS.inFlightPieces) {
      const [head = '', ...tail] = grown.parts;
      grown.parts = [head + tail.join('')];
    }
    answer.set(key, grown);
    isShown = true;
  };
  const addOutput = (line: StreamLine): void => {
    const id = String(line['id']);
    const known = outputs.get(id) ?? { first: line, text: '' };
    known.text = `${known.text}${String(line['delta'])}`.slice(-SERVER_LIMITS.liveOutputCharacters);
    outputs.set(id, known);
  };

  return {
    hasAnswer: () => isShown,
    add(update, lines) {
      switch (update.type) {
        case 'model_started':
        case 'compaction':
          standing = new Map();
          answer = new Map();
          if (update.type === 'model_started') isShown = false;
          if (update.type === 'compaction' && update.state !== 'started') return;
          break;
        case 'assistant_message_added':
        case 'model_failed':
        case 'run_completed':
        case 'run_stopped':
        case 'run_cancelled':
          standing = new Map();
          answer = new Map();
          isShown = false;
          return;
        case 'tool_finished':
        case 'arguments_rejected':
          outputs.delete(update.tool_call_id);
          return;
        default:
      }
      for (const line of lines) {
        if (line.type === 'queue_changed') queue = line;
        if (line.type === 'text_delta' || line.type === 'reasoning_delta') grow(line.type, line);
        else if (line.type === 'tool_call_delta') grow(`call ${String(line['index'])}`, line);
        else if (line.type === 'tool_output_delta') addOutput(line);
        else if (STANDING.has(line.type)) standing.set(line.type, line);
      }
    },
    lines: () => [
      ...(queue === undefined ? [] : [queue]),
      ...standing.values(),
      ...[...answer.values()].map(({ first, parts }) => ({
        ...first,
        ...(first.type === 'tool_call_delta' ? { arguments_delta: parts.join('') } : { delta: parts.join('') }),
      })),
      ...[...outputs.values()].map(({ first, text }) => ({ ...first, delta: text })),
    ],
  };
};

const STANDING: ReadonlySet<string> = new Set(['model_start', 'compaction', 'loading', 'prefill']);
