/**
 * A run that broke off is gone on with by another process. What was asked for and not begun is begun; what was begun and
 * only reads is done again; of anything else the model is told what is known, and it decides.
 */
import type { Effect } from '../../core/effects.ts';
import type { Event } from '../../core/events.ts';
import type { CallEntry } from '../../core/executor.ts';
import type { Limits } from '../../core/limits.ts';
import { openWork } from '../../core/open-work.ts';
import type { Clock } from '../../core/ports.ts';
import { onlyReads } from '../../core/tool.ts';
import type { ToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { refusedResult } from '../loop/run-tool.ts';
import { closeInterrupted, closeLeftAside } from './close-open.ts';
import type { SessionHandle } from './session-handle.ts';
import { isFromCopy } from './verdict.ts';

type GoOnPorts = {
  limits: Limits;
  clock: Clock;
  /** Up to this event the log came with a backup. */
  copiedTo?: number | undefined;
  registry: ToolRegistry;
  verdict(entry: CallEntry): Promise<string>;
  act(effect: Effect): void;
};

export const goOn = async (session: SessionHandle, ports: GoOnPorts): Promise<void> => {
  const { phase } = session.state();
  if (phase === 'idle') return;
  // Its end was decided already.
  if (phase === 'ending') return closeInterrupted(session, ports.clock, ports.verdict);
  const { effects, running } = openWork(ports.limits, session.path());
  // A branch into the middle of a run: nothing of that run goes on.
  const marker = session.path().at(-1);
  if (marker?.type === 'branch_selected' && !marker.run) return closeLeftAside(session, ports.clock);
  const doubtful = session.state().entries.filter((entry) => mayBeDone(session.path(), entry, ports));
  const ids = new Set(doubtful.map(({ call }) => call.id));
  for (const effect of effects) if (!('call' in effect && ids.has(effect.call.id))) ports.act(effect);
  for (const entry of [...doubtful, ...running]) {
    if (mayRunAgain(ports.registry, entry)) {
      ports.act({ type: 'execute_tool', call: entry.call });
      continue;
    }
    const result = refusedResult(ports.clock, 'io_error', await ports.verdict(entry), { reason: 'interrupted' });
    await session.dispatch({ type: 'tool_finished', tool_call_id: entry.call.id, result });
  }
};

/** Not begun when the backup was made, and perhaps since. Where the person is still to answer, they decide. */
const mayBeDone = (log: readonly Event[], entry: CallEntry, { copiedTo, registry }: GoOnPorts): boolean =>
  (entry.status === 'unchecked' || entry.status === 'allowed') &&
  !mayRunAgain(registry, entry) &&
  isFromCopy(log, entry, copiedTo);

const mayRunAgain = (registry: ToolRegistry, { call }: CallEntry): boolean => {
  const tool = registry.get(call.name);
  return tool !== undefined && onlyReads(tool);
};
