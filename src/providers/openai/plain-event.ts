/** Events that carry more text and nothing else: most of a stream, and what is read fast. */
import { isObject } from '../../core/json.ts';
import { listOf, objectOf } from '../json-values.ts';
import type { PlainDelta } from '../plain-delta.ts';
import { isNothing, REASONING_FIELDS } from './event-fields.ts';

/** Fields of an event and of its choice that may stand beside a plain delta without meaning anything. */
const IDLE_EVENT_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'system_fingerprint',
  'service_tier',
  'choices',
]);
const IDLE_CHOICE_FIELDS: ReadonlySet<string> = new Set(['index', 'delta']);

const isReasoningField = (field: string): boolean => (REASONING_FIELDS as readonly string[]).includes(field);

/** More text for the arguments of one call, and nothing else of it. */
const plainArguments = (calls: unknown): PlainDelta | undefined => {
  const call = Array.isArray(calls) && calls.length === 1 ? objectOf(calls[0]) : {};
  const { index } = call;
  const fields = objectOf(call['function']);
  const text = fields['arguments'];
  if (typeof index !== 'number' || typeof text !== 'string' || text === '') return undefined;
  if (!isNothing(call['id']) || !isNothing(fields['name'])) return undefined;
  return { kind: 'arguments', index, text };
};

/** The text of an event that says nothing else. */
export const plainDelta = (event: unknown): PlainDelta | undefined => {
  if (!isObject(event)) return undefined;
  const choices = listOf(event['choices']);
  const choice = choices[0];
  if (choices.length !== 1 || !isObject(choice) || (choice['index'] ?? 0) !== 0) return undefined;
  const delta = choice['delta'];
  if (!isObject(delta)) return undefined;
  for (const field in event) if (!IDLE_EVENT_FIELDS.has(field) && !isNothing(event[field])) return undefined;
  for (const field in choice) if (!IDLE_CHOICE_FIELDS.has(field) && !isNothing(choice[field])) return undefined;
  let found: PlainDelta | undefined;
  for (const field in delta) {
    const value = delta[field];
    if (field === 'role' || isNothing(value)) continue;
    if (found) return undefined;
    if (field === 'tool_calls') found = plainArguments(value);
    else if (typeof value !== 'string') return undefined;
    else if (field === 'content') found = { kind: 'text', index: 0, text: value };
    else if (isReasoningField(field)) found = { kind: 'reasoning', index: 0, text: value };
    if (!found) return undefined;
  }
  return found;
};
