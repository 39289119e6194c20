import type { ToolSchema } from '../core/tool.ts';
import type { CallForm, Format, ReasoningForm } from './engine/format.ts';
import { eachCall, spacedJson, toolArray } from './engine/prompt.ts';

const THINK_TOKENS: readonly ReasoningForm[] = [{ open: '[THINK]', close: ['[/THINK]'] }];

const offer = (tools: readonly ToolSchema[]): string => `[AVAILABLE_TOOLS]${toolArray(tools)}[/AVAILABLE_TOOLS]`;

const CALLS: readonly CallForm[] = [
  {
    open: ['[TOOL_CALLS]'],
    close: ['[/TOOL_CALLS]'],
    bodies: [
      { kind: 'json' },
      {
        kind: 'named',
        // `name`, `name[ARGS]`, `name[CALL_ID]xxxxxxxxx[ARGS]`.
        head: (text) => {
          const [name = '', rest = ''] = text.replace('[ARGS]', '').split('[CALL_ID]');
          const id = rest.trim();
          return id === '' ? { name: name.trim() } : { name: name.trim(), id };
        },
      },
    ],
  },
];

/** Mistral 7B v0.3, Nemo and others before the v11 tokenizer: an array of calls. */
export const mistralJson: Format = {
  name: 'mistral-json',
  reasoning: THINK_TOKENS,
  calls: CALLS,
  prompt: {
    offer,
    calls: (calls) =>
      `[TOOL_CALLS] [${calls
        .map(({ id, name, arguments: args }) =>
          spacedJson({ name, arguments: args, ...(id === undefined ? {} : { id }) }),
        )
        .join(', ')}]`,
    result: ({ id, content }) =>
      `[TOOL_RESULTS]${spacedJson({ content, ...(id === undefined ? {} : { call_id: id }) })}[/TOOL_RESULTS]`,
  },
};

/** Small 3, Magistral, Devstral, Ministral 3: the name stands before its arguments. */
export const mistralArgs: Format = {
  name: 'mistral-args',
  reasoning: THINK_TOKENS,
  calls: CALLS,
  prompt: {
    offer,
    calls: eachCall(({ name, arguments: args }) => `[TOOL_CALLS]${name}[ARGS]${spacedJson(args)}`, ''),
    result: ({ content }) => `[TOOL_RESULTS]${content}[/TOOL_RESULTS]`,
  },
};
