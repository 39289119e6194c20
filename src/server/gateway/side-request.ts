/** What becomes of a request beside the conversation: it waits, goes to another model, or is answered without one. */
import type { Agent, ChosenModel } from '../../agent/create-agent.ts';
import type { ModelError } from '../../core/model-port.ts';
import type { ModelRole } from '../../core/model-roles.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { CompletionPart } from '../../gateway/asking.ts';
import type { Completion, CompletionOutcome } from '../../gateway/complete.ts';
import type { Note } from '../../gateway/report.ts';
import type { GatewayRequest } from '../../gateway/request.ts';
import { isSideRequest, probeAnswer } from '../../gateway/side-requests.ts';
import type { SideTurns } from './side-turns.ts';

export type Side = {
  /** Another model than the one that was asked for. */
  model?: Outcome<ChosenModel, ModelError>;
  /** It is answered already. */
  answer?: Completion;
  waits?: true;
  notes?: readonly Note[];
};

/** Roles of the model that the person names for such requests (`models.roles.NAME`). */
const ROLES: readonly ModelRole[] = ['titles', 'fast'];

/** Empty where the request belongs to a conversation. `open` waits for a server that loads its model, as for a conversation. */
export const sideOf = async (
  { models }: Pick<Agent, 'models'>,
  request: GatewayRequest,
  open: (name: string) => Promise<Outcome<ChosenModel, ModelError>>,
): Promise<Side> => {
  const answer = probeAnswer(request);
  if (answer !== undefined) return { answer, notes: ['side_request_answered'] };
  if (!isSideRequest(request)) return {};
  const role = ROLES.find((one) => models.hasRole(one));
  if (role === undefined) return { waits: true };
  const asked = await open(request.model);
  if (!asked.ok) return { model: asked };
  const other = await open(role);
  if (!other.ok || isSame(asked.value, other.value)) return { waits: true };
  return { model: other, notes: ['side_request_moved'] };
};

const isSame = (one: ChosenModel, other: ChosenModel): boolean =>
  one.model === other.model && one.provider.endpoint === other.provider.endpoint;

type Place = { turns: SideTurns; key: string; signal: AbortSignal; emit: Emit };
type Emit = (part: CompletionPart) => void;
type Ask = (emit: Emit, signal: AbortSignal) => Promise<CompletionOutcome>;

/** A request of a conversation: others wait for its turn, which goes on where it ends in calls. */
export const ownTurn = async ({ turns, key, signal, emit }: Place, ask: Ask): Promise<CompletionOutcome> => {
  const end = turns.begin(key);
  let goesOn = false;
  try {
    const outcome = await ask(emit, signal);
    goesOn = outcome.ok && outcome.value.calls.length > 0;
    return outcome;
  } finally {
    end(goesOn);
  }
};

/** So often it gives way to a conversation that begins while it is at the model. */
const TRIES = 3;

/** Its words go on together, at its end: it may have to begin again. */
export const waitingTurn = async (
  { turns, key, signal, emit }: Place,
  ask: Ask,
  onWaited: () => void,
): Promise<CompletionOutcome> => {
  for (let tries = 1; ; tries += 1) {
    if (await turns.idle(key, signal)) onWaited();
    const away = new AbortController();
    const leave = turns.onBegin(key, () => tries < TRIES && away.abort());
    const parts: CompletionPart[] = [];
    const outcome = await ask((part) => parts.push(part), AbortSignal.any([signal, away.signal])).finally(leave);
    if (away.signal.aborted && !signal.aborted && !outcome.ok) continue;
    for (const part of parts) emit(part);
    return outcome;
  }
};
