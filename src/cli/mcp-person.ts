/** What MCP servers want of a person who sits at a plain terminal: to be started, to use the model, a form filled in. */
import type { McpOptions } from '../agent/mcp.ts';
import { fieldHint, formFields, typedValue, withValue } from '../core/form-fields.ts';
import type { JsonObject } from '../core/json.ts';
import type { ServerAnswer, ServerQuestion } from '../core/server-question.ts';
import { sanitizeLine, sanitizeText } from '../terminal/sanitize.ts';
import type { Io } from './io.ts';
import { openOrSay } from './open-in-browser.ts';
import { askLine, isYes } from './read-line.ts';

const DECLINED: ServerAnswer = { action: 'decline' };
const CANCELLED: ServerAnswer = { action: 'cancel' };

const fillIn = async (
  io: Io,
  { fields }: ServerQuestion & { kind: 'form' },
  signal: AbortSignal,
): Promise<ServerAnswer> => {
  let content: JsonObject = {};
  for (const field of formFields(fields)) {
    for (;;) {
      const label = field.label === '' ? '' : ` (${field.label})`;
      const hint = fieldHint(field);
      const typed = await askLine(io, `${sanitizeLine(`${field.name}${label}${hint && ` [${hint}]`}`)}: `, signal);
      if (typed === undefined) return CANCELLED;
      const read = typedValue(field, typed);
      if (read.ok) {
        content = withValue(content, field, read.value);
        break;
      }
      io.stderr.write(`halter: ${sanitizeLine(read.message)}\n`);
    }
  }
  io.stderr.write(`${sanitizeText(JSON.stringify(content, null, 2))}\n`);
  return isYes(await askLine(io, 'Send it? [y/n] ', signal)) ? { action: 'accept', content } : DECLINED;
};

export const personAtTerminal = (io: Io): Required<Pick<McpOptions, 'consent' | 'ask'>> => ({
  async consent({ name, shown }) {
    const command = sanitizeLine(shown);
    const question = `\nThe .mcp.json of this folder wants to start the MCP server "${sanitizeLine(name)}":\n  ${command}\nStart it, now and later, as it is? [y/n] `;
    return isYes(await askLine(io, question));
  },
  async ask(question, signal) {
    const head = `\nThe MCP server "${sanitizeLine(question.server)}" asks: ${sanitizeText(question.message)}\n`;
    const agreed = async (text: string): Promise<boolean> => isYes(await askLine(io, `${head}${text} [y/n] `, signal));
    switch (question.kind) {
      case 'form':
        return (await agreed('Answer it? What you type goes to the server.')) ? fillIn(io, question, signal) : DECLINED;
      case 'url': {
        const { url } = question;
        const { host } = new URL(url);
        if (!(await agreed(`${sanitizeLine(url)}\nOpen this address of ${sanitizeLine(host)} in your browser?`)))
          return DECLINED;
        await openOrSay(url, io);
        return { action: 'accept' };
      }
      case 'sampling': {
        const system = question.system === undefined ? '' : `${sanitizeText(question.system)}\n\n`;
        const text = `${system}${sanitizeText(question.prompt)}\nLet the model answer it?`;
        return (await agreed(text)) ? { action: 'accept' } : DECLINED;
      }
      case 'sampling_answer':
        return (await agreed(`${sanitizeText(question.answer)}\nSend it to the server?`))
          ? { action: 'accept' }
          : DECLINED;
      default:
        return question satisfies never;
    }
  },
});
