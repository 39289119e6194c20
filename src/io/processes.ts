/**
 * The only port to other processes. Every child is the leader of a group of its own, reads nothing from the person's
 * terminal, sees none of the person's keys, and ends with its timeout, its cancellation or with halter itself.
 */

import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type {
  MayKeep,
  OpenedLayers,
  OpenProcess,
  OpenProcessRequest,
  ProcessEnd,
  Processes,
  ProcessRequest,
  ProcessResult,
  WithheldChange,
} from '../core/ports.ts';
import type { Confine, Confined } from '../sandbox/confine.ts';
import type { Finished } from '../sandbox/layering.ts';
import { childEnvironment, type Environment, secretNames } from './processes/environment.ts';
import { followProcess } from './processes/follow.ts';
import { createProcessGroups, MARK } from './processes/groups.ts';
import { openAtPipes, openAtTerminal } from './processes/open.ts';
import { resolveFolder, resolveProgram } from './processes/program.ts';
import { type Prepared, startProcess } from './processes/start.ts';
import { currentRequester } from './requester.ts';

export { desktopEnvironment } from './processes/environment.ts';
export {
  type Foreground,
  type ForegroundEnd,
  type ForegroundRequest,
  startInForeground,
} from './processes/foreground.ts';

export type ProcessesOptions = {
  /** The workspace: the folder that commands start in. */
  root: string;
  /** Halter's own environment; children get it without secrets. */
  environment?: Environment;
  /** Variables that hold keys of the person, whatever they are called. */
  secrets?: readonly string[];
  /** Where to leave what must run when halter ends in an orderly way; the end of this process by default. */
  registerExit?(cleanup: () => void): void;
  /** The sandbox, for requests that ask for it. */
  confine?(...request: Parameters<Confine>): Promise<Confined | undefined>;
};

/** `close` ends every child that still runs, daemons too, and the guard. The port can be used again afterwards. */
export type ClosableProcesses = Required<Processes> & { close(): void };

export const createProcesses = (options: ProcessesOptions): ClosableProcesses => {
  const groups = createProcessGroups(options.registerExit);
  const prepare = preparing(options, groups);
  const run = async (request: ProcessRequest): Promise<Outcome<ProcessResult>> => {
    if (request.signal.aborted) return succeed(NOTHING_RAN);
    const prepared = await prepare(request);
    return prepared.ok ? runThrough(prepared.value, request, groups) : prepared;
  };
  const open = async (request: OpenProcessRequest): Promise<Outcome<OpenProcess>> => {
    const prepared = await prepare(request);
    return prepared.ok ? openPrepared(prepared.value, request, groups) : prepared;
  };
  return { run, open, close: groups.close };
};

type Groups = ReturnType<typeof createProcessGroups>;
type ToPrepare = Pick<ProcessRequest, 'command' | 'cwd' | 'env' | 'confined'> & Pick<OpenProcessRequest, 'inherit'>;

/** What is started, where and as what: the same for a command that runs through and for one that is talked to. */
const preparing = (options: ProcessesOptions, groups: Groups): ((request: ToPrepare) => Promise<Outcome<Prepared>>) => {
  const environment = options.environment ?? process.env;
  // Many an agent starts no process.
  let hidden: ReadonlySet<string> | undefined;
  return async (request) => {
    const folder = resolveFolder(options.root, request.cwd ?? '.');
    if (!folder.ok) return folder;
    const program = resolveProgram(request.command[0] ?? '', environment, options.root, folder.value);
    if (!program.ok) return program;
    hidden ??= secretNames(environment, options.secrets);
    const mark = groups.nextMark();
    const inherited = request.inherit ? only(environment, request.inherit) : environment;
    const env = childEnvironment(inherited, { ...request.env, [MARK]: mark.slice(MARK.length + 1) }, hidden);
    const whole = [program.value, ...request.command.slice(1)];
    let confined: Confined | undefined;
    try {
      confined = request.confined ? await options.confine?.(whole, folder.value, currentRequester()) : undefined;
    } catch (error) {
      // Without its sandbox the command does not run.
      return failure('io_error', `The command was not run: ${(error as Error).message}`, 'sandbox_failed');
    }
    const command = confined?.command ?? whole;
    // The guard hears of the child before anything else can happen: halter may be killed in the next moment.
    const onStart = (group: number): void => groups.enter(group, mark);
    return succeed({ command, cwd: folder.value, env, mark, onStart, confined });
  };
};

