/** `halter run`: one answer for a person or a program, without the terminal app. */

import type { Agent, OpenSessionOptions } from '../../agent/create-agent.ts';
import { type Waiting, whenLoaded } from '../../agent/models/when-loaded.ts';
import { isStarter, starterNote } from '../../agent/permissions/starter.ts';
import { answerOnce, UNPUT } from '../../core/answer-once.ts';
import { foundByTools } from '../../core/closing.ts';
import type { SessionFace, SessionUpdate } from '../../core/events.ts';
import type { JsonSchema } from '../../core/json.ts';
import type { ModelError } from '../../core/model-port.ts';
import { MODEL_NOT_HERE } from '../../core/model-roles.ts';
import { succeed } from '../../core/outcome.ts';
import { loosenedText, type Mode } from '../../core/policy/modes.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { ownSchemaProblem, schemaNotes } from '../../core/schema-problems.ts';
import { endedJobText } from '../../core/session-jobs.ts';
import { activePath } from '../../core/session-tree.ts';
import { summaryItemsOf } from '../../core/summarize.ts';
import { typedWords } from '../../core/typed-command.ts';
import { jsonAnswer } from '../../gateway/json-answer.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { EXIT, type ExitCode, type ExitReason } from '../exit-codes.ts';
import { type Io, UsageError } from '../io.ts';
import { personAtTerminal } from '../mcp-person.ts';
import { openHalter } from '../open-halter.ts';
import { progressLine } from '../progress-line.ts';
import { createEnding, type Ending } from '../run/ending.ts';
import { keepUnsent } from '../run/keep-unsent.ts';
import { endOfMakingRoom, makeRoom } from '../run/make-room.ts';
import { readPrompt } from '../run/prompt-input.ts';
import { createReporter, type Reporter } from '../run/reporter.ts';
import { createRunRecorder, type RunProblem, type RunRecorder } from '../run/run-recorder.ts';
import { createRunView } from '../run/run-view.ts';
import { checkSessionFlags, sessionChoice } from '../session-choice.ts';
import { checkOutputFile, parseNamedJson, readNamedJson } from '../text-file.ts';
import { withUnkept } from '../unkept-session.ts';

export const runCommand: CommandCode = {
  async execute(invocation) {
    const { flags, io } = invocation;
    const schema = await checkFlags(invocation);
    const isCompactionAlone = flags.compact !== undefined && invocation.words.length === 0;
    const prompt = isCompactionAlone ? succeed(undefined) : await readPrompt(invocation.words, io);
    const typed = prompt.ok ? typedWords(prompt.value ?? '') : undefined;
    if (typed?.name === 'compact') {
      throw new UsageError(`/compact is ${AS_FLAG} here.`, 'run');
    }
    if (!prompt.ok) {
      if (prompt.error.error_type !== 'io_error') throw new UsageError(prompt.error.message, 'run');
      io.stderr.write(`halter: ${prompt.error.message}\n`);
      return EXIT.error;
    }
    const ending = createEnding(io, flags['max-time']);
    try {
      const reporter = createReporter(flags, io, () => ending.reason() === 'interrupted');
      return await reporter.aliveUntil(converse(invocation, reporter, prompt.value, schema, ending));
    } finally {
      ending.release();
    }
  },
};

const AS_FLAG = '`halter run -c --compact`, or `--compact="what matters"` with what is to be kept,';

/** Everything that can be wrong is found before the model starts to work. */
const checkFlags = async ({ flags, io }: Invocation): Promise<JsonSchema | undefined> => {
  if (flags.output !== undefined) await checkOutputFile(flags.output, io);
  if ((flags['max-time'] ?? 1) <= 0) throw new UsageError('--max-time is more than 0.', 'run');
  checkSessionFlags(flags, 'run');
  if (flags.compact && !flags.continue && flags.session === undefined) {
    throw new UsageError('--compact needs the session that it is about: -c, or --session ID.', 'run');
  }
  return flags['json-schema'] === undefined ? undefined : readSchema(flags['json-schema'], io);
};

/** A file, or the schema itself: no file is called `{`. */
const readSchema = async (given: string, io: Io): Promise<JsonSchema> => {
  const isText = given.trimStart().startsWith('{');
  const schema = isText ? parseNamedJson(given, '--json-schema') : await readNamedJson(given, '--json-schema', io.cwd);
  const problem = ownSchemaProblem(schema);
  if (problem === undefined) return schema as JsonSchema;
  const named = isText ? '' : ` ${quotedName(given)}`;
  throw new UsageError(`--json-schema${named} cannot be used: ${problem}`, 'run');
};

