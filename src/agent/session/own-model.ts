/** The model that a session was last with. It goes on with that one where it is there now. */
import type { Event } from '../../core/events.ts';
import type { ModelError } from '../../core/model-port.ts';
import { MODEL_NOT_HERE, ownModelOf } from '../../core/model-roles.ts';
import type { Outcome } from '../../core/outcome.ts';
import { activePath } from '../../core/session-tree.ts';
import type { ChosenModel } from '../models/choose-model.ts';
import type { ListedModel } from '../models/model-catalogue.ts';

/** The one that answers now, by its name as its server knows it; undefined of a session that has not begun. */
export const lastModelOf = (events: readonly Event[]): string | undefined => {
  const named = activePath(events).findLast(
    ({ type }) => type === 'session_started' || type === 'model_changed' || type === 'branch_selected',
  );
  return named !== undefined && 'model' in named ? named.model : undefined;
};

/** Where its model may be: at any server that is there, or at the one of the usual model alone. */
export type OwnModelPlace = 'anywhere' | 'here';

export type OwnModelPorts = {
  at: OwnModelPlace;
  openModel(name: string): Promise<Outcome<ChosenModel, ModelError>>;
  listModels(signal: AbortSignal): Promise<readonly ListedModel[]>;
  onWarning(code: string, message: string): void;
};

/** The model of that name. The log knows no server, so the list says whose it is, and `usual` comes before others. */
const listedOwn = (
  listed: readonly ListedModel[],
  name: string,
  usual: ChosenModel | undefined,
  at: OwnModelPlace,
): ListedModel | undefined => {
  const named = listed.filter(({ info }) => info.id === name);
  const isBeside = (one: ListedModel): boolean =>
    one.provider === usual?.provider.name && one.endpoint === usual.provider.endpoint;
  return named.find(isBeside) ?? (at === 'anywhere' ? named[0] : undefined);
};

/** The name of what `ownModel` chooses; it opens nothing. Without `usual`, what is not listed is not known. */
export const ownModelName = (
  listed: readonly ListedModel[],
  events: readonly Event[],
  usual: ChosenModel | undefined,
  at: OwnModelPlace,
): string | undefined => {
  const name = ownModelOf(events);
  return name !== undefined && listedOwn(listed, name, usual, at) ? name : usual?.model;
};

/** `missing`: what the person has to know where the session's own model is not there. */
export type FoundModel = { chosen: ChosenModel; missing?: string };

/** `chosen`: the one that it gets where its own is not there. */
export const ownModel = async (
  { at, openModel, listModels, onWarning }: OwnModelPorts,
  events: readonly Event[],
  chosen: ChosenModel,
): Promise<FoundModel> => {
  const name = ownModelOf(events);
  if (name === undefined || name === chosen.model) return { chosen };
  const found = listedOwn(await listModels(new AbortController().signal), name, chosen, at);
  const opened = found && (await openModel(found.id));
  if (opened?.ok) return { chosen: opened.value };
  const missing = `This session was with the model ${name}, which is not there now. It goes on with ${chosen.model}.`;
  onWarning(MODEL_NOT_HERE, missing);
  return { chosen, missing };
};
