/** A conversation in the shape that chat templates of the Hugging Face kind take. */
import { argumentsText } from '../core/call-arguments.ts';
import type { JsonObject } from '../core/json.ts';
import { type ModelMessage, messageText } from '../core/message.ts';
import type { ToolSchema } from '../core/tool.ts';

export type TemplateCall = {
  type: 'function';
  id: string;
  /** `arguments` is an object, or JSON text for the templates that paste it as it is. */
  function: { name: string; arguments: JsonObject | string };
};

export type TemplateMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** Under both names that templates know. */
  reasoning_content?: string;
  thinking?: string;
  tool_calls?: TemplateCall[];
  tool_call_id?: string;
  name?: string;
};

export type TemplateInput = { messages: TemplateMessage[]; tools: ToolSchema[] | undefined };

export type TemplateOptions = {
  /**
   * Nearly all templates write an object's arguments themselves and would encode a string twice; a few raise for an
   * object and want the string.
   */
  argumentsAs?: 'object' | 'string';
};

/** `tools` is left out where there are none, since templates ask whether it is there. */
export const toTemplateMessages = (
  messages: readonly ModelMessage[],
  tools: readonly ToolSchema[],
  options: TemplateOptions = {},
): TemplateInput => ({
  messages: messages.map((message) => toTemplateMessage(message, options)),
  tools: tools.length === 0 ? undefined : [...tools],
});

const toTemplateMessage = (message: ModelMessage, { argumentsAs = 'object' }: TemplateOptions): TemplateMessage => {
  if (message.role === 'tool') {
    return { role: 'tool', content: message.content, tool_call_id: message.tool_call_id, name: message.name };
  }
  if (message.role !== 'assistant') return { role: message.role, content: messageText(message.content) };
  const { content, reasoning, tool_calls: calls } = message;
  return {
    role: 'assistant',
    content,
    ...(reasoning === undefined || reasoning === '' ? {} : { reasoning_content: reasoning, thinking: reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            type: 'function',
            id: call.id,
            function: {
              name: call.name,
              arguments: argumentsAs === 'object' ? call.arguments : argumentsText(call),
            },
          })),
        }),
  };
};
