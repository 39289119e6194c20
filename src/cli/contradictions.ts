/** Flags that say the opposite of each other: neither is taken silently, since nobody knows which one was meant. */
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

/** A sentence that names both; undefined where the flags agree. */
export const contradictionIn = (flags: FlagValues): string | undefined => {
  const found = CONTRADICTIONS.find((pair) => pair.every(({ says }) => says(flags)));
  return found && `--${found[0].name} and --${found[1].name} contradict each other; give one of them.`;
};
