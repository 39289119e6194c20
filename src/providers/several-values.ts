/** Several values in a text where one was due: side by side, in a list, on many lines, or in events of another form. */
import { createJsonEnds } from './arguments.ts';
import { parseEvent } from './json-values.ts';

/** The value that ends a stream of OpenAI's. */
export const DONE = '[DONE]';

/** A value is written without line breaks or over many lines, and no line of one begins like these. */
const FIELD = /^data: ?/;
const NO_VALUE = /^(?::|(?:event|id|retry):)/;

const withoutMarks = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => !NO_VALUE.test(line))
    .map((line) => line.replace(FIELD, ''))
    .join('\n');

/** The values, with those of a list one by one; undefined where there is anything else in the text. */
export const valuesIn = (text: string): unknown[] | undefined => {
  const written = withoutMarks(text);
  const scanner = createJsonEnds();
  scanner.scan(written);
  const values: unknown[] = [];
  let start = 0;
  for (const end of scanner.ends) {
    const part = written.slice(start, end).trim();
    start = end;
    if (part === DONE) values.push(DONE);
    else {
      const parsed = parseEvent(part);
      if (!parsed.ok) return undefined;
      values.push(...(Array.isArray(parsed.value) ? parsed.value : [parsed.value]));
    }
  }
  return written.slice(start).trim() === '' ? values : undefined;
};

/** A value that is written over many lines. */
export class OpenValue {
  readonly #scanner = createJsonEnds();
  #text = '';

  /** All lines so far. */
  get text(): string {
    return this.#text;
  }

  /** Whether the value ends with this line. */
  add(line: string): boolean {
    this.#text += `${line}\n`;
    this.#scanner.scan(`${line}\n`);
    return this.#scanner.ends.length > 0 && !this.#scanner.open;
  }
}
