/** Models by what they are used for. The settings name one for each, `models.roles.NAME`; a request may name one so too. */
import type { Event, EventOf } from './events.ts';
import { lastOf } from './last-event.ts';
import { lastWhere } from './last-where.ts';
import type { Mode } from './policy/modes.ts';

/** Code of the warning that a session goes on with another model, since its own is not there. */
export const MODEL_NOT_HERE = 'model_not_here';

/**
 * `main` answers; `plan` answers while the mode is plan; `compaction` writes the notes of a full window; `titles` answers
 * what clients ask beside a conversation, and `fast` where there is none; `fast` and `deep` are names to choose by;
 * `embeddings` makes vectors.
 */
export const MODEL_ROLES = ['main', 'plan', 'compaction', 'titles', 'fast', 'deep', 'embeddings'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];

type NamesModel = EventOf<'session_started' | 'model_changed'>;
/** A branch keeps the model in use, so it names no other. */
const namesModel = (event: Event): event is Event & NamesModel =>
  event.type === 'session_started' || event.type === 'model_changed';
const isForPlan = (event: NamesModel): boolean => event.type === 'model_changed' && event.role === 'plan';

const lastNaming = lastWhere<Event>(namesModel);
const lastModeChange = lastOf('mode_changed');

/** The session's own model: the last one that it did not have for a role alone. Undefined before it has begun. */
export const ownModelOf = (log: readonly Event[]): string | undefined => {
  const event = log.findLast((one) => namesModel(one) && !isForPlan(one));
  return event !== undefined && namesModel(event) ? event.model : undefined;
};

/** Which model the next request goes to, where it is not the present one. */
export const modelForMode = (log: readonly Event[], mode: Mode, hasPlanModel: boolean): 'plan' | 'own' | undefined => {
  const last = lastNaming(log);
  if (last === undefined || !namesModel(last)) return undefined;
  if (mode !== 'plan' || !hasPlanModel) return isForPlan(last) ? 'own' : undefined;
  if (isForPlan(last)) return undefined;
  // One that the person chose while they planned stays.
  const isChosen = last.type === 'model_changed' && last.role === undefined;
  return isChosen && last.seq > (lastModeChange(log)?.seq ?? 0) ? undefined : 'plan';
};

/** For people. */
export const modelChangedText = ({ model, role }: EventOf<'model_changed'>): string => {
  if (role === 'plan') return `The model is ${model} in plan mode.`;
  return `The model is ${model} ${role === 'main' ? 'again' : 'from here on'}.`;
};
