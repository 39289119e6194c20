/** Carries out slash commands. */
import type { Command, Event, SessionFace } from '../core/events.ts';
import { LIMITS } from '../core/limits.ts';
import { activePath } from '../core/session-tree.ts';
import type { Activity } from './app/activity.ts';
import type { PickerItem, PickerWords } from './app/list-picker.ts';
import type { AppOptions, ModelFacts } from './app-options.ts';
import type { Keybindings } from './keybindings.ts';
import { helpItem, serversItem, toolsItem } from './slash/listings.ts';
import { windowLines, windowParts } from './slash/window-report.ts';
import type { Severity } from './transcript/items.ts';
import { fixedItem, type Item } from './transcript/items.ts';

export type SlashHost = {
  options: AppOptions;
  keys: Keybindings;
  session(): SessionFace;
  activity(): Activity;
  model(): ModelFacts;
  add(item: Item): void;
  notice(severity: Severity, text: string): void;
  send(text: string): Promise<void>;
  /** A new session, or the one of this id, with the model that is in use. */
  open(id?: string): Promise<SessionFace>;
  begin(session: SessionFace): void;
  /** Another model answers from here on; by the name it was asked for. */
  chose(model: string): Promise<void>;
  /** Has the person choose one of several. */
  pick(items: readonly PickerItem[], current: string, words: PickerWords & { take(chosen: string): void }): void;
  /** Hands text to the terminal's own clipboard. */
  copy(text: string): void;
  quit(): void;
};

/** What a host's function throws is for the person to read, not an end of the app. */
export const performCommand = async (host: SlashHost, name: string, argument: string): Promise<void> => {
  try {
    await command(host, name, argument);
  } catch (error) {
    host.notice('error', error instanceof Error ? error.message : String(error));
  }
};

const command = async (host: SlashHost, name: string, argument: string): Promise<void> => {
  switch (name) {
    case 'help':
      host.add(helpItem(host.keys, (await host.options.listCommands?.()) ?? []));
      return;
    case 'tools':
      host.add(toolsItem(host.options.tools));
      return;
    case 'mcp':
      return servers(host, argument);
    case 'exit':
      host.quit();
      return;
    case 'new':
      return begin(host);
    case 'copy':
      return copy(host);
    case 'export':
      return exportTo(host, argument);
    case 'sessions':
      return chooseSession(host);
    case 'model':
      return argument === '' ? chooseModel(host) : changeModel(host, argument);
    case 'compact':
      return send(host, { type: 'compact' });
    case 'undo':
      return undo(host, argument);
    case 'regenerate':
      return send(host, { type: 'regenerate' });
    case 'rename':
      return send(host, { type: 'rename', title: argument });
    case 'context':
      return argument === '' ? report(host) : addFiles(host, argument);
    default:
      throw new Error(`The command /${name} is listed and does nothing.`);
  }
};

const send = async (host: SlashHost, command: Command): Promise<void> => {
  const sent = await host.session().send(command);
  if (!sent.ok) host.notice('warning', sent.message);
};

/** `/mcp`: all of them; `/mcp NAME`: one with its tools; `/mcp reconnect|on|off NAME`. */
const servers = async (host: SlashHost, argument: string): Promise<void> => {
  const { servers: control } = host.options;
  const listed = control?.list() ?? [];
  if (control === undefined || listed.length === 0)
    return host.notice('quiet', 'There are no MCP servers; `halter mcp add` adds one.');
  const [word = '', name = ''] = argument.split(/\s+/);
  if (name === '') {
    const one = listed.find((server) => server.name === word);
    if (word !== '' && one === undefined) return host.notice('warning', `There is no MCP server ${word}.`);
    return host.add(serversItem(one ? [one] : listed, one !== undefined));
  }
  if (!['reconnect', 'on', 'off'].includes(word))
    return host.notice('warning', 'It is /mcp, /mcp NAME, or /mcp reconnect, on or off NAME.');
  const now = await (word === 'reconnect' ? control.reconnect(name) : control.setEnabled(name, word === 'on'));
  host.add(serversItem([now], false));
  if (word !== 'reconnect')
    host.notice('quiet', 'What a prompt offers stays as the session began; /new begins another one.');
};

const CHOICES = ['keep', 'force', 'beside'] as const;

const undo = async (host: SlashHost, argument: string): Promise<void> => {
  const choice = CHOICES.find((known) => known === argument);
  if (argument !== '' && choice === undefined) host.notice('warning', 'It is /undo, or /undo keep, force or beside.');
  else await send(host, { type: 'undo', ...(choice ? { on_change: choice } : {}) });
};

