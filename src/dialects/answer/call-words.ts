/** What is said of calls that are not made, to the model and to the person. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { isNestedDeeper, TOO_DEEP } from '../../core/nested-json.ts';
import { counted } from '../../core/number-text.ts';

/** Why a call goes back to the model: each names what is wrong with it, and what to do. */
export const AMONG = 'words stand beside the call: to make it, send the call and nothing else with it';
export const BEHIND = 'something stands behind the call: send one call, and nothing else with it';
export const CUT =
  'the call was cut off before its end, so it was not run; send it again, in smaller parts if it is long';
export const HEADLESS =
  'the beginning of the call is missing, so it was not run: if you mean to call, send the whole call again';
export const MENTIONED =
  'the call stands in a sentence or as a sample, so it was not run: to make it, send it on lines of its own';
export const NAMELESS = 'it names no tool';
export const UNREADABLE = 'it is no JSON that can be read to its end';
export const unreadable = (text: string): string => (isNestedDeeper(text) ? TOO_DEEP : UNREADABLE);
export const NO_NOTATION = 'the call is written in no notation that is read here: send it as it was described';

export const oneAtATime = (count: number): string =>
  `the answer holds ${counted(count, 'call')}, and one is made at a time: send one call, and nothing else with it`;

/** What was written in the place of an object. */
export const noObject = (what: string, value: JsonValue | undefined): string => {
  const kind = Array.isArray(value) ? 'a list' : typeof value === 'string' ? 'the text' : 'the value';
  const written =
    value === undefined ? '' : `: you wrote ${kind} ${JSON.stringify(value).slice(0, WRITTEN_CHARACTERS)}`;
  return `${what} must be ${what.startsWith('the ') ? 'a JSON object' : 'an object'}${written}`;
};
const WRITTEN_CHARACTERS = 80;

/** As the dialect that is strict has it. */
export const writeExactly = (name: string, args: JsonObject): string =>
  `write it as ${JSON.stringify({ tool: name, args })}`;

export const calledBy = (name: string | undefined): string =>
  name === undefined || name === '' ? 'a call that names no tool' : `a call to ${name}`;

/** Of a call that may be none. */
export const unclearText = (name: string): string =>
  `The answer holds what may be ${calledBy(name)}, in a form that is not read. Nothing was run.`;
