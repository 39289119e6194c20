/** The models as clients are told of them: each by its own name, and by every other name that a request may give. */
import type { Agent } from '../../agent/create-agent.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelInfo } from '../../core/model-port.ts';
import { isOfAnthropic, targetOf } from './target.ts';

export type NamedModel = { id: string; provider: string; info: ModelInfo };

/** Whose model it is where nobody knows yet which one the name stands for. */
const UNDECIDED = 'halter';

/** Clients that take the first of the list get the one they always got, so the other names come last. */
export const listedModels = async ({ models }: Pick<Agent, 'models'>, signal: AbortSignal): Promise<NamedModel[]> => {
  const listed = await models.list(signal);
  const aliases = models.aliases().map(({ name, model }): NamedModel => {
    const meant = listed.find((entry) => (model === undefined ? entry.current : hasName(entry, model)));
    return meant === undefined ? { id: name, provider: UNDECIDED, info: { id: name } } : { ...meant, id: name };
  });
  return [...listed, ...aliases];
};

/** With or without its provider. */
export const hasName = ({ id, info }: Pick<NamedModel, 'id' | 'info'>, name: string): boolean =>
  id === name || info.id === name;

/** How the clients of an API read the list and one of it. */
export type ModelsForm = {
  one(model: NamedModel, startedAt: number): JsonObject;
  all(models: readonly JsonObject[]): JsonObject;
};

const openAi: ModelsForm = {
  one: ({ id, provider, info }, startedAt) => ({
    id,
    object: 'model',
    created: Math.floor(startedAt / 1_000),
    owned_by: provider,
    ...(info.context_length === undefined ? {} : { context_length: info.context_length }),
  }),
  all: (data) => ({ object: 'list', data: [...data] }),
};

const anthropic: ModelsForm = {
  one: ({ id }, startedAt) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: new Date(startedAt).toISOString(),
  }),
  all: (data) => ({
    data: [...data],
    has_more: false,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
  }),
};

export const modelsForm = (request: Request): ModelsForm => (isOfAnthropic(targetOf(request)) ? anthropic : openAi);
