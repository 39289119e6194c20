/** Histories in the forms of OpenAI's API and of the AI SDK's model messages, as halter has them; what is neither stays as it is. */
import { isObject, type JsonValue } from '../core/json.ts';
import type { ContentPart } from '../core/message.ts';
import { parseWritten } from '../core/written-numbers.ts';
import { type Fields, pictureOf } from './other-histories/pictures.ts';
import { deniedResult, partText, resultOf, resultWithParts, type ToldResult } from './other-histories/results.ts';

/** A message in one of those forms, as far as its type is looked at; what cannot be taken is refused in words. */
export type OtherMessage = {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function';
  content?: string | readonly object[] | null;
  tool_calls?: readonly object[];
  tool_call_id?: string;
  name?: string;
};

/** What cannot be converted is left for the check of a history, which says what is wrong with it. */
export const fromOtherForms = (messages: unknown): unknown =>
  Array.isArray(messages) ? new Conversion(messages).all() : messages;

const isPartOf =
  (...types: readonly string[]) =>
  (part: unknown): part is Fields =>
    isObject(part) && types.includes(String(part['type']));

class Conversion {
  readonly #given: readonly unknown[];
  readonly #converted: unknown[] = [];
  /** Names of calls by their ids. */
  readonly #names = new Map<unknown, unknown>();
  /** The call that a person was asked about, by the id of the question. */
  readonly #asked = new Map<unknown, unknown>();
  /** Calls that have a result somewhere. */
  readonly #answered: ReadonlySet<unknown>;
  /** Pictures of results: they stand behind the last result of an answer. */
  #pictures: ContentPart[] = [];
  #functionCalls = 0;

  constructor(messages: readonly unknown[]) {
    this.#given = messages;
    const parts = messages.flatMap((message): unknown[] => {
      const content = isObject(message) ? message['content'] : undefined;
      return Array.isArray(content) ? content : [];
    });
    this.#answered = new Set(parts.filter(isPartOf('tool-result')).map(({ toolCallId }) => toolCallId));
  }

  all(): unknown[] {
    for (const message of this.#given) {
      if (isObject(message)) this.#add(message);
      else this.#converted.push(message);
    }
    this.#endResults();
    return this.#converted;
  }

