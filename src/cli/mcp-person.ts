/** What MCP servers want of a person who sits at a plain terminal: to be started, to use the model, a form filled in. */
import { createInterface } from 'node:readline/promises';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { McpChoices } from '../runtime/mcp.ts';
import { checkValue, isSchema } from '../schema/index.ts';
import { sanitizeLine, sanitizeText } from '../terminal/sanitize.ts';
import type { Io } from './io.ts';

/** One line; closed input and an end of the run are no answer. */
const ask = async (io: Io, question: string, signal?: AbortSignal): Promise<string | undefined> => {
  // What was typed before the question was there is no answer to it.
  while (io.stdin.read() !== null);
  io.stderr.write(question);
  const lines = createInterface({ input: io.stdin, terminal: false });
  try {
    return await new Promise<string | undefined>((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(undefined));
      signal?.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  } finally {
    lines.removeAllListeners();
    lines.close();
  }
};

const isYes = (answer: string | undefined): boolean => /^\s*y(?:es)?\s*$/i.test(answer ?? '');

/** A typed word as the value its field wants; undefined where nothing was typed and the field may stay empty. */
const typedValue = (typed: string, schema: JsonValue | undefined): JsonValue | undefined => {
  const { type, default: otherwise } = isSchema(schema) ? schema : {};
  const text = typed.trim();
  if (text === '') return otherwise;
  if (type === 'number' || type === 'integer') return Number.isNaN(Number(text)) ? text : Number(text);
  if (type === 'boolean') return isYes(text) ? true : /^\s*n(?:o)?\s*$/i.test(text) ? false : text;
  if (type === 'array') return text.split(',').map((part) => part.trim());
  return typed;
};

const fieldLine = (name: string, schema: JsonValue | undefined): string => {
  const { title, description, enum: choices, type, default: otherwise } = isSchema(schema) ? schema : {};
  const words = [title, description].filter((part) => typeof part === 'string').join(': ');
  const kinds = Array.isArray(choices) ? choices.join(' | ') : type === 'boolean' ? 'y/n' : '';
  const shown = `${name}${words === '' ? '' : ` (${words})`}${kinds === '' ? '' : ` [${kinds}]`}`;
  return `${sanitizeLine(shown)}${otherwise === undefined ? '' : ` {${sanitizeLine(JSON.stringify(otherwise))}}`}: `;
};

export const personAtTerminal = (io: Io): Required<Pick<McpChoices, 'consent' | 'allowSample' | 'elicit'>> => ({
  async consent({ name, shown }) {
    const command = sanitizeLine(shown);
    const question = `\nThe .mcp.json of this folder wants to start the MCP server "${sanitizeLine(name)}":\n  ${command}\nStart it, now and later, as it is? [y/n] `;
    return isYes(await ask(io, question));
  },
  async allowSample({ server, text }) {
    const question = `\nThe MCP server "${sanitizeLine(server)}" asks the model:\n${sanitizeText(text)}\nLet the model answer it? [y/n] `;
    return isYes(await ask(io, question));
  },
  async elicit({ server, message, schema, signal }) {
    const head = `\nThe MCP server "${sanitizeLine(server)}" asks you:\n${sanitizeText(message)}\nAnswer it? What you type goes to the server. [y/n] `;
    if (!isYes(await ask(io, head, signal))) return undefined;
    const { properties } = schema;
    const answers: JsonObject = {};
    for (const [name, field] of Object.entries(isSchema(properties) ? properties : {})) {
      const typed = await ask(io, fieldLine(name, field), signal);
      if (typed === undefined) return undefined;
      const value = typedValue(typed, field);
      if (value !== undefined) answers[name] = value;
    }
    const [issue] = checkValue(schema, answers);
    if (issue === undefined) return answers;
    io.stderr.write(`halter: not sent: ${sanitizeLine(`${issue.path} ${issue.message}`)}\n`);
    return undefined;
  },
});
