/** `halter render`: messages as JSON on standard input → the exact text that a model of this family is given. */

import { callsAsText, injectTools } from '../../agent/loop/call-model/inject-tools.ts';
import { renderTemplate } from '../../agent/loop/call-model/render-template.ts';
import { familyOf, hasPlaceForTools } from '../../agent/loop/call-model/tool-notation.ts';
import type { JsonValue } from '../../core/json.ts';
import type { ModelMessage } from '../../core/message.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { ToolSchema } from '../../core/tool.ts';
import { writtenJson } from '../../core/written-numbers.ts';
import type { ToolDefinition } from '../../dialects/index.ts';
import { readMessages } from '../../gateway/openai-messages.ts';
import { PROVIDER_LIMITS } from '../../providers/limits.ts';
import type { CommandCode } from '../command-code.ts';
import { checkDialect } from '../dialect-flag.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { readStdin } from '../read-stdin.ts';
import { renderTurns } from '../render-turns.ts';
import { reportFailure } from '../settings.ts';
import { readNamedFile } from '../text-file.ts';
import { readToolsFile } from '../tools-file.ts';

/** The server renders these itself, so what it is sent is all there is to show. */
const NATIVE = 'native';

const schemaOf = (tool: ToolDefinition): ToolSchema => {
  const { name, description = '', parameters = { type: 'object' } } = 'function' in tool ? tool.function : tool;
  return { type: 'function', function: { name, description, parameters } };
};

export const renderCommand: CommandCode = {
  async execute({ flags, io }) {
    if ((flags.dialect === undefined) === (flags.template === undefined)) {
      throw new UsageError('render needs one of --dialect and --template.', 'render');
    }
    const tools = flags.tools === undefined ? [] : (await readToolsFile(flags.tools, io.cwd)).map(schemaOf);
    const dialect = flags.dialect === undefined ? undefined : checkDialect(flags.dialect);
    const template = flags.template === undefined ? '' : await readNamedFile(flags.template, '--template', io.cwd);
    const advice = 'Messages are JSON text.';
    const text = await readStdin(io, { maxBytes: PROVIDER_LIMITS.modelResponseBytes, advice });
    if (!text.ok) return reportFailure(text.error, io);
    const messages = readMessages(text.value);
    if (!messages.ok) throw new UsageError(messages.error.message, 'render');
    if (dialect === NATIVE) {
      io.stdout.write(`${writtenJson({ messages: messages.value.map(asWire), tools } as unknown as JsonValue)}\n`);
      return EXIT.answered;
    }
    if (dialect !== undefined) {
      const told =
        tools.length > 0 ? injectTools(messages.value, tools, dialect) : callsAsText(messages.value, dialect);
      io.stdout.write(renderTurns(dialect, told));
      return EXIT.answered;
    }
    const rendered = await renderByTemplate(template, messages.value, tools, (family) =>
      io.stderr.write(`The template shows no tools, so they stand in the system prompt, in the form of ${family}.\n`),
    );
    if (!rendered.ok) return reportFailure(rendered.error, io);
    io.stdout.write(rendered.value);
    return EXIT.answered;
  },
};

/** A template that shows no tools has them in the system prompt, once, in the form of its family. */
const renderByTemplate = async (
  template: string,
  messages: readonly ModelMessage[],
  tools: readonly ToolSchema[],
  onInjected: (family: string) => void,
): Promise<Outcome<string>> => {
  const own = await renderMessages(template, messages, tools);
  const isShown = !own.ok || tools.every(({ function: { name } }) => own.value.includes(name));
  if (tools.length === 0 || (hasPlaceForTools(template) && isShown)) return own;
  const family = familyOf({ template });
  onInjected(family);
  const told = injectTools(messages, tools, family);
  const injected = await renderMessages(template, told, []);
  // Some families know no system role: its text stands before the first message of the user.
  return injected.ok ? injected : renderMessages(template, withoutSystem(told), []);
};

const renderMessages = (
  template: string,
  messages: readonly ModelMessage[],
  tools: readonly ToolSchema[],
): Promise<Outcome<string>> =>
  renderTemplate(template, {
    messages: messages.map(asWire) as JsonValue,
    ...(tools.length > 0 ? { tools: tools as unknown as JsonValue } : {}),
    add_generation_prompt: true,
    bos_token: '',
    eos_token: '',
  });

const withoutSystem = ([first, ...rest]: readonly ModelMessage[]): ModelMessage[] => {
  const [user, ...more] = rest;
  if (first?.role !== 'system' || user?.role !== 'user' || typeof user.content !== 'string') {
    return first === undefined ? [] : [first, ...rest];
  }
  return [{ role: 'user', content: `${first.content}\n\n${user.content}` }, ...more];
};

/** As templates expect it: arguments are an object. */
const asWire = (message: ModelMessage): JsonValue => {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.tool_call_id, name: message.name, content: message.content };
  }
  const { role } = message;
  const content = message.content as JsonValue;
  if (message.role !== 'assistant' || message.tool_calls.length === 0) return { role, content };
  const calls = message.tool_calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return { role, content, tool_calls: calls };
};
