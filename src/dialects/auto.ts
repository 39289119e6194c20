/** All formats at once, for text of which nobody knows how its calls are written. */
import { DEEPSEEK_CALLS } from './deepseek-v3.ts';
import { type CallForm, type ChannelForm, type Format, JSON_BODY, type PairsBody } from './engine/format.ts';
import { functionaryLines } from './functionary-v3.2.ts';
import { GLM_PAIRS } from './glm-4.5.ts';
import { harmony } from './harmony.ts';
import { HY_PAIRS } from './hy-v3.ts';
import { muse } from './muse.ts';
import { QWEN_TAGS } from './qwen3-coder.ts';
import { reactCall, reactLines } from './react.ts';
import { step3 } from './step3.ts';

const PAIRS: PairsBody = {
  kind: 'pairs',
  nameEnd: [...(GLM_PAIRS.nameEnd ?? []), ...(HY_PAIRS.nameEnd ?? [])],
  key: HY_PAIRS.key,
  keyClose: HY_PAIRS.keyClose,
  value: HY_PAIRS.value,
  valueClose: HY_PAIRS.valueClose,
};

/** Two forms whose markers overlap, as one. */
function joined(left: readonly CallForm[], right: readonly CallForm[], formats: CallForm['formats'] = {}): CallForm {
  const both = [...left, ...right];
  return {
    open: both.flatMap(({ open }) => open),
    close: both.flatMap(({ close }) => close ?? []),
    skip: both.flatMap(({ skip }) => skip ?? []),
    bodies: both.flatMap(({ bodies }) => bodies),
    formats,
  };
}

/** Harmony's messages and those of Muse share their markers; what a message to a tool holds tells them apart. */
const harmonyOrMuse = (): ChannelForm[] =>
  (harmony.channels ?? []).map((form) => {
    const other = muse.channels?.[0];
    return {
      ...form,
      format: harmony.name,
      close: [...form.close, ...(other?.close ?? [])],
      callOpen: other?.callOpen ?? [],
      callClose: other?.callClose ?? [],
      bodies: other?.bodies.filter(({ kind }) => kind === 'tags') ?? [],
    };
  });

/** Markers that many families share. What stands behind them tells them apart. */
const SHARED: readonly CallForm[] = [
  {
    open: ['<tool_call>', '<tool_calls>', '<tool_call:opensource>', '<tool_calls:opensource>'],
    close: ['</tool_call>', '</tool_calls>', '</tool_call:opensource>', '</tool_calls:opensource>'],
    bodies: [JSON_BODY, QWEN_TAGS, PAIRS],
    formats: { json: 'hermes', tags: 'qwen3-coder', pairs: 'glm-4.5' },
    many: true,
  },
  joined(step3.calls, DEEPSEEK_CALLS, { tags: 'step3', named: 'deepseek-v3' }),
  {
    open: ['Action:'],
    bodies: [JSON_BODY, { kind: 'routine', read: reactCall }],
    formats: { json: 'command-r-plus', routine: 'react' },
    atLineStart: true,
    offeredOnly: true,
  },
];

/** Ordinary markup: where the family is not known, it is a call's only with the name of a tool that was offered. */
const isMarkup = ({ open }: CallForm): boolean => open.every((marker) => /^<\w+[ =]$/.test(marker));

/** Closes reasoning and nothing else. */
const REASONING_CLOSE = /think|inner_suffix|final/i;
const QUOTES = '`"\'';

/** The text closes a block of reasoning that it never opened: the prompt did. */
export const closesReasoning = (format: Format, text: string): boolean =>
  (format.reasoning ?? [])
    .flatMap(({ close }) => close)
    .some((marker) => {
      const at = REASONING_CLOSE.test(marker) ? text.indexOf(marker) : -1;
      const isQuoted = QUOTES.includes(text[at - 1] ?? ' ') || text.slice(0, at).split('```').length % 2 === 0;
      return at >= 0 && !isQuoted;
    });

/** A marker that two formats share goes to the first of them. */
export const autoOf = (formats: readonly Format[]): Format => ({
  name: 'auto',
  cautious: true,
  // Words that any answer may begin with do not make reasoning of it.
  reasoning: formats.flatMap((format) =>
    (format.reasoning ?? []).map((form) => (form.keepOpen === true ? { close: form.close } : form)),
  ),
  calls: [
    ...SHARED,
    ...formats.flatMap((format) =>
      format.calls.map((form) => ({ ...form, format: format.name, ...(isMarkup(form) ? { offeredOnly: true } : {}) })),
    ),
  ],
  frame: formats.flatMap((format) => format.frame ?? []),
  endTokens: formats.flatMap((format) => format.endTokens ?? []),
  channels: [
    ...harmonyOrMuse(),
    ...formats
      .filter((format) => format !== harmony)
      .flatMap((format) => (format.channels ?? []).map((form) => ({ ...form, format: format.name }))),
  ],
  starts: [
    { words: ['Thought:'], lines: reactLines },
    { words: ['>>>', 'all\n'], toolLine: true, lines: functionaryLines },
  ],
  bare: [JSON_BODY, { kind: 'python' }],
  bareFormats: { json: 'plain-json', python: 'pythonic' },
});
