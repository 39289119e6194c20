/** `halter [folder]`: the terminal app. */

import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Agent, ChosenModel, OpenSessionOptions } from '../../agent/create-agent.ts';
import { isStarter, starterNote } from '../../agent/permissions/starter.ts';
import type { SessionFace } from '../../core/events.ts';
import { exportSession, leftOutText } from '../../core/export-session.ts';
import type { ModelError } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { isMode, type Mode } from '../../core/policy/modes.ts';
import { followMode } from '../../core/policy/overrides.ts';
import { ofFolder } from '../../core/session-folder.ts';
import { parseModelName } from '../../providers/index.ts';
import { type Config, createConfigFile } from '../../storage/config-file.ts';
import { isGenerated } from '../../storage/find-session.ts';
import { type ModelFacts, SessionInUse } from '../../terminal/app-options.ts';
import { TERMINAL_LIMITS } from '../../terminal/limits.ts';
import { runTerminal, type TerminalOptions, terminalProblem } from '../../terminal/run-terminal.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import { readStatusLine } from '../../terminal/status-line.ts';
import { timeText } from '../../terminal/text.ts';
import { isThemeName } from '../../terminal/theme.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { editOutside } from '../edit-outside.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { followGitBranch } from '../git-branch.ts';
import { pictureAt, pictureOnClipboard } from '../handed-picture.ts';
import { openInputHistory } from '../input-history.ts';
import { type Io, UsageError } from '../io.ts';
import { openKeybindings } from '../keybindings.ts';
import { CLI_LIMITS } from '../limits.ts';
import { personAtTerminal } from '../mcp-person.ts';
import { namesModel, namesServer, openHalter } from '../open-halter.ts';
import { openInBrowser } from '../open-in-browser.ts';
import { progressLine, sayingWhatTakesLong } from '../progress-line.ts';
import { resumeText } from '../resume-text.ts';
import { ruleControl } from '../rule-control.ts';
import { createEnding } from '../run/ending.ts';
import { serverChoice } from '../server-choice.ts';
import { serverControl } from '../server-control.ts';
import { checkSessionFlags, sessionChoice } from '../session-choice.ts';
import { opensWithout, sessionsOfApp, shownModel } from '../sessions-of-app.ts';
import { reportFailure, reportModelError } from '../settings.ts';
import { keepTypedAhead } from '../typed-ahead.ts';
import { withUnkept } from '../unkept-session.ts';
import { openUnsent } from '../unsent-file.ts';
import { readVersion } from '../version.ts';
import { formatOf } from './sessions-copy.ts';

export const terminalCommand: CommandCode = {
  async execute({ words, flags, io }) {
    const [folder] = words;
    if (folder !== undefined && flags.directory !== undefined) {
      throw new UsageError('The folder is named twice: as a word and with -C.');
    }
    checkSessionFlags(flags);
    // Said before a model is fetched or loaded for nothing.
    const streams = { input: process.stdin, output: process.stdout };
    const onlyPlain = flags['screen-reader'] === undefined && io.env['TERM'] === 'dumb';
    const problem = terminalProblem(streams, io.env, onlyPlain || flags['screen-reader']);
    if (problem !== undefined) throw new UsageError(problem);
    const place = folder === undefined ? flags : { ...flags, directory: resolve(io.cwd, folder) };
    const ending = createEnding(io, undefined);
    const start = beforeTheApp(io);
    const warnings = createWarnings();
    if (onlyPlain) warnings.add(ONLY_PLAIN_LINES);
    /** Ends what is still asked of a model server when the person leaves. */
    const left = new AbortController();
    const opened = await openHalter({
      flags: place,
      io,
      onAsk: 'wait',
      warmUp: true,
      signal: AbortSignal.any([ending.signal, left.signal]),
      mcp: { consent: personAtTerminal(io).consent, askInSessions: true },
      onLoading: start.show,
      onWarning: (_code, message) => warnings.add(message),
    });
    if (!opened.ok) {
      start.end();
      return reportFailure(opened.error, io);
    }
    const halter = opened.value;
    try {
      const choice = await sessionChoice(halter, flags, io);
      if (!choice.ok) return reportFailure(choice.error, io);
      start.waitFor(await waitedFor(halter, flags));
      const model = await halter.model();
      start.end();
      const opens = model.ok || opensWithout(model.error, flags);
      // A server of the folder may have to be asked about, which is done before the app takes the screen.
      if (opens) await halter.mcp.open();
      if (model.ok && isStarter(model.value.model)) warnings.add(starterNote());
      // From here on the app has the signals and the screen.
      ending.release();
      if (!opens) {
        warnings.show((message) => io.stderr.write(`halter: ${message}\n`));
        return ending.reason() === 'interrupted' ? EXIT.interrupted : reportModelError(model.error, io);
      }
      return await show(halter, { model, choice: choice.value, warnings }, { words, flags: place, io });
    } finally {
      start.end();
      left.abort();
      await halter.close();
    }
  },
};

