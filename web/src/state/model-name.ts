/** What models are called, and how they stand. */
import { didYouMean } from '../../../src/core/tool/nearest-names.ts';
import type { ModelRow, Status } from './api.ts';

/** Without the provider. */
export const bareModel = (id: string): string => id.split('/').at(-1) ?? id;

/** A session names its model with or without the provider. */
export const sameModel = (one: string, other: string): boolean => one === other || bareModel(one) === bareModel(other);

/** The one that is meant; where the whole name is here, it alone is. */
export const rowOf = (models: readonly ModelRow[], name: string): ModelRow | undefined =>
  models.find(({ id }) => id === name) ??
  models.find(({ id }) => sameModel(id, name)) ??
  models.find(({ provider, aliases = [] }) => aliases.some((alias) => sameModel(`${provider}/${alias}`, name)));

export type ModelState = {
  state: 'none' | 'not loaded' | 'loading' | 'ready' | 'not listed' | 'not there';
  problem?: string | undefined;
};

const STATES = { none: 'not loaded', loading: 'loading', ready: 'ready', failed: 'not there' } as const;

/** How a model stands, for every place of the page that says it. An empty name: nobody chose one, and none was found. */
export const modelState = (
  name: string,
  {
    status,
    models,
    isGone,
  }: { status: Status | undefined; models: readonly ModelRow[]; isGone(name: string): boolean },
): ModelState => {
  const main = status?.model;
  if (name === '') {
    const state = main === undefined || main.state === 'none' ? 'none' : STATES[main.state];
    return { state, problem: state === 'not there' ? main?.message : undefined };
  }
  const row = rowOf(models, name);
  if (row?.problem !== undefined) return { state: 'not there', problem: row.problem };
  if (isGone(name)) return { state: 'not there' };
  const isMain =
    main?.id !== undefined &&
    (sameModel(name, main.id) || (row !== undefined && rowOf(models, main.id)?.id === row.id));
  if (main && isMain) return { state: STATES[main.state] };
  const problem = row === undefined ? unlisted(models, name) : undefined;
  return problem === undefined ? { state: 'ready' } : { state: 'not listed', problem };
};

const SHOWN_NAMES = 5;

/** What the server of a name lists in its place; undefined where it lists nothing. It may take the name all the same. */
const unlisted = (models: readonly ModelRow[], name: string): string | undefined => {
  const [provider = ''] = name.split('/');
  const ids = models.filter((row) => row.provider === provider && row.unreachable !== true).map(({ id }) => id);
  if (!name.includes('/') || ids.length === 0) return undefined;
  const more = ids.length > SHOWN_NAMES ? ` and ${ids.length - SHOWN_NAMES} more` : '';
  return `Its server lists ${ids.slice(0, SHOWN_NAMES).join(', ')}${more}.${didYouMean(name, ids)}`;
};

/** What stands in the place of a name, wherever the page says how the model stands. */
export const NAMELESS = {
  none: 'Looking for a model',
  loading: 'Loading a model',
  ready: 'A model is ready',
  failed: 'No model',
} as const;
