import { expect, it } from 'vitest';
import type { ListedModel } from '../agent/models/model-catalogue.ts';
import type { ModelError } from '../core/model-port.ts';
import type { Outcome } from '../core/outcome.ts';
import { missingModel } from './missing-model.ts';

const AWAY: ModelError = { code: 'unreachable', message: 'No model server answers at X', hint: 'Start it.' };
const MODEL: ListedModel = { id: 'p/m', provider: 'p', endpoint: 'e', current: false, info: { id: 'm' } };

it.each<[string, Outcome<void, ModelError> | undefined, ListedModel[], RegExp | undefined]>([
  [
    'a named server that is away',
    { ok: false, error: AWAY },
    [MODEL],
    /refused for now\. No model server answers at X\. Start it\./,
  ],
  ['a named server that answers', { ok: true, value: undefined }, [], undefined],
  ['no server and no file', undefined, [], /Start a server .*--base-url.*halter models pull starter/],
  ['a model of some server', undefined, [MODEL], undefined],
])('says what is missing: %s', async (_title, answered, listed, said) => {
  const models = { answers: () => answered && Promise.resolve(answered), list: async () => listed };
  const text = await missingModel(models, new AbortController().signal);
  if (said === undefined) expect(text).toBeUndefined();
  else expect(text).toMatch(said);
});
