/** L1: runs a shell command in the workspace; output streams while it runs. */
import { constants } from 'node:os';
import { changedByThen } from '../core/command-layer.ts';
import type { JsonObject } from '../core/json.ts';
import type { Outcome } from '../core/outcome.ts';
import type { ProcessResult } from '../core/ports.ts';
import { noOutput } from '../core/tool/no-output.ts';
import type { Reader, ToolContext } from '../core/tool.ts';
import { fail, ok, type ToolOutput, type ToolOutputMetadata } from '../core/tool-result.ts';
import { TOOL_LIMITS } from './limits.ts';
import { byteLength, cutMiddle, isBinary, readableOutput } from './output-text.ts';
import { keptNote, leftBehindNote, sandboxNote, silentNetworkNote, unseenNote, withheldNote } from './sandbox-note.ts';
import { builtIn } from './support/built-in.ts';
import { jobsOf } from './support/job-text.ts';
import { refuse } from './support/refuse.ts';
import { sayOffered } from './support/say-offered.ts';

/** `--` ends the shell's own options: a command may begin with a dash. */
const SHELLS: readonly (readonly string[])[] = [
  ['/bin/bash', '-c', '--'],
  ['bash', '-c', '--'],
  ['/bin/sh', '-c', '--'],
];
const NO_BASH_NOTE = '[bash is not installed here; this ran in sh]\n';

const runShell = async (
  command: string,
  timeoutMs: number,
  context: ToolContext,
): Promise<{ outcome: Outcome<ProcessResult>; note: string }> => {
  for (const shell of SHELLS) {
    const outcome = await context.processes.run({
      command: [...shell, command],
      confined: true,
      timeoutMs,
      signal: context.signal,
      maxOutputBytes: outputBytes(context),
      maxLiveBytes: TOOL_LIMITS.bashLiveBytes,
      onOutput: (text) => context.report(text),
      mayKeep: context.mayKeep,
      noteChanges: context.noteChanges,
      noteLayer: context.noteLayer,
    });
    const missing = !outcome.ok && outcome.error.reason === 'program_not_found';
    if (!missing || shell === SHELLS.at(-1)) return { outcome, note: shell[0] === '/bin/sh' ? NO_BASH_NOTE : '' };
  }
  throw new Error('there is always a last shell');
};

const outputBytes = (context: ToolContext): number => context.keptResultBytes ?? TOOL_LIMITS.bashOutputBytes;

const isSilent = ({ output }: ProcessResult): boolean => readableOutput(output).trim() === '';

const present = (result: ProcessResult, note: string, maxBytes: number): string => {
  const text = readableOutput(result.output);
  const ending = result.exitCode === null ? 'ended' : `exit ${result.exitCode}`;
  if (isSilent(result)) return note + noOutput(ending);
  const mark = isBinary(result.output) ? '[binary output; bytes that are no text are shown by their numbers]\n' : '';
  return cutMiddle(note + mark + text, maxBytes);
};

type Shown = { command: string; timeoutMs: number; note: string; maxBytes: number; reader?: Reader | undefined };

const judge = (
  result: ProcessResult,
  { command, timeoutMs, note, maxBytes, reader }: Shown,
  report: ToolContext['report'],
): ToolOutput => {
  const withheld = withheldNote(result, reader);
  // The error says it, where there is one that does.
  const isSaid = !isEnded(result) && (result.exitCode !== 0 || withheld.failure !== undefined);
  const notes =
    note +
    keptNote(result, reader) +
    (isSaid || withheld.text === '' ? '' : `[${withheld.text}]\n`) +
    silentNetworkNote(result, command, reader) +
    unseenNote(result, reader) +
    leftBehindNote(result, command, reader);
  // Who typed it has seen the output, and this is below it.
  if (reader === 'person' && notes !== '') report(/(?:^|\n)$/.test(result.output) ? notes : `\n${notes}`);
  const data = present(result, notes, maxBytes);
  const metadata: ToolOutputMetadata & { data: string } = {
    data,
    ...(result.truncated === undefined ? {} : { truncated: result.truncated }),
    ...(result.exitCode === null ? {} : { exit_code: result.exitCode }),
    ...(isSilent(result) ? { no_output: true } : {}),
  };
  if (result.timedOut) {
    const message = `The command ran longer than ${timeoutMs / 1000} s and was ended${byThen(result)}${reader === 'person' ? '' : `; timeout_ms allows up to ${TOOL_LIMITS.bashTimeoutMsMax}`}`;
    return fail('io_error', message, { ...metadata, reason: 'timeout' });
  }
  if (result.cancelled)
    return fail('io_error', `The command was cancelled${byThen(result)}`, { ...metadata, reason: 'cancelled' });
  if (result.sandbox?.dropped) {
    const { changed } = result.sandbox;
    const what = changed === undefined ? 'What' : 'A part of what';
    const message = `${what} the command changed in files was not put in place${byThen(result)}: the conversation cannot be saved, or another halter goes on with it`;
    return fail('io_error', message, { ...metadata, reason: 'not_saved' });
  }
  if (result.signal !== null) {
    return fail('io_error', `The command was ended by the signal ${result.signal}${byThen(result)}`, {
      ...metadata,
      reason: 'signal',
    });
  }
  if (result.exitCode !== 0) {
    const message = `The command failed with exit code ${result.exitCode}${endedBy(result.exitCode)}${sandboxNote(result, command, reader)}${withheld.text && `. ${withheld.text}`}`;
    return fail('io_error', message, { ...metadata, reason: 'exit_code' });
  }
  if (withheld.failure !== undefined) {
    return fail(withheld.failure.type, withheld.text, { ...metadata, reason: withheld.failure.reason });
  }
  const { data: _, no_output: __, ...rest } = metadata;
  return ok(data, rest);
};

