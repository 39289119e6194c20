import type { ToolSchema } from '../core/tool.ts';
import { type CallForm, type Format, JSON_BODY, type ReasoningForm } from './engine/format.ts';
import { eachCall, type PromptForm, spacedJson, toolArray } from './engine/prompt.ts';

export const MISTRAL_THINK: readonly ReasoningForm[] = [{ open: '[THINK]', close: ['[/THINK]'] }];

/** `name`, `name[ARGS]`, `name[CALL_ID]xxxxxxxxx[ARGS]`. */
const head = (text: string): { name: string; id?: string } => {
  const [name = '', rest = ''] = text.replace('[ARGS]', '').split('[CALL_ID]');
  const id = rest.trim();
  return id === '' ? { name: name.trim() } : { name: name.trim(), id };
};

/** Each generation writes its own form and reads the other's. */
export const MISTRAL_CALLS: readonly CallForm[] = [
  { open: ['[TOOL_CALLS]'], close: ['[/TOOL_CALLS]'], bodies: [JSON_BODY, { kind: 'named', head }] },
];

export const offerToMistral = (tools: readonly ToolSchema[]): string =>
  `[AVAILABLE_TOOLS]${toolArray(tools)}[/AVAILABLE_TOOLS]`;

/** Small 3, Magistral, Devstral, Ministral 3: the name stands before its arguments. */
export const mistralArgs: Format = {
  name: 'mistral-args',
  reasoning: MISTRAL_THINK,
  calls: MISTRAL_CALLS,
};

export const mistralArgsPrompt = (): PromptForm => ({
  offer: offerToMistral,
  calls: eachCall(({ name, arguments: args }) => `[TOOL_CALLS]${name}[ARGS]${spacedJson(args)}`, ''),
  result: ({ content }) => `[TOOL_RESULTS]${content}[/TOOL_RESULTS]`,
});