  #add(message: Fields): void {
    const { role, content } = message;
    if (role === 'tool' || role === 'function') {
      this.#addResults(message);
      return;
    }
    this.#endResults();
    if (role === 'user' && Array.isArray(content)) this.#converted.push({ ...message, content: content.map(userPart) });
    else if (role === 'assistant') this.#addAnswer(message);
    else this.#converted.push(message);
  }

  #endResults(): void {
    if (this.#pictures.length > 0) this.#converted.push({ role: 'user', content: this.#pictures, of_results: true });
    this.#pictures = [];
  }

  #addResult({ message, pictures }: ToldResult): void {
    this.#converted.push(message);
    this.#pictures.push(...pictures);
  }

  #addResults(message: Fields): void {
    const { role, content, tool_call_id } = message;
    if (role === 'function' && this.#functionCalls > 0) {
      // OpenAI's older form has no ids: a result is that of the call before it.
      this.#addResult(
        resultWithParts({ ...message, role: 'tool', tool_call_id: this.#functionCallId() }, message['name']),
      );
    } else if (Array.isArray(content) && content.every(isPartOf('tool-result', 'tool-approval-response'))) {
      for (const part of content) this.#addPart(part);
    } else if (role === 'tool' && Array.isArray(content) && content.length > 0 && content.every(isShown)) {
      this.#addResult(resultWithParts(message, this.#names.get(tool_call_id)));
    } else this.#converted.push(message);
  }

  /** A no is the result of its call. Of a yes the call still has to run, so that it has no result is told. */
  #addPart(part: Fields): void {
    if (part['type'] === 'tool-result') {
      this.#addResult(resultOf(part));
      return;
    }
    const id = this.#asked.get(part['approvalId']);
    if (part['approved'] === false && !this.#answered.has(id))
      this.#addResult(deniedResult(id, this.#names.get(id), part['reason']));
  }

  #functionCallId(): string {
    return `function_call_${this.#functionCalls}`;
  }

  #addAnswer(message: Fields): void {
    const { content, tool_calls, function_call, refusal } = message;
    if (Array.isArray(content) && content.every(isPartOf(...ANSWER_PARTS))) {
      this.#addParts(content);
      return;
    }
    const given: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
    const calls = given.map((call) => (isOfOpenAi(call) ? callOf(call.id, call.function) : call));
    if (isObject(function_call)) {
      this.#functionCalls += 1;
      calls.push(callOf(this.#functionCallId(), function_call));
    }
    for (const call of calls) if (isObject(call)) this.#names.set(call['id'], call['name']);
    // OpenAI's answers that only call, or refuse, have no content.
    const hasNone = content === null || (content === undefined && (calls.length > 0 || typeof refusal === 'string'));
    if (!hasNone && !given.some(isOfOpenAi) && !isObject(function_call)) this.#converted.push(message);
    else
      this.#converted.push({
        role: 'assistant',
        content: hasNone ? String(refusal ?? '') : content,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      });
  }

  /** Results that a provider brought stand between the parts of an answer: what follows them is another answer. */
  #addParts(parts: readonly Fields[]): void {
    let text = '';
    let calls: unknown[] = [];
    const end = (): void => {
      if (text === '' && calls.length === 0) return;
      this.#endResults();
      this.#converted.push({ role: 'assistant', content: text, tool_calls: calls });
      [text, calls] = ['', []];
    };
    for (const part of parts) {
      const { type, toolCallId, toolName, input, args } = part;
      if (type === 'tool-call') {
        this.#names.set(toolCallId, toolName);
        calls.push({ id: toolCallId, name: toolName, arguments: input ?? args });
      } else if (type === 'tool-result') {
        end();
        this.#addResult(resultOf(part));
      } else if (type === 'tool-approval-request') this.#asked.set(part['approvalId'], toolCallId);
      else if (type === 'refusal') text += String(part['refusal']);
      else if (!THOUGHTS.has(type)) {
        text += partText(part);
      }
    }
    // An answer of thoughts alone is one.
    if (parts.length === 0 || parts.every(({ type }) => THOUGHTS.has(type)))
      this.#converted.push({ role: 'assistant', content: '' });
    end();
  }
}

/** Of a result in OpenAI's form. */
const isShown = (part: unknown): boolean => isPartOf('text')(part) || (isObject(part) && pictureOf(part) !== undefined);

const THOUGHTS: ReadonlySet<unknown> = new Set(['reasoning', 'reasoning-file']);
const ANSWER_PARTS = [
  'text',
  'output_text',
  'refusal',
  'reasoning',
  'reasoning-file',
  'file',
  'tool-call',
  'tool-result',
  'tool-approval-request',
] as const;

/** A picture, text of another name, or a file that is text; anything else is refused by the check. */
const userPart = (part: unknown): unknown => {
  if (!isObject(part)) return part;
  const picture = pictureOf(part);
  if (picture !== undefined) return picture;
  const { type, data, text } = part;
  if (type === 'input_text' && typeof text === 'string') return { type: 'text', text };
  const isText = type === 'file' && isObject(data) && data['type'] === 'text';
  return isText ? { type: 'text', text: partText(part) } : part;
};

type OpenAiCall = { id: unknown; function: Fields };
const isOfOpenAi = (call: unknown): call is OpenAiCall => isObject(call) && isObject(call['function']);

const callOf = (id: unknown, { name, arguments: args }: Fields): Fields => ({
  id,
  name,
  arguments: typeof args === 'string' ? parsed(args === '' ? '{}' : args) : args,
});

const parsed = (text: string): JsonValue => {
  try {
    return parseWritten(text);
  } catch {
    return text;
  }
};