const runThrough = async (
  prepared: Prepared,
  request: ProcessRequest,
  groups: Groups,
): Promise<Outcome<ProcessResult>> => {
  const { mark, confined } = prepared;
  let finished: Promise<Finished> | undefined;
  try {
    const opened = confined && (await noteOpened(confined, request));
    const started = await startProcess(prepared, request.stdin === undefined ? 'ignore' : 'pipe');
    if (!started.ok) return started;
    started.value.stdin?.end(request.stdin);
    const result = await followProcess(started.value, request, mark);
    groups.leaveEmpty();
    // Of a command that somebody stopped nobody asks anything.
    finished = confined?.finish({
      ...request,
      opened,
      mayKeep: result.cancelled ? undefined : request.mayKeep,
      isStopped: result.cancelled || result.timedOut || result.signal !== null,
    });
    const hidden = confined?.hiddenIn?.(result.output) ?? [];
    const unseen = confined?.unseenIn?.(result.output) ?? [];
    const sandbox = confined && {
      ...reachOf(confined),
      ...(hidden.length === 0 ? {} : { hidden }),
      ...(unseen.length === 0 ? {} : { unseen }),
      ...(await finished),
    };
    return succeed({ ...result, sandbox });
  } finally {
    if (finished === undefined) await confined?.finish();
  }
};

const openPrepared = async (
  prepared: Prepared,
  request: OpenProcessRequest,
  groups: Groups,
): Promise<Outcome<OpenProcess>> => {
  const { confined } = prepared;
  const atTerminal = request.terminal ? await openAtTerminal(prepared, request) : undefined;
  const opened = atTerminal ?? (await openAtPipes(prepared, request));
  if (!opened.ok) {
    await confined?.finish();
    return opened;
  }
  const { pid, stop } = opened.value;
  const tell = (what: string): void => request.onOutput(`\n[${what}]\n`, 'stdout');
  confined?.follow(pid, (withheld) => tell(toldOf(withheld)), request.mayWrite);
  const review = async (mayKeep: MayKeep): Promise<void> => {
    const { kept, withheld } = (await confined?.review(mayKeep)) ?? { kept: [], withheld: [] };
    for (const path of kept) tell(`Kept after all: ${path}, since a person said so`);
    for (const { path, reason } of withheld) tell(`Not kept: ${path}, since ${reason}`);
  };
  // What it wrote is in the folder when its end is told.
  const ended = opened.value.ended.then(async (end) => {
    groups.leaveEmpty();
    await confined?.finish();
    return end;
  });
  const stopAndFinish = async (): Promise<ProcessEnd> => {
    const end = await stop();
    await confined?.finish();
    return end;
  };
  const own_loopback = confined !== undefined && (!confined.network || confined.serve !== undefined);
  return succeed({ ...opened.value, own_loopback, ended, stop: stopAndFinish, ...(confined ? { review } : {}) });
};

/** Before the command begins: whether its changes count is known then, whenever halter is killed. */
const noteOpened = async (
  { layers, beside, network }: Confined,
  { noteLayer }: ProcessRequest,
): Promise<OpenedLayers | undefined> => {
  if (layers.length === 0) return undefined;
  const opened: OpenedLayers = {
    state: 'opened',
    layers: [...layers],
    ...(beside.length === 0 ? {} : { beside: [...beside] }),
    ...(network ? { network } : {}),
  };
  await noteLayer?.(opened);
  return opened;
};

const reachOf = ({
  network,
  repository,
  enclosing,
  unwritable = [],
  denied = [],
}: Confined): Pick<
  NonNullable<ProcessResult['sandbox']>,
  'network' | 'repository' | 'enclosing' | 'unwritable' | 'denied'
> => ({
  network,
  ...(repository === undefined ? {} : { repository }),
  ...(enclosing === undefined ? {} : { enclosing }),
  ...(unwritable.length === 0 ? {} : { unwritable }),
  ...(denied.length === 0 ? {} : { denied }),
});

/** As it stands in the output of a command in the background. */
const toldOf = ({ cause, path, reason, kept_at }: WithheldChange): string => {
  const kept = kept_at === undefined ? '' : `; the command's version is kept at ${kept_at}`;
  return `${cause === 'runs_later' ? 'Taken back' : 'Not put in place'}: ${path}, since ${reason}${kept}`;
};

const only = (environment: Environment, names: readonly string[]): Environment =>
  Object.fromEntries(names.map((name) => [name, environment[name]]));

const NOTHING_RAN: ProcessResult = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  output: '',
  timedOut: false,
  cancelled: true,
};
