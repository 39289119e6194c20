/** The session of a harness that begins with a history. */
import type { Agent } from '../agent/create-agent.ts';
import type { SessionUpdate } from '../core/events.ts';
import { Approvals } from './approvals.ts';
import { type HistoryMessage, openEventsOf } from './history.ts';
import type { OtherMessage } from './other-histories.ts';
import type { CallApproval, GoingOn } from './page-answers.ts';

type Answers = { secret: string | undefined; approvals: readonly CallApproval[] | undefined };

/** With `approvals` the last run of the history goes on when the session is opened. */
export const seed = async (
  agent: Agent,
  id: string,
  messages: readonly (HistoryMessage | OtherMessage)[],
  { secret, approvals }: Answers,
): Promise<GoingOn | undefined> => {
  const { root: workspace, limits } = agent;
  const now = Date.now();
  const decisions = secret === undefined ? undefined : new Approvals(secret, approvals ?? [], now);
  const { events, decided, open } = openEventsOf(
    messages,
    { id, workspace, model: '', limits, now },
    decisions && { decide: (call) => decisions.resultFor(call), goesOn: approvals !== undefined },
  );
  const made = await agent.sessions.create(id, events);
  if (!made.ok) throw new TypeError(`messages: ${made.error.message}`);
  const [answer] = decided;
  if (approvals === undefined || decisions === undefined || answer === undefined) return undefined;
  return {
    allowed: new Map(open.map((call) => [call.id, call.arguments])),
    from: events.indexOf(answer),
    release: () => decisions.release(),
    ...heardFrom(decided),
  };
};

/** Whoever follows hears all of it, however late they come. */
const heardFrom = (before: readonly SessionUpdate[]): Pick<GoingOn, 'hears' | 'follow'> => {
  const early = [...before];
  let hears = (update: SessionUpdate): void => void early.push(update);
  return {
    hears: (update) => hears(update),
    follow(hear) {
      for (const update of early.splice(0)) hear(update);
      hears = hear;
      return () => {
        hears = () => {};
      };
    },
  };
};