/** A name that the person gave with `--session` is what they look for, also where the first words stand for the rest. */
const listedTitle = ({ id, title }: { id: string; title: string }): string => {
  const said = title || '(nothing was said)';
  return isGenerated(id) || title === id ? said : `${id}: ${said}`;
};

const ONLY_PLAIN_LINES =
  'This terminal (TERM=dumb) cannot move its cursor, so halter writes plain lines, as with --screen-reader.';

type Warnings = { add(message: string): void; show(how: (message: string) => void): void };

/** They are kept until there is a place to show them: the app's own screen, or the plain terminal where it never opens. */
const createWarnings = (): Warnings => {
  const early: string[] = [];
  let tell = (message: string): void => void early.push(message);
  return {
    add: (message) => tell(message),
    show(how) {
      tell = how;
      for (const message of early.splice(0)) how(message);
    },
  };
};

/** What stands on the terminal until the app has it. */
const beforeTheApp = (io: Io) => {
  const loading = progressLine(io.stderr);
  const waiting = sayingWhatTakesLong(loading, CLI_LIMITS.silentStartMs);
  waiting.for('Starting');
  const typed = keepTypedAhead(process.stdin, () => process.kill(process.pid, 'SIGINT'));
  let isOver = false;
  return {
    waitFor: waiting.for,
    show(message: string, fraction?: number): void {
      waiting.end();
      if (!isOver) loading.show(message, fraction);
    },
    end(): void {
      isOver = true;
      waiting.end();
      loading.clear();
      typed.release();
    },
  };
};

/** A server that takes its time is not to look like a program that does nothing; where none was named, one is looked for. */
const waitedFor = async (halter: Agent, flags: Invocation['flags']): Promise<string> => {
  const { model = '', provider, baseUrl } = serverChoice(flags, await configOf(halter));
  const named = provider ?? parseModelName(model).provider ?? baseUrl;
  if (named === undefined) return 'Looking for a model server on this machine';
  return named === 'embedded' ? 'Opening the model' : 'Waiting for the model server';
};

type Beginning = { model: Outcome<ChosenModel, ModelError>; choice: OpenSessionOptions; warnings: Warnings };

/** A mistyped name begins no session. */
const mustBeThere = async ({ sessions }: Agent, id: string): Promise<void> => {
  const ids = await sessions.ids();
  if (!ids.ok) throw new Error(ids.error.message);
  if (!ids.value.includes(id)) throw new Error(`There is no session "${id}"; /sessions lists those of this folder.`);
};

