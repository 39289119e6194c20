/** What the list of models says of each, and which of them a search finds. */
import type { ProviderName } from '../../../src/core/provider-names.ts';
import { bytes, tokens } from '../parts/format.ts';
import type { ModelRow } from '../state/api.ts';

/** The compiler names a provider that has no words here. */
const WORDS: Readonly<Record<ProviderName, string>> = {
  ollama: 'Ollama',
  'llama-cpp': 'llama.cpp',
  openai: 'OpenAI-compatible server',
  embedded: 'Model files of halter',
};

/** A plugin brings others. */
const SERVERS: Readonly<Record<string, string>> = WORDS;

export type ModelGroup = { title: string; place: string; models: ModelRow[] };

const placeOf = ({ provider, endpoint = '' }: ModelRow): string =>
  provider === 'embedded' ? endpoint : (URL.parse(endpoint)?.host ?? endpoint);

/** Every word must be in the name, the server or what is said of the model. */
export const matches = (model: ModelRow, search: string): boolean => {
  const text =
    `${model.id} ${SERVERS[model.provider] ?? ''} ${placeOf(model)} ${factsOf(model).join(' ')}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** By server, in the order in which they come; what is loaded stands first. */
export const groupsOf = (models: readonly ModelRow[], search: string): ModelGroup[] => {
  const groups = new Map<string, ModelGroup>();
  for (const model of models.filter((each) => matches(each, search))) {
    const place = placeOf(model);
    const key = `${model.provider} ${place}`;
    const group = groups.get(key) ?? { title: SERVERS[model.provider] ?? model.provider, place, models: [] };
    group.models.push(model);
    groups.set(key, group);
  }
  for (const { models: all } of groups.values())
    all.sort((a, b) => Number(b.loaded ?? false) - Number(a.loaded ?? false));
  return [...groups.values()];
};

export const FIT_WORDS = {
  fits: 'fits in memory',
  tight: 'just fits in memory',
  too_large: 'too large for memory',
} as const;

/** Size, window and abilities in a few words; whether it fits is said apart, since it has a colour. */
export const factsOf = (model: ModelRow): string[] => [
  ...(model.size_bytes === undefined ? [] : [bytes(model.size_bytes)]),
  ...(model.context_length === undefined ? [] : [`${tokens(model.context_length)} window`]),
  ...(model.vision ? ['sees images'] : []),
  ...(model.tools === false ? ['no tools of its own'] : []),
];

const CALLS = {
  native: "calls tools by the server's own field",
  text: 'calls tools as text, which halter reads',
  none: 'made no call in any way',
} as const;

/** What probing found out, a sentence each. */
export const probeFacts = ({ probe }: ModelRow): string[] => {
  if (probe === undefined) return [];
  const { passed, failed, tool_calls, context_tokens: window } = probe;
  const rates = [
    ...(probe.prefill_tokens_per_second === undefined ? [] : [`reads ${probe.prefill_tokens_per_second} tokens/s`]),
    ...(probe.decode_tokens_per_second === undefined ? [] : [`writes ${probe.decode_tokens_per_second} tokens/s`]),
  ];
  return [
    `${passed} of ${passed + failed} checks passed`,
    CALLS[tool_calls],
    ...(window === undefined ? [] : [`its window is ${tokens(window)} tokens`]),
    ...rates,
  ];
};

/** `qwen3:8b` is one of Ollama's, `starter` halter's own; with a provider in front it is as it stands. */
export const pullName = (text: string): string => {
  const name = text.trim();
  if (/^(?:ollama|embedded)\//.test(name)) return name;
  return name === 'starter' ? 'embedded/starter' : `ollama/${name}`;
};

/** Whether halter can remove it. */
export const isRemovable = ({ provider }: ModelRow): boolean => provider === 'ollama' || provider === 'embedded';

/** As its server calls it. */
export const nameOf = ({ id, provider }: ModelRow): string =>
  id.startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id;