const converse = async (
  invocation: Invocation,
  reporter: Reporter,
  prompt: string | undefined,
  schema: JsonSchema | undefined,
  ending: Ending,
): Promise<ExitCode> => {
  const { flags, io } = invocation;
  const loading = progressLine(io.stderr);
  const interactive = (flags.format ?? 'text') === 'text' && flags['on-ask'] === undefined;
  const asks = interactive && io.stdin.isTTY === true && io.stderr.isTTY;
  const warn = (code: string, message: string): void => {
    loading.clear();
    if (flags['log-level'] !== 'error') io.stderr.write(`halter: ${message}\n`);
    reporter.line({ type: 'warning', at: Date.now(), code, message });
  };
  const onLoading = (message: string, fraction?: number): void => {
    loading.show(message, fraction);
    reporter.line({ type: 'loading', at: Date.now(), message, fraction: fraction ?? null });
  };
  const opened = await openHalter({
    // What a session began with stays on offer in it.
    fixedMode: !flags.continue && flags.session === undefined,
    flags,
    io,
    signal: ending.signal,
    ...(asks ? { mcp: personAtTerminal(io) } : {}),
    onAsk: asks ? 'wait' : (flags['on-ask'] ?? 'fail'),
    onLoading,
    onWarning: warn,
    responseSchema: schema,
  });
  if (!opened.ok) {
    const { error_type: name, message } = opened.error;
    return endWithout(reporter, 'error', { code: null, name, message });
  }
  const halter = opened.value;
  try {
    const session = await openSession(halter, invocation, { signal: ending.signal, onLoading }, prompt);
    loading.clear();
    if (session.ok) tellLoosened(session.value, halter.rules().mode, warn);
    if (session.ok)
      return await follow({ invocation, halter, session: session.value, reporter, ending, asks, schema }, prompt);
    if (session.unusable && prompt !== undefined)
      await keepUnsent(halter, invocation, prompt, { ...session, reporter });
    const reason = ending.reason() ?? (session.unusable ? 'model_unusable' : 'error');
    const { code: name, message, hint } = session.error;
    const problem = { code: null, name, message, ...(hint ? { hint } : {}) };
    return await endWithout(reporter, reason, reason === 'limit' ? timeIsUp(flags['max-time'] ?? 0) : problem);
  } finally {
    await halter.close();
  }
};

const tellLoosened = (
  { loosenedFrom }: SessionFace,
  mode: Mode,
  warn: (code: string, message: string) => void,
): void => {
  if (loosenedFrom !== undefined)
    warn('mode_loosened', `${loosenedText(loosenedFrom, mode)} --mode ${loosenedFrom} goes back.`);
};

/** A run that never came as far as a session still ends in the form that was asked for. */
const endWithout = (reporter: Reporter, reason: ExitReason, problem: RunProblem): Promise<ExitCode> => {
  const recorder = createRunRecorder('');
  recorder.endAs(reason, problem);
  reporter.line({ type: 'error', at: Date.now(), ...problem });
  return reporter.finish(recorder, { shown: false });
};

type OpenedSession =
  | { ok: true; value: SessionFace }
  | { ok: false; error: { code: string; message: string; hint?: string }; unusable: false }
  | { ok: false; error: ModelError; unusable: true; choice: OpenSessionOptions };

const openSession = async (
  halter: Agent,
  { flags, io }: Invocation,
  waiting: Waiting,
  prompt: string | undefined,
): Promise<OpenedSession> => {
  // Room alone is made where something stands; a message may begin a session.
  const choice = await sessionChoice(halter, flags, io, prompt === undefined);
  if (!choice.ok) {
    return { ok: false, error: { code: choice.error.error_type, message: choice.error.message }, unusable: false };
  }
  const model = await whenLoaded(() => halter.model(), waiting);
  if (!model.ok) return { ok: false, error: model.error, unusable: true, choice: choice.value };
  const session = await halter.openSession(choice.value);
  return session.ok ? session : { ok: false, error: withUnkept(session.error, flags), unusable: false };
};