const show = async (halter: Agent, begin: Beginning, { flags, io }: Invocation): Promise<ExitCode> => {
  const keep: OpenSessionOptions = flags['no-session'] ? { keep: false } : {};
  const sessions = sessionsOfApp(halter, flags, { warn: begin.warnings.add });
  /** When the session that is shown was opened. */
  let openedAt = Date.now();
  const session = await sessions.open({ ...begin.choice, fromFirstMessage: true }, begin.model);
  if (!session.ok) {
    begin.warnings.show((message) => io.stderr.write(`halter: ${message}\n`));
    return reportFailure({ error_type: 'io_error', message: withUnkept(session.error, flags).message }, io);
  }
  const another = async (choice: OpenSessionOptions): Promise<SessionFace> => {
    openedAt = Date.now();
    const opened = await sessions.open(choice);
    if (opened.ok) return opened.value;
    const { reason, message } = opened.error;
    throw reason === 'in_use' ? new SessionInUse(message) : new Error(message);
  };
  const config = await configOf(halter);
  const facts = (model: () => ChosenModel | undefined): ModelFacts =>
    shownModel(model, { flags, config }, (endpoint) => homely(endpoint, io));
  const never = new AbortController().signal;
  const plainMode = isMode(config.mode) ? config.mode : 'ask';
  const code = await runTerminal({
    session: session.value,
    ...(await personalOptions(halter, { flags, io })),
    onLeave: (last) => {
      if (!flags['no-session']) sayGoodbye(last, { flags, io, plainMode });
    },
    keybindings: await openKeybindings(halter.paths.config, begin.warnings.add),
    followWarnings: (notice) => begin.warnings.show(notice),
    forkSession: (id) => another({ id, fork: true }),
    openSession: async (id, model) => {
      if (id !== undefined) await mustBeThere(halter, id);
      return another({
        ...(id === undefined ? { ...keep, fromFirstMessage: true } : { id }),
        // Another session has a model of its own, but where a flag named one for all.
        ...(model && (id === undefined || namesModel(flags)) ? { model } : {}),
      });
    },
    async listSessions() {
      const listed = await halter.sessions.list({ ...ofFolder(halter.folder), limit: TERMINAL_LIMITS.sessionsShown });
      if (!listed.ok) throw new Error(listed.error.message);
      return listed.value.map((one) => ({
        id: one.id,
        title: listedTitle(one),
        when: timeText(one.updated_at),
      }));
    },
    exportSession: (face, file) => exportTo(face, resolve(io.cwd, file)),
    tools: halter.tools,
    model: facts(sessions.chosen),
    // Of the server that is in use by their plain names, of others with their provider before them.
    listModels: async () =>
      (await halter.models.list(never)).map(({ provider, endpoint, info, id }) => {
        const inUse = sessions.chosen()?.provider;
        return provider === inUse?.name && endpoint === inUse.endpoint ? info.id : id;
      }),
    describeModel: async (name) => {
      const opened = await halter.models.open(name);
      if (!opened.ok) throw new Error(opened.error.message);
      return facts(() => opened.value);
    },
    async describeWindow(events, model) {
      const report = await halter.context({ events, ...(model === sessions.chosen()?.model ? {} : { model }) });
      if (!report.ok) throw new Error(report.error.message);
      return report.value;
    },
    async readPicture(from) {
      const { pictures } = halter;
      const read = typeof from === 'string' ? await pictures.ofWorkspace(from, never) : pictures.ofBytes('it', from);
      return read.ok ? read.value : undefined;
    },
    pictureAt: (pasted) => pictureAt(pasted, io.env, halter.pictures),
    pictureOnClipboard: () => pictureOnClipboard(io.env, halter.pictures),
    listFiles: () => listFiles(halter),
    expand: (text) => halter.userInput.expand(text),
    runCommand: (command, options) => halter.userInput.runCommand(command, options),
    listCommands: async () => (await halter.userInput.commands()).commands,
    isOwnCommand: (text) => halter.userInput.isCommand(text),
    openAddress: (url) => openInBrowser(url, io),
    servers: serverControl(halter),
    rules: ruleControl(halter, () => openedAt),
    // The person may type commands, whatever tools the model has.
    sandbox: await halter.findSandbox(),
    mode: halter.rules().mode,
    folder: basename(halter.root),
    gitBranch: followGitBranch(halter.root, Date.now),
    environment: io.env,
    title: `halter ${readVersion()} · ${homely(halter.root, io)}`,
  });
  return code as ExitCode;
};

