/** The model that a session was last with. It goes on with that one where it is there now. */
import type { Event } from '../../core/events.ts';
import type { ModelError } from '../../core/model-port.ts';
import { ownModelOf } from '../../core/model-roles.ts';
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

export type OwnModelPorts = {
  openModel(name: string): Promise<Outcome<ChosenModel, ModelError>>;
  listModels(signal: AbortSignal): Promise<readonly ListedModel[]>;
  onWarning(code: string, message: string): void;
};

/** `chosen`: the one that it gets where its own is not there. The log knows no server, so the list says whose it is. */
export const ownModel = async (
  { openModel, listModels, onWarning }: OwnModelPorts,
  events: readonly Event[],
  chosen: ChosenModel,
): Promise<ChosenModel> => {
  const name = ownModelOf(events);
  if (name === undefined || name === chosen.model) return chosen;
  const { provider } = chosen;
  const listed = (await listModels(new AbortController().signal)).filter(({ info }) => info.id === name);
  const found = listed.find((one) => one.provider === provider.name && one.endpoint === provider.endpoint) ?? listed[0];
  const opened = found && (await openModel(found.id));
  if (opened?.ok) return opened.value;
  onWarning(
    'model_not_here',
    `This session was with the model ${name}, which is not there now. It goes on with ${chosen.model}.`,
  );
  return chosen;
};
