/** What a person who looks elsewhere is told of: a session that waits for them, and one whose run is over. */
import type { SessionState } from '../state/api.ts';

export type Alert = {
  sessionId: string;
  kind: 'waits' | 'done';
  /** The same for the same occasion, so that two tabs tell of it once. */
  tag: string;
  text: string;
};

type States = ReadonlyMap<string, SessionState>;

const isWaiting = ({ permission_request, server_questions }: SessionState): boolean =>
  permission_request !== null || server_questions > 0;

/** What it waits for; another question is another occasion. */
const occasion = ({ permission_request, server_questions }: SessionState): string =>
  permission_request?.tool_call_id ?? `server ${server_questions}`;

const textOf = ({ permission_request: asked }: SessionState): string =>
  asked === null ? 'A server asks something' : (asked.preview ?? `Run ${asked.name}`);

export const alertsBetween = (before: States, after: States): Alert[] => {
  const alerts: Alert[] = [];
  for (const [sessionId, state] of after) {
    const known = before.get(sessionId);
    if (!isWaiting(state)) continue;
    if (known !== undefined && isWaiting(known) && occasion(known) === occasion(state)) continue;
    alerts.push({ sessionId, kind: 'waits', tag: `${sessionId} ${occasion(state)}`, text: textOf(state) });
  }
  for (const [sessionId, state] of before) {
    if (!state.running || after.get(sessionId)?.running) continue;
    alerts.push({ sessionId, kind: 'done', tag: `${sessionId} done`, text: 'The run is over' });
  }
  return alerts;
};