type Run = {
  invocation: Invocation;
  halter: Agent;
  session: SessionFace;
  reporter: Reporter;
  ending: Ending;
  /** A person is there to answer. */
  asks: boolean;
  schema: JsonSchema | undefined;
};

const follow = async (run: Run, prompt: string | undefined): Promise<ExitCode> => {
  const { halter, session, reporter, ending } = run;
  const { flags, io } = run.invocation;
  const recorder = createRunRecorder(session.id);
  const tools = halter.tools.map(({ name }) => name);
  reporter.line({ type: 'session', at: Date.now(), session_id: session.id, workspace: halter.root, tools });
  for (const said of endedSinceLastMessage(session)) warn(run, 'job_ended', said);
  if (flags.compact) {
    const room = { session, flags, io, reporter, recorder, ending, timeIsUp: () => timeIsUp(flags['max-time'] ?? 0) };
    const made = await makeRoom(room);
    // A message behind it is not sent any more, so that none stands there unanswered.
    if (prompt === undefined || made.isStopped) return endOfMakingRoom(room, made);
  }
  return converseAbout(run, recorder, prompt ?? '');
};

/** Of its commands in the background, those that were ended with halter since the person last said something. */
const endedSinceLastMessage = (session: SessionFace): string[] => {
  const log = session.log();
  const last = log.findLastIndex(({ type }) => type === 'user_message_added');
  return log.slice(last + 1).flatMap((event) => (event.type === 'job_changed' ? (endedJobText(event) ?? []) : []));
};

const converseAbout = async (run: Run, recorder: RunRecorder, prompt: string): Promise<ExitCode> => {
  const { halter, session, reporter, ending } = run;
  const { flags, io } = run.invocation;
  const mainArgument = (name: string) => halter.tools.find((tool) => tool.name === name)?.main_argument;
  const isText = (flags.format ?? 'text') === 'text';
  const { quiet, 'log-level': logLevel = 'warn' } = flags;
  const view = isText ? createRunView(io, { logLevel, quiet, mainArgument }) : undefined;

  let isStarterTold = flags.model !== undefined;
  const unsubscribe = session.subscribe((update) => {
    if (update.type === 'model_started' && isStarter(update.model) && !isStarterTold) {
      isStarterTold = true;
      tellStarter(run);
    }
    const lines = recorder.add(update, update.seq === undefined ? Date.now() : update.at);
    // It was told when the session was opened.
    if (update.type === 'warning' && update.code === MODEL_NOT_HERE) return;
    view?.add(update);
    // That the time is over was told when it was.
    if (ending.reason() !== 'limit' || update.type !== 'run_stopped') for (const line of lines) reporter.line(line);
    if (run.asks && update.type === 'permission_requested') void answer(run, recorder, update, mainArgument);
  });
  const end = (): void => {
    const problem = ending.reason() === 'limit' ? timeIsUp(flags['max-time'] ?? 0) : undefined;
    recorder.endAs(ending.reason() ?? 'interrupted', problem);
    if (problem) reporter.line({ type: 'limit', at: Date.now(), ...problem });
    if (ending.isByPerson()) void session.send({ type: 'cancel' });
    else void session.close(ending.reason() === 'limit' ? 'limit' : undefined);
  };
  ending.signal.addEventListener('abort', end, { once: true });
  const { content, problems, command } = await halter.userInput.expand(prompt);
  const unknown = command === undefined ? typedWords(prompt) : undefined;
  if (unknown) warn(run, 'unknown_command', `There is no command /${unknown.name}; it was sent as a message.`);
  for (const problem of problems) warn(run, 'mention', problem);
  for (const note of run.schema ? schemaNotes(run.schema) : []) warn(run, 'schema_word', `--json-schema: ${note}`);
  const sent = await session.send({ type: 'send_message', content, unattended: true });
  if (!sent.ok) recorder.endAs('error', { code: null, name: 'message_refused', message: sent.message });
  if (ending.signal.aborted) end();
  await Promise.race([session.idle(), ending.graceOver()]);
  if (run.schema) await askForFitting(run, recorder, run.schema);
  unsubscribe();
  if (ending.reason() === 'limit' && recorder.report().answer === '') recorder.replaceAnswer(foundUntilNow(run));
  if (run.schema) holdToSchema(run, recorder, run.schema);
  const shown = view?.end() ?? false;
  await Promise.race([session.close(), ending.graceOver()]);
  return reporter.finish(recorder, { shown, preset: halter.preset, told: view?.told });
};

