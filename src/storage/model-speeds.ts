/** The speeds that were learned, one file in the cache folder: it can be made again, so a damaged one is begun anew. */
import { join } from 'node:path';
import { type LearnedWindow, readLearnedWindow } from '../core/learned-window.ts';
import type { Usage } from '../core/message.ts';
import type { ModelSpeed } from '../core/model-profile.ts';
import { learnSpeed, speedOf } from '../core/model-speed.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';

export type ModelSpeeds = {
  of(model: string): ModelSpeed;
  learn(model: string, usage: Usage): void;
  /** How large the server's answers showed the window of a model to be; undefined: that does not hold any more. */
  learnWindow(model: string, learned: LearnedWindow | undefined): void;
  /** Whether thoughts that the prompt opened stood in its text. */
  learnThoughts(model: string, opened: boolean): void;
  /** Writes what was learned, if anything was. A failure to write loses an estimate and nothing else. */
  keep(): Promise<void>;
};

const VERSION = 1;

/** Those of one server. `start` is what a profile says, for a model of which nothing was learned yet. */
export const openModelSpeeds = async (
  cacheFolder: string,
  server: { provider: string; endpoint: string },
  start: Readonly<Record<string, ModelSpeed>> = {},
): Promise<ModelSpeeds> => {
  const file = join(cacheFolder, 'model-speeds.json');
  const nameOf = (model: string): string => `${server.provider} ${server.endpoint} ${model}`;
  let known = await readSpeeds(file);
  const learned = new Map<string, ModelSpeed>();
  const of = (model: string): ModelSpeed =>
    learned.get(nameOf(model)) ?? known.get(nameOf(model)) ?? start[model] ?? {};
  return {
    of,
    learn(model, usage) {
      const sample = speedOf(usage);
      if (Object.keys(sample).length === 0) return;
      learned.set(nameOf(model), { ...of(model), ...learnSpeed(of(model), sample) });
    },
    learnWindow(model, window) {
      const { window: _, ...rest } = of(model);
      learned.set(nameOf(model), window === undefined ? rest : { ...rest, window });
    },
    learnThoughts(model, opened) {
      if (of(model).opens_thoughts !== opened) learned.set(nameOf(model), { ...of(model), opens_thoughts: opened });
    },
    async keep() {
      // What is hardly news is not worth a write to the disk at the end of each run.
      if (![...learned].some(([name, speed]) => isNews(known.get(name), speed))) return;
      // Another halter may have written since: what it learned of other models stays. The newest stand last.
      const all = await readSpeeds(file);
      for (const [name, speed] of learned) {
        all.delete(name);
        all.set(name, speed);
      }
      learned.clear();
      known = all;
      const models = Object.fromEntries([...all].slice(-STORAGE_LIMITS.modelSpeeds));
      await writeFileAtomically(file, `${JSON.stringify({ version: VERSION, models })}\n`);
    },
  };
};

const NEWS_SHARE = 0.15;
const isNews = (before: ModelSpeed | undefined, now: ModelSpeed): boolean =>
  JSON.stringify(before?.window) !== JSON.stringify(now.window) ||
  before?.opens_thoughts !== now.opens_thoughts ||
  (['prefill_tokens_per_second', 'decode_tokens_per_second'] as const).some((name) => {
    const [old, rate] = [before?.[name], now[name]];
    return rate !== undefined && (old === undefined || Math.abs(rate - old) > old * NEWS_SHARE);
  });

const readSpeeds = async (file: string): Promise<Map<string, ModelSpeed>> => {
  const read = await readOwnFile(file, STORAGE_LIMITS.profileFileBytes, 'no speed is known');
  if (!read.ok || read.value === undefined) return new Map();
  try {
    const value = JSON.parse(new TextDecoder().decode(read.value)) as { version?: unknown; models?: unknown };
    if (value.version !== VERSION || typeof value.models !== 'object' || value.models === null) return new Map();
    return new Map(Object.entries(value.models).map(([name, speed]) => [name, plainSpeed(speed)]));
  } catch {
    return new Map();
  }
};

const plainSpeed = (value: unknown): ModelSpeed => {
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const speed: ModelSpeed = {};
  for (const name of ['prefill_tokens_per_second', 'decode_tokens_per_second'] as const) {
    const rate = fields[name];
    if (typeof rate === 'number' && Number.isFinite(rate) && rate > 0) speed[name] = rate;
  }
  // Of an earlier version: of a server that tells no window.
  const window = readLearnedWindow(fields['window'] ?? { tokens: fields['context_tokens'] });
  if (window) speed.window = window;
  if (typeof fields['opens_thoughts'] === 'boolean') speed.opens_thoughts = fields['opens_thoughts'];
  return speed;
};