/** By somebody, before its own end. */
const isEnded = ({ timedOut, cancelled, signal }: ProcessResult): boolean => timedOut || cancelled || signal !== null;

/** What a command that was ended leaves half done. */
const byThen = ({ sandbox }: ProcessResult): string =>
  sandbox?.changed === undefined ? '' : ` (${readableOutput(changedByThen(sandbox.changed))})`;

const startJob = async (command: string, context: ToolContext): Promise<ToolOutput> => {
  const jobs = jobsOf(context);
  if (!jobs.ok) return refuse(jobs.error);
  const started = await jobs.value.start(command);
  if (!started.ok) return refuse(started.error);
  const { id, own_loopback } = started.value;
  const ports =
    own_loopback === true
      ? ' In its sandbox without network no other command, no browser and no person reaches a port that it opens: the person can allow it with --allow-network. To try a server, start it and ask it in one command.'
      : '';
  const how = sayOffered(context, [' read_job shows what it prints.', 'read_job'], [' stop_job ends it.', 'stop_job']);
  const unread = how.includes('read_job') ? '' : ' Nothing shows what it prints: have it write to a file.';
  return ok(`Started ${id}.${how}${unread}${ports}`);
};

/** A shell says with 128 + N that the program it ran was ended by signal N, and the sandbox says so of the shell. */
const endedBy = (exitCode: number | null): string => {
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode);
  return signal === undefined ? '' : ` (ended by the signal ${signal[0]})`;
};

const run = async (args: JsonObject, context: ToolContext): Promise<ToolOutput> => {
  const command = String(args['command']);
  const timeoutMs = typeof args['timeout_ms'] === 'number' ? args['timeout_ms'] : TOOL_LIMITS.bashTimeoutMs;
  if (command.trim() === '') return fail('validation_failed', 'The command is empty');
  if (byteLength(command) > TOOL_LIMITS.bashCommandBytes) {
    return fail(
      'validation_failed',
      `The command is longer than ${TOOL_LIMITS.bashCommandBytes} bytes; write a script instead`,
    );
  }
  if (args['background'] === true) return startJob(command, context);
  const { outcome, note } = await runShell(command, timeoutMs, context);
  if (!outcome.ok) return refuse(outcome.error);
  const shown = { command, timeoutMs, note, maxBytes: outputBytes(context), reader: context.reader };
  return judge(outcome.value, shown, context.report);
};

/** The line as the shell takes it: a newline behind a backslash is none, but for one between single quotes. */
export const joinedLine = (command: string): string => {
  let joined = '';
  let isQuoted = false;
  for (let at = 0; at < command.length; at += 1) {
    const character = command[at] as string;
    if (character === "'") isQuoted = !isQuoted;
    if (isQuoted || character !== '\\') joined += character;
    else {
      at += 1;
      if (command[at] !== '\n') joined += `\\${command[at] ?? ''}`;
    }
  }
  return joined;
};

export const bashTool = builtIn({
  name: 'bash',
  description:
    'Run a shell command with bash in the workspace folder and return its output and exit code. There is no terminal and no input: use options that do not ask. Start servers in the background.',
  risk: 'high',
  effects: 'process',
  in_sandbox: true,
  sinks: ['command'],
  // The command has its own limit, so the runner sets none.
  timeout_ms: 0,
  main_argument: 'command',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The command line to run' },
      timeout_ms: {
        type: 'integer',
        description: 'Milliseconds after which the command is ended',
        minimum: 1,
        maximum: TOOL_LIMITS.bashTimeoutMsMax,
        default: TOOL_LIMITS.bashTimeoutMs,
      },
      background: { type: 'boolean', default: false },
    },
    required: ['command'],
  },
  run,
  /** What runs, where the text in the call looks like something else. */
  async preview({ command }) {
    const joined = joinedLine(String(command));
    return joined === command ? undefined : { summary: `run ${joined}` };
  },
});