const warn = ({ reporter, invocation: { flags, io } }: Run, code: string, message: string): void => {
  if (flags['log-level'] !== 'error') io.stderr.write(`halter: ${message}\n`);
  reporter.line({ type: 'warning', at: Date.now(), code, message });
};

/** Nobody chose it, so whoever reads the answer is told what it is from. */
const tellStarter = ({ reporter, invocation: { flags, io } }: Run): void => {
  const { format = 'text', quiet, 'log-level': logLevel } = flags;
  const message = starterNote();
  if (format === 'text' && quiet !== true && logLevel !== 'error') io.stderr.write(`halter: ${message}\n`);
  reporter.line({ type: 'warning', at: Date.now(), code: 'starter', message });
};

const timeIsUp = (seconds: number): RunProblem => ({
  code: null,
  name: 'max_time',
  message: `Stopped after ${seconds} s, the limit of --max-time.`,
});

const foundUntilNow = ({ halter: { tools, limits }, session }: Run): string =>
  foundByTools(activePath(session.log()), {
    summaryCharacters: limits.summaryCharacters,
    summaryItems: (name, result, args) =>
      summaryItemsOf(
        tools.find((tool) => tool.name === name),
        result,
        args,
      ),
  });

/** An answer that does not fit is asked for once more, with the validator's words; one that was cut would be cut again. */
const askForFitting = async (run: Run, recorder: RunRecorder, schema: JsonSchema): Promise<void> => {
  const { answer: said, exit_reason: reason } = recorder.report();
  const checked = jsonAnswer(said, schema, recorder.isCut());
  if (checked.ok || reason !== 'answered' || recorder.isCut() || run.ending.signal.aborted) return;
  warn(run, 'answer_does_not_fit', `${checked.error.message} It is asked for once more.`);
  const content = `${checked.error.message} Answer again with JSON alone that fits this schema: ${JSON.stringify(schema)}`;
  const sent = await run.session.send({ type: 'send_message', content, unattended: true });
  if (sent.ok) await Promise.race([run.session.idle(), run.ending.graceOver()]);
  const hasAnswered = recorder.report().exit_reason === 'answered';
  // Where no second answer came, the first one is still what is wrong.
  if (!hasAnswered && !run.ending.signal.aborted)
    recorder.rejectAnswer({ code: null, name: checked.error.error_type, message: checked.error.message });
};

const holdToSchema = ({ reporter }: Run, recorder: RunRecorder, schema: JsonSchema): void => {
  const { answer, exit_reason: reason } = recorder.report();
  const checked = jsonAnswer(answer, schema, recorder.isCut());
  if (reason === 'limit' || reason === 'loop') {
    // The limit is the failure that is told; a last answer is given where it is one.
    recorder.replaceAnswer(checked.ok ? checked.value : '');
    return;
  }
  if (reason !== 'answered') return;
  if (checked.ok) {
    recorder.replaceAnswer(checked.value);
    return;
  }
  const problem = { code: null, name: checked.error.error_type, message: checked.error.message };
  reporter.line({ type: 'error', at: Date.now(), ...problem });
  recorder.rejectAnswer(problem);
};

const answer = async (
  run: Run,
  recorder: RunRecorder,
  asked: Extract<SessionUpdate, { type: 'permission_requested' }>,
  mainArgument: (tool: string) => string | undefined,
): Promise<void> => {
  const { askPerson } = await import('../ask-person.ts');
  const request = recorder.permissionRequest();
  if (request === undefined) return answerOnce(run.session, asked.tool_call_id, UNPUT);
  const { name, arguments: args } = request;
  const {
    asks_each_time: asksEachTime,
    only_reads: onlyReads,
    because,
    provenance,
    risk,
    rule,
    preview,
    tool_call_id,
  } = asked;
  const words = { because, provenance, asksEachTime, onlyReads, mainArgument: mainArgument(name) };
  const question = { id: tool_call_id, name, arguments: args, risk, rule, preview, ...words };
  const reply = await askPerson(question, run.halter.confinement, run.invocation.io, run.ending.signal);
  if (!run.ending.signal.aborted) await answerOnce(run.session, tool_call_id, reply);
};
