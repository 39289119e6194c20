/**
 * Hands parts on. Text of one packet is handed on as one piece: nobody sees a difference, and everything behind
 * (parser, screen, log) works once where it would work hundreds of times.
 */
import type { ModelPart } from '../core/model-port.ts';

export type Emitter = {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** More of the arguments of a call. */
  callArguments(index: number, delta: string): void;
  emit(part: ModelPart): void;
  /** Called at the end of each packet. */
  flush(): void;
  /** The model has said something. */
  readonly started: boolean;
};

export const createEmitter = (handOn: (part: ModelPart) => void): Emitter => {
  let kind: 'text_delta' | 'reasoning_delta' | 'tool_call_delta' = 'text_delta';
  let index = 0;
  let pending = '';
  let started = false;
  const flush = (): void => {
    if (pending === '') return;
    const delta = pending;
    pending = '';
    if (kind === 'tool_call_delta') handOn({ type: kind, index, arguments_delta: delta });
    else handOn({ type: kind, delta });
  };
  const add = (next: typeof kind, call: number, delta: string): void => {
    if (delta === '') return;
    started = true;
    if (kind !== next || index !== call) {
      flush();
      kind = next;
      index = call;
    }
    pending += delta;
  };
  return {
    text: (delta) => add('text_delta', 0, delta),
    reasoning: (delta) => add('reasoning_delta', 0, delta),
    callArguments: (call, delta) => add('tool_call_delta', call, delta),
    emit: (part) => {
      flush();
      if (part.type === 'tool_call_delta') started = true;
      handOn(part);
    },
    flush,
    get started() {
      return started;
    },
  };
};