/** A model answers every message; this keeps the answer to one that only informs short. */
const FILES_MESSAGE = 'These are the files of this folder, for what I ask next. Only confirm that you have them.';

const begin = async (host: SlashHost): Promise<void> => {
  if (host.activity().isRunning) {
    host.notice('warning', 'A run is going on. Esc stops it, then /new.');
    return;
  }
  const before = host.session();
  host.begin(await host.open());
  await before.close();
};

/** The last thing that was said in words: after a message that was stopped, what was answered before it. */
const answered = (log: readonly Event[]): string | undefined => {
  const last = activePath(log).findLast(
    (event) => event.type === 'assistant_message_added' && event.message.content.trim() !== '',
  );
  return last?.type === 'assistant_message_added' ? last.message.content : undefined;
};

const copy = (host: SlashHost): void => {
  const said = answered(host.session().log()) ?? '';
  if (said === '') host.notice('warning', 'There is no answer yet.');
  else if (said.length > LIMITS.clipboardCharacters)
    host.notice('warning', 'The answer is too long for the clipboard; /export writes it to a file.');
  else {
    host.copy(said);
    host.notice('quiet', 'Copied, where the terminal allows it.');
  }
};

const exportTo = async (host: SlashHost, argument: string): Promise<void> => {
  if (host.options.exportSession === undefined) throw new Error('Sessions cannot be written here.');
  if (argument === '') host.notice('warning', 'It is /export FILE; .md, .html, .json and .jsonl say the form.');
  else host.notice('quiet', await host.options.exportSession(host.session(), argument));
};

const chooseSession = async (host: SlashHost): Promise<void> => {
  if (host.activity().isRunning) return host.notice('warning', 'A run is going on. Esc stops it, then /sessions.');
  const here = host.session().id;
  const others = ((await host.options.listSessions?.()) ?? []).filter(({ id }) => id !== here);
  if (others.length === 0) return host.notice('quiet', 'There are no other sessions in this folder.');
  host.pick(
    others.map(({ id, title, when }) => ({ value: id, label: title, description: when })),
    '',
    {
      title: 'Choose a session',
      hint: 'Enter goes on with it, Esc stays here',
      take: (chosen) => void openChosen(host, chosen),
    },
  );
};

/** The chosen session in place of the present one. */
const openChosen = async (host: SlashHost, id: string): Promise<void> => {
  try {
    const next = await host.open(id);
    const before = host.session();
    host.begin(next);
    await before.close();
  } catch (error) {
    host.notice('error', error instanceof Error ? error.message : String(error));
  }
};

const chooseModel = async (host: SlashHost): Promise<void> => {
  const models = (await host.options.listModels?.()) ?? [];
  const { name, endpoint } = host.model();
  if (models.length === 0) return host.notice('quiet', `${name} at ${endpoint}. /model NAME takes another one.`);
  host.pick(
    models.map((value) => ({ value, label: value, ...(value === name ? { description: 'in use' } : {}) })),
    name,
    {
      title: 'Choose a model',
      hint: 'Enter takes it, Esc keeps the present one',
      take: (chosen) => void performCommand(host, 'model', chosen),
    },
  );
};

const changeModel = async (host: SlashHost, model: string): Promise<void> => {
  const sent = await host.session().send({ type: 'change_model', model });
  if (sent.ok) await host.chose(model);
  else host.notice('error', sent.message);
};

const report = async (host: SlashHost): Promise<void> => {
  const usage = host.activity().usage;
  const used = usage ? usage.prompt_tokens + usage.completion_tokens : undefined;
  const window = host.model().contextLength;
  const parts = windowParts(host.session().log(), host.options.tools);
  host.add(fixedItem('text', ({ width, theme }) => windowLines(parts, { used, window, width }, theme)));
};

const addFiles = async (host: SlashHost, argument: string): Promise<void> => {
  if (argument !== 'files') {
    host.notice('warning', 'It is /context or /context files.');
    return;
  }
  if (host.activity().isRunning) {
    host.notice('warning', 'A run is going on. Esc stops it, then /context files.');
    return;
  }
  const files = await host.options.listFiles?.();
  if (!files) host.notice('warning', 'The file tree is not available here.');
  else if (files.length === 0) host.notice('quiet', 'There are no files in this folder.');
  else await host.send(`${FILES_MESSAGE}\n\n${files.join('\n')}`);
};
