import type { ToolSchema } from '../core/tool.ts';
import { type CallSyntax, type Clues, type Grammar, JSON_BODY, type ReasoningSyntax } from './engine/grammar.ts';
import { eachCall, type PromptWriter, spacedJson, toolArray } from './engine/prompt.ts';

export const MISTRAL_THINK: readonly ReasoningSyntax[] = [{ open: '[THINK]', close: ['[/THINK]'] }];

/** Either bracket may be lost. */
const ARGUMENTS = /\[ ?ARGS ?\]?|ARGS ?\]/;

/** `name`, `name[ARGS]`, `name[CALL_ID]xxxxxxxxx[ARGS]`. */
const head = (text: string): { name: string; id?: string } => {
  const [name = '', rest = ''] = text.replace(ARGUMENTS, '').split('[CALL_ID]');
  const id = rest.trim();
  return id === '' ? { name: name.trim() } : { name: name.trim(), id };
};

/** Each generation writes its own notation and reads the other's. */
export const MISTRAL_CALLS: readonly CallSyntax[] = [
  { open: ['[TOOL_CALLS]'], close: ['[/TOOL_CALLS]'], bodies: [JSON_BODY, { kind: 'named', head }], many: true },
];

export const offerToMistral = (tools: readonly ToolSchema[]): string =>
  `[AVAILABLE_TOOLS]${toolArray(tools)}[/AVAILABLE_TOOLS]`;

/** Small 3, Magistral, Devstral, Ministral 3: the name stands before its arguments. */
export const grammar: Grammar = {
  name: 'mistral-args',
  reasoning: MISTRAL_THINK,
  calls: MISTRAL_CALLS,
};

export const clues: Clues = {
  template: [['[TOOL_CALLS]', '[ARGS]']],
  model: ['mistral', 'magistral', 'devstral', 'ministral'],
};

export const prompt = (): PromptWriter => ({
  offer: offerToMistral,
  calls: eachCall(({ name, arguments: args }) => `[TOOL_CALLS]${name}[ARGS]${spacedJson(args)}`, ''),
  result: ({ content }) => `[TOOL_RESULTS]${content}[/TOOL_RESULTS]`,
});
