/** All dialects at once, for text of which nobody knows how its calls are written. */

import { dsmlSpellings } from './deepseek-v3.2.ts';
import { DEEPSEEK_CALLS } from './deepseek-v3.ts';
import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type CallSyntax, type ChannelSyntax, type Grammar, JSON_BODY, type PairsBody } from './engine/grammar.ts';
import { bareFunctionaryLines, functionaryLines } from './functionary-v3.2.ts';
import { GLM_PAIRS } from './glm-4.5.ts';
import { grammar as harmony } from './harmony.ts';
import { HY_PAIRS } from './hy-v3.ts';
import { grammar as llama3Json } from './llama3-json.ts';
import { grammar as muse } from './muse.ts';
import { REASONING_CLOSE } from './opened-thoughts.ts';
import { reactCall, reactLines } from './react.ts';
import { grammar as step3 } from './step3.ts';

const PAIRS: PairsBody = {
  kind: 'pairs',
  nameEnd: [...(GLM_PAIRS.nameEnd ?? []), ...(HY_PAIRS.nameEnd ?? [])],
  key: HY_PAIRS.key,
  keyClose: HY_PAIRS.keyClose,
  value: HY_PAIRS.value,
  valueClose: HY_PAIRS.valueClose,
};

/** Two syntaxes whose markers overlap, as one. */
function joined(
  left: readonly CallSyntax[],
  right: readonly CallSyntax[],
  dialects: CallSyntax['dialects'] = {},
): CallSyntax {
  const both = [...left, ...right];
  return {
    open: both.flatMap(({ open }) => open),
    close: both.flatMap(({ close }) => close ?? []),
    skip: both.flatMap(({ skip }) => skip ?? []),
    bodies: both.flatMap(({ bodies }) => bodies),
    dialects,
    many: both.some(({ many }) => many === true),
  };
}

/** A recipient without a channel. */
const MUSE_HEADER = /^(?!.*(?:<\|channel|functions\.)).*to=/s;

/** Harmony's messages and those of Muse share their markers; what a message to a tool holds tells them apart. */
const harmonyOrMuse = (): ChannelSyntax[] =>
  (harmony.channels ?? []).map((syntax) => {
    const other = muse.channels?.[0];
    return {
      ...syntax,
      dialect: (header: string) => (MUSE_HEADER.test(header) ? muse.name : harmony.name),
      close: [...syntax.close, ...(other?.close ?? [])],
      callOpen: other?.callOpen ?? [],
      callClose: other?.callClose ?? [],
      bodies: other?.bodies.filter(({ kind }) => kind === 'tags') ?? [],
    };
  });

const withSuffix = (tag: string): string[] => [`${tag}>`, `${tag}:opensource>`];
const CALL_OPEN = withSuffix('<tool_call');
const CALLS_OPEN = withSuffix('<tool_calls');

const inToolCall = {
  close: [...withSuffix('</tool_call'), ...withSuffix('</tool_calls')],
  bodies: [JSON_BODY, QWEN_TAGS, INVOKE_TAGS, PAIRS],
  many: true,
};
/** By what stands behind the name. */
const PAIRS_NAMES = { pairs: 'glm-4.5', '<': 'glm-4.7', '<tool_sep>': 'hy-v3', '<tool_sep:opensource>': 'hy-v3' };

/** Markers that many dialects share. What stands behind them tells them apart. */
const SHARED: readonly CallSyntax[] = [
  {
    ...inToolCall,
    open: CALL_OPEN,
    skip: CALLS_OPEN,
    dialects: { json: 'hermes', tags: 'qwen3-coder', ...PAIRS_NAMES },
  },
  {
    ...inToolCall,
    open: [...CALLS_OPEN, ...CALL_OPEN],
    dialects: { json: 'minimax-m1', array: 'jamba', tags: 'qwen3-coder', ...PAIRS_NAMES },
  },
  ...llama3Json.calls.map((syntax) => ({ ...syntax, dialect: llama3Json.name })),
  joined(step3.calls, DEEPSEEK_CALLS, { tags: 'step3', named: 'deepseek-v3', 'name first': 'deepseek-v3.1' }),
  {
    open: ['Action:'],
    bodies: [JSON_BODY, { kind: 'routine', read: reactCall }],
    dialects: { json: 'command-r-plus', routine: 'react' },
    atLineStart: true,
    offeredOnly: true,
  },
];

/** Ordinary markup: where the dialect is not known, it is a call's only with the name of a tool that was offered. */
const isMarkup = ({ open }: CallSyntax): boolean => open.every((marker) => /^<\w+[ =]$/.test(marker));

/** Other dialects that share a dialect's markers, by what the call or its marker shows. */
const FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'mistral-args': { json: 'mistral-json' },
  'qwen3-coder': { 'json in tags': 'llama3-function' },
  'deepseek-v3.2': Object.fromEntries(dsmlSpellings('tool_calls>').map((marker) => [marker, 'deepseek-v4'])),
};

/** A call reads the same in all of a group; the first is what `auto` calls it. */
const ALIKE = [
  ['hermes', 'ernie45'],
  ['jamba', 'apriel', 'hunyuan-a13b'],
];

/** Dialects whose calls are the very same text: only the model's template or its name tells them apart. */
export const dialectsAlike = (dialect: string): string[] =>
  (ALIKE.find((group) => group.includes(dialect)) ?? []).filter((name) => name !== dialect);

const QUOTES = '`"\'';

/** The text closes a block of reasoning that it never opened: the prompt did. */
export const closesReasoning = (grammar: Grammar, text: string): boolean =>
  (grammar.reasoning ?? [])
    .flatMap(({ close }) => close)
    .some((marker) => {
      const at = REASONING_CLOSE.test(marker) ? text.indexOf(marker) : -1;
      const isQuoted = QUOTES.includes(text[at - 1] ?? ' ') || text.slice(0, at).split('```').length % 2 === 0;
      return at >= 0 && !isQuoted;
    });

/** A marker that two dialects share goes to the first of them. */
export const autoOf = (grammars: readonly Grammar[]): Grammar => ({
  name: 'auto',
  cautious: true,
  // Words that any answer may begin with do not make reasoning of it.
  reasoning: grammars.flatMap((grammar) =>
    (grammar.reasoning ?? []).map((syntax) => (syntax.keepOpen === true ? { close: syntax.close } : syntax)),
  ),
  calls: [
    ...SHARED,
    ...grammars.flatMap((grammar) =>
      grammar.calls.map((syntax) => ({
        ...syntax,
        dialect: grammar.name,
        dialects: FORMS[grammar.name] ?? {},
        ...(isMarkup(syntax) ? { offeredOnly: true } : {}),
      })),
    ),
  ],
  frame: grammars.flatMap((grammar) => grammar.frame ?? []),
  endTokens: grammars.flatMap((grammar) => grammar.endTokens ?? []),
  channels: [
    ...harmonyOrMuse(),
    ...grammars
      .filter((grammar) => grammar !== harmony)
      .flatMap((grammar) => (grammar.channels ?? []).map((syntax) => ({ ...syntax, dialect: () => grammar.name }))),
  ],
  starts: [
    { words: ['Thought:'], lines: reactLines },
    { words: ['>>>', 'all\n'], lines: functionaryLines },
    { words: [], toolLine: true, lines: bareFunctionaryLines },
  ],
  bare: [JSON_BODY, { kind: 'python' }],
  bareDialects: { json: 'plain-json', array: 'xlam', parameters: 'llama3-json', tool: 'edison', python: 'pythonic' },
});
