/**
 * Messages → the exact tokens the model was trained on, by its own Jinja template. What a person, a file or a tool wrote
 * can never become a marker of the template: the texts of the model's special tokens are broken up in it.
 */
import { argumentsText } from '../../core/call-arguments.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { LedTurn } from '../../core/led-port.ts';
import { type ModelMessage, messageText } from '../../core/message.ts';
import type { ModelRequest } from '../../core/model-port.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { parseWritten } from '../../core/written-numbers.ts';
import { templateThinking } from '../thinking.ts';
import type { Engine, Token } from './engine.ts';
import { EMBEDDED_LIMITS } from './limits.ts';

type TemplateMessage = { role: string; content: string; [key: string]: JsonValue };

export type Chat = {
  /** The template speaks of tools: the model was trained to call them. */
  readonly takesTools: boolean;
  prompt(turns: readonly LedTurn[]): Promise<Token[]>;
  /** The whole conversation with native tools, as the template writes it. */
  promptWithTools(request: ModelRequest): Promise<Token[]>;
};

/**
 * Renders a Jinja template. Templates come out of files that anybody may have made, so the program hands in a renderer
 * that works in a thread of its own, with a limit of time.
 */
export type RenderTemplate = (template: string, input: JsonObject) => Promise<Outcome<string>>;

/** For tests and evaluations, whose model files are known. */
export const renderInProcess: RenderTemplate = async (source, input) => {
  try {
    const { Template } = await import('@huggingface/jinja');
    return succeed(new Template(source).render(input));
  } catch (error) {
    return failure('parse_error', thrownText(error));
  }
};

/** A zero-width space inside a marker leaves it readable and makes it ordinary text. */
const breakMarkers = (text: string, markers: readonly string[]): string => {
  let result = text;
  for (const marker of markers) {
    if (result.includes(marker)) result = result.replaceAll(marker, `${marker.slice(0, 1)}\u200B${marker.slice(1)}`);
  }
  return result;
};

const plainForm = (turns: readonly TemplateMessage[]): string =>
  `${turns.map((turn) => `<|im_start|>${turn.role}\n${turn.content}<|im_end|>\n`).join('')}<|im_start|>assistant\n`;

/** For templates that know no system role: its text stands before the first message of the user. */
const withoutSystem = (turns: readonly TemplateMessage[]): TemplateMessage[] => {
  const system = turns.filter((turn) => turn.role === 'system').map((turn) => turn.content);
  const rest = turns.filter((turn) => turn.role !== 'system');
  const first = rest[0];
  return first === undefined || system.length === 0
    ? rest
    : [{ ...first, content: `${system.join('\n\n')}\n\n${first.content}` }, ...rest.slice(1)];
};

export const createChat = (engine: Engine, renderTemplate: RenderTemplate = renderInProcess): Chat => {
  const source = engine.chatTemplate;
  const template = source !== undefined && source.length <= EMBEDDED_LIMITS.chatTemplateCharacters ? source : undefined;
  const markers = engine.specialTexts();
  const clean = (text: string): string => breakMarkers(text, markers);
  const render = async (messages: TemplateMessage[], extra: JsonObject = {}): Promise<string> => {
    if (template === undefined) return plainForm(messages);
    for (const attempt of [messages, withoutSystem(messages)]) {
      const text = await renderTemplate(template, {
        messages: attempt,
        add_generation_prompt: true,
        bos_token: engine.bosText,
        eos_token: engine.eosText,
        ...extra,
      });
      // Where the template refused these messages, the other form is tried.
      if (text.ok) return text.value;
    }
    return plainForm(messages);
  };
  return {
    takesTools: template !== undefined && /\btools\b/.test(template),
    prompt: async (turns) =>
      engine.tokenize(await render(turns.map((turn) => ({ role: turn.role, content: clean(turn.content) }))), true),
    promptWithTools: async ({ model, messages, tools, sampling }) =>
      engine.tokenize(
        await render(
          messages.map((message) => toTemplateMessage(message, clean)),
          {
            ...(tools.length > 0 ? { tools: tools as unknown as JsonValue } : {}),
            ...templateThinking(model, sampling),
          },
        ),
        true,
      ),
  };
};

const toTemplateMessage = (message: ModelMessage, clean: (text: string) => string): TemplateMessage => {
  if (message.role === 'tool') {
    return { role: 'tool', content: clean(message.content), name: message.name, tool_call_id: message.tool_call_id };
  }
  if (message.role !== 'assistant') return { role: message.role, content: clean(messageText(message.content)) };
  const calls = message.tool_calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: parseWritten(clean(argumentsText(call))) },
  }));
  return {
    role: 'assistant',
    content: clean(message.content),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(message.reasoning === undefined ? {} : { reasoning_content: clean(message.reasoning) }),
  };
};
