/** What a person is told where a limit kept words or calls of a request out. */
import { beginningOf, endOf } from '../../../core/cut-text.ts';
import type { ModelPart } from '../../../core/model-port.ts';
import { counted } from '../../../core/number-text.ts';
import { firstWords } from '../../../core/window/text.ts';
import { LED_LIMITS } from '../limits.ts';
import { passesOver } from '../request-facts/copy-grammar.ts';
import type { Task } from '../several/tasks.ts';

type Warning = Extract<ModelPart, { type: 'warning' }>;

/** Undefined where every call is made. */
export const callsLeftWarning = (tasks: readonly Task[]): Warning | undefined => {
  const left = tasks.slice(LED_LIMITS.ledCalls);
  if (left.length === 0) return undefined;
  const named = left
    .slice(0, LED_LIMITS.namedCallsLeft)
    .map(({ tool, request }) => `${tool.function.name} for “${firstWords(request, LED_LIMITS.callLeftCharacters)}”`);
  const others = left.length - named.length;
  const message = `This asks for ${counted(tasks.length, 'call')}, and ${LED_LIMITS.ledCalls} are made at once. Ask again for the rest: ${named.join('; ')}${others > 0 ? `; and ${counted(others, 'other')}` : ''}.`;
  return { type: 'warning', code: 'calls_left', message };
};

/** Undefined where all of the request is read. */
export const passedOverWarning = (request: string): Warning | undefined => {
  if (request.length <= LED_LIMITS.ledCallCharacters && !passesOver(request)) return undefined;
  const message =
    'The message is too long for a model that is led in steps: texts for the call were looked for at its beginning and its end alone. Put what is asked and its values there, or the values in quotes.';
  return { type: 'warning', code: 'request_passed_over', message };
};

/** Its beginning and its end. */
export const withoutMiddle = (text: string, characters: number): string =>
  text.length <= characters ? text : `${beginningOf(text, characters / 2)}\n…\n${endOf(text, characters / 2)}`;
