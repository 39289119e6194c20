/** A session that changes one file again and again, through the very port that tools write through. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createToolRegistry } from '../../src/agent/loop/run-tool/tool-registry.ts';
import { HALTER_ENDED } from '../../src/agent/session/ended.ts';
import type { SessionHandle } from '../../src/agent/session/session-handle.ts';
import { verdictOf } from '../../src/agent/session/verdict.ts';
import { createChangeRecorder } from '../../src/agent/undo/record.ts';
import type { Event, EventBody } from '../../src/core/events.ts';
import { enterCalls } from '../../src/core/executor.ts';
import { DEFAULT_LIMITS, LIMITS } from '../../src/core/limits.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { initialState } from '../../src/core/state.ts';
import { createWorkspace } from '../../src/io/workspace.ts';
import { SessionFiles } from '../../src/storage/session-files.ts';
import { createUndoFiles } from '../../src/storage/undo-files.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';

const must = <T>(outcome: Outcome<T>): T => {
  if (outcome.ok) return outcome.value;
  throw new Error(outcome.error.message);
};
const FILE = 'file.txt';
const callOf = (number: number): string => `call_${number}`;

const openParts = async (folder: string) => {
  const root = join(folder, 'ws');
  await mkdir(root, { recursive: true });
  const workspace = must(await createWorkspace({ root }));
  const opened = must(await new SessionFiles({ folder: join(folder, 'sessions') }).open('s'));
  return { workspace, files: createUndoFiles({ folder: join(folder, 'undo') }), ...opened };
};

/** As much of a session as the recorder sees. */
const insideOf = (events: Event[], append: (event: Event) => Promise<Outcome<void>>): SessionHandle => ({
  id: 's',
  openedAt: 0,
  state: () => initialState(DEFAULT_LIMITS),
  log: () => events,
  path: () => events,
  async dispatch(body: EventBody) {
    const event: Event = { seq: (events.at(-1)?.seq ?? 0) + 1, at: 0, ...body };
    must(await append(event));
    events.push(event);
    return true;
  },
  holds: async () => true,
  progress: () => {},
  signal: () => new AbortController().signal,
});

export const openJournal = async (folder: string, textOf: (number: number) => string) => {
  const { workspace, files, log, events } = await openParts(folder);
  const session = insideOf(events, log.append);
  const recorder = createChangeRecorder(workspace, files);
  const numbers = events.flatMap((event) =>
    event.type === 'tool_started' ? [Number(event.tool_call_id.slice(5))] : [],
  );
  return {
    next: Math.max(0, ...numbers) + 1,
    close: log.close,
    async write(number: number): Promise<void> {
      const id = callOf(number);
      await session.dispatch({ type: 'tool_started', tool_call_id: id });
      must(await recorder.filesFor(session, id).workspace.writeFile(FILE, Buffer.from(textOf(number))));
    },
  };
};

/** The file holds what was acknowledged last, and for the call that was killed the verdict says what is so. */
export const checkJournal = async (folder: string, acknowledged: number, textOf: (number: number) => string) => {
  const { workspace, log, events } = await openParts(folder);
  await log.close();
  const read = await workspace.readFile(FILE, { maxBytes: LIMITS.readFileBytes });
  const content = read.ok ? Buffer.from(read.value.bytes).toString() : '';
  const last = Number(/^\d+/.exec(content)?.[0] ?? 0);
  const isWhole = content === (last === 0 ? '' : textOf(last));
  const started = events.flatMap((event) => (event.type === 'tool_started' ? [event.tool_call_id] : [])).at(-1);
  const notices: string[] = [];
  let wrong = 0;
  if (started !== undefined) {
    const call = { id: started, name: 'write_file', arguments: {}, source: 'native' as const, repairs: [] };
    const [entry] = enterCalls([call]);
    const registry = createToolRegistry(BUILT_IN_TOOLS);
    const verdict = await verdictOf(
      { workspace, registry, log: () => events },
      { ...entry, call, status: 'running', exclusive: true, accepted: true },
      HALTER_ENDED,
    );
    notices.push(verdict);
    const isApplied = started === callOf(last);
    const says = verdict.includes('not applied') ? false : verdict.includes(': applied');
    if (says !== isApplied) wrong = 1;
  }
  return { lost: Math.max(0, acknowledged - last), corrupt: (isWhole ? 0 : 1) + wrong, notices };
};
