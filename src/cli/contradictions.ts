/** Flags that say the opposite of each other, or that have no effect: none is taken silently, since nobody knows what was meant. */
import { FLAG_NAMES, type FlagName, type FlagValues, isFlagName } from './flags.ts';

type Stated = { name: FlagName; says(flags: FlagValues): boolean };
type Contradiction = readonly [Stated, Stated];

const given = (name: FlagName): Stated => ({ name, says: (flags) => flags[name] !== undefined });

/** Each `--no-NAME` and its NAME. */
const OPPOSITES = FLAG_NAMES.flatMap((name): Contradiction[] => {
  const positive = name.startsWith('no-') ? name.slice('no-'.length) : '';
  return isFlagName(positive) ? [[given(positive), given(name)]] : [];
});

const CONTRADICTIONS: readonly Contradiction[] = [
  ...OPPOSITES,
  [given('plan'), given('yolo')],
  [{ name: 'mode', says: ({ mode }) => mode !== undefined && mode !== 'plan' }, given('plan')],
  [{ name: 'mode', says: ({ mode }) => mode !== undefined && mode !== 'yolo' }, given('yolo')],
  [given('continue'), given('no-session')],
  [{ name: 'think-budget', says: (flags) => (flags['think-budget'] ?? 0) > 0 }, given('no-think')],
];

/** Flags that have no effect beside the one that they stand under. */
const USELESS_WITH: Readonly<Partial<Record<FlagName, readonly FlagName[]>>> = {
  'no-sandbox': ['allow-network', 'allow-host', 'allow-read'],
  offline: ['allow-network', 'allow-host'],
  'no-tools': ['max-tool-calls', 'tool-strategy', 'on-ask'],
  list: ['steps', 'on-change'],
  all: ['directory'],
  remove: ['port', 'context-length', 'token-file'],
};

/** Flags of a command that have no effect without something else. */
type Need = {
  command: string;
  flags: readonly FlagName[];
  words: string;
  has(flags: FlagValues, words: readonly string[]): boolean;
};

const isAddress = (word = ''): boolean => /^https?:\/\//i.test(word);
const NEEDS: readonly Need[] = [
  {
    command: 'worker',
    flags: ['host', 'allowed-host', 'token-file'],
    words: '--http-port',
    has: (flags) => flags['http-port'] !== undefined,
  },
  {
    command: 'connect',
    flags: ['remove', 'port', 'yes', 'context-length', 'token-file'],
    words: 'the name of a client',
    has: (_, [name]) => name !== undefined,
  },
  { command: 'mcp add', flags: ['env'], words: 'a command', has: (_, [, first]) => !isAddress(first) },
  { command: 'mcp add', flags: ['header'], words: 'an address', has: (_, [, first]) => isAddress(first) },
];

/** It guesses ahead in halter's own engine alone. */
const besideServer = ({ speculation, provider, 'base-url': url }: FlagValues): string | undefined => {
  if (speculation === undefined || speculation === 'off') return undefined;
  const server = url !== undefined ? 'base-url' : 'provider';
  const isServer = url !== undefined || (provider !== undefined && provider !== 'embedded');
  return isServer ? `--speculation does nothing with --${server}; leave one of them out.` : undefined;
};

const uselessIn = (flags: FlagValues): string | undefined => {
  for (const [name, others = []] of Object.entries(USELESS_WITH)) {
    const useless =
      flags[name as FlagName] === undefined ? undefined : others.find((other) => flags[other] !== undefined);
    if (useless) return `--${useless} does nothing with --${name}; leave one of them out.`;
  }
  return undefined;
};

const neededIn = (flags: FlagValues, command: string, words: readonly string[]): string | undefined => {
  for (const need of NEEDS) {
    const given = need.command === command && !need.has(flags, words) ? need.flags : [];
    const useless = given.find((name) => flags[name] !== undefined);
    if (useless) return `--${useless} does nothing without ${need.words}.`;
  }
  return undefined;
};

/** A sentence that names both, or what is missing; undefined where all flags have their effect. */
export const contradictionIn = (flags: FlagValues, command: string, words: readonly string[]): string | undefined => {
  const found = CONTRADICTIONS.find((pair) => pair.every(({ says }) => says(flags)));
  if (found) return `--${found[0].name} and --${found[1].name} contradict each other; give one of them.`;
  return uselessIn(flags) ?? besideServer(flags) ?? neededIn(flags, command, words);
};