type PersonalOption =
  | 'inputHistory'
  | 'unsent'
  | 'editText'
  | 'look'
  | 'screenReader'
  | 'keepSetting'
  | 'attention'
  | 'keepModel';

/** What a person keeps from one conversation to the next: what they typed, their editor, the model they chose. */
const personalOptions = async (
  halter: Agent,
  { flags, io }: Pick<Invocation, 'flags' | 'io'>,
): Promise<Pick<TerminalOptions, PersonalOption>> => {
  const settings = createConfigFile(halter.paths.config);
  const read = await settings.read();
  // A model that belongs to flags is not kept: the next start may go to another server.
  const isOfSettings = !namesModel(flags) && !namesServer(flags);
  return {
    inputHistory: await openInputHistory(halter.paths.data),
    ...(flags['no-session'] ? {} : { unsent: openUnsent(halter.paths.data, halter.root) }),
    look: lookOf(read.ok ? read.value.config : {}),
    screenReader:
      flags['screen-reader'] ?? (io.env['TERM'] === 'dumb' || (read.ok && read.value.config.screen_reader === true)),
    keepSetting: async (key, value) => {
      const kept = await settings.set(key, value);
      if (!kept.ok) throw new Error(kept.error.message);
    },
    attention: read.ok ? (read.value.config.notify as TerminalOptions['attention']) : undefined,
    editText: (text) => editOutside(text, io.env),
    keepModel: async (name) => {
      if (isOfSettings) await settings.set('model', name);
    },
  };
};

const configOf = async (halter: Agent): Promise<Config> => {
  const read = await createConfigFile(halter.paths.config).read();
  return read.ok ? read.value.config : {};
};

/** A status line that cannot be read is the usual one. */
const lookOf = ({ theme, status_line }: Config): NonNullable<TerminalOptions['look']> => {
  const status = status_line === undefined ? undefined : readStatusLine(status_line);
  return {
    ...(theme !== undefined && isThemeName(theme) ? { theme } : {}),
    ...(status?.ok ? { status: status.parts } : {}),
  };
};

/** `plainMode`: the one that a start without flags gives. */
type Leaving = Pick<Invocation, 'flags' | 'io'> & { plainMode: Mode };

/** Where something was said, the line that goes on with it. */
const sayGoodbye = (last: SessionFace, { flags, io, plainMode }: Leaving): void => {
  if (!last.log().some(({ type }) => type === 'user_message_added')) return;
  for (const job of last.jobs?.list() ?? []) {
    const isEnded = last
      .log()
      .some((event) => event.type === 'job_changed' && event.with_halter && event.job.id === job.id);
    if (isEnded) io.stderr.write(`Ended with halter: ${job.id} (${sanitizeLine(job.command)})\n`);
  }
  const mode = { last: followMode()(last.log()) ?? 'ask', plain: plainMode };
  io.stderr.write(`${resumeText(last.id, flags, mode, io.stderr.columns)}\n`);
};

/** A file that is there already is somebody's. */
const exportTo = async (face: SessionFace, file: string): Promise<string> => {
  const form = formatOf(file);
  if (form === undefined) throw new Error('The form is said by the end of the name: .md, .html, .json or .jsonl.');
  await writeFile(file, exportSession(face.log(), form), { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(
        error.code === 'EEXIST' ? `${file} is there already.` : `${file} cannot be written: ${error.message}`,
      );
    },
  );
  const leftOut = form === 'markdown' || form === 'html' ? leftOutText(face.log()) : undefined;
  return leftOut === undefined ? `Written to ${file}.` : `Written to ${file}. ${leftOut}`;
};

/** The tool's own list, so that the app and the model see the same files. */
const listFiles = async (halter: Agent): Promise<string[]> => {
  const result = await halter.executeTool('get_file_tree', {});
  const paths: unknown = JSON.parse(result.data ?? '[]');
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
};

const homely = (folder: string, io: Io): string => {
  const home = io.env['HOME'];
  return home && (folder === home || folder.startsWith(`${home}/`)) ? `~${folder.slice(home.length)}` : folder;
};
