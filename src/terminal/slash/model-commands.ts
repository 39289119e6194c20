/** `/model`, `/think` and `/context`. */
import { settingsOf } from '../../core/settings-of.ts';
import { fixedItem } from '../transcript/items.ts';
import { performCommand } from './perform.ts';
import { sharedWords } from './shared-commands.ts';
import type { SlashCommand, SlashHost } from './slash-command.ts';
import { windowLines, windowOfLog } from './window-report.ts';

/** A model answers every message; this keeps the answer to one that only informs short. */
const FILES_MESSAGE = 'These are the files of this folder, for what I ask next. Only confirm that you have them.';

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
      take: (chosen) => void performCommand(host, MODEL, chosen),
    },
  );
};

const changeModel = async (host: SlashHost, model: string): Promise<void> => {
  const sent = await host.session().send({ type: 'change_model', model });
  if (sent.ok) await host.chose(model);
  else host.notice('error', sent.message);
};

const report = async (host: SlashHost): Promise<void> => {
  const { options } = host;
  const log = host.session().log();
  const window = host.model().contextLength;
  const shown = (await options.describeWindow?.(log, host.model().name)) ?? windowOfLog(log, options.tools);
  host.add(fixedItem('text', ({ width, theme }) => windowLines(shown, { window, width }, theme)));
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

const MODEL: SlashCommand = {
  ...sharedWords('model'),
  complete: async ({ listModels }) => ((await listModels?.()) ?? []).map((value) => ({ value })),
  perform: (host, argument) => (argument === '' ? chooseModel(host) : changeModel(host, argument)),
};

const THINKING = { on: true, off: false, default: undefined } as const;
type Thinking = keyof typeof THINKING;
const isThinking = (word: string): word is Thinking => Object.hasOwn(THINKING, word);
const THINKING_WORDS: Readonly<Record<Thinking, string>> = {
  on: 'the model thinks first, where it can',
  off: 'it answers at once',
  default: 'as halter was started',
};

/** It is a setting of this session, beside those that it may have of its own already. */
const think = async (host: SlashHost, argument: string): Promise<void> => {
  const { think: chosen, ...others } = settingsOf(host.session().log());
  const names = Object.keys(THINKING).filter(isThinking);
  if (isThinking(argument)) {
    const value = THINKING[argument];
    const settings = value === undefined ? others : { ...others, think: value };
    const sent = await host.session().send({ type: 'change_settings', settings });
    if (!sent.ok) throw new Error(sent.message);
    return host.notice('quiet', `Thinking: ${argument}, ${THINKING_WORDS[argument]}. From the next step on.`);
  }
  if (argument !== '') throw new Error(`It is /think ${names.join(', ')}.`);
  host.pick(
    names.map((name) => ({ value: name, label: name, description: THINKING_WORDS[name] })),
    names.find((name) => THINKING[name] === chosen) ?? 'default',
    {
      title: 'Shall the model think first?',
      hint: 'Enter takes it, Esc keeps the present one',
      take: (chosen) => void performCommand(host, THINK, chosen),
    },
  );
};

const THINK: SlashCommand = {
  name: 'think',
  description: 'whether the model thinks before it answers',
  argument: 'on|off|default',
  words: Object.keys(THINKING),
  complete: () => Object.keys(THINKING).map((value) => ({ value })),
  waitsForEnd: isThinking,
  perform: think,
};

export const MODEL_COMMANDS: readonly SlashCommand[] = [
  MODEL,
  THINK,
  {
    name: 'context',
    description: 'what fills the window; "files" adds the file tree',
    argument: 'files',
    words: ['files'],
    waitsForEnd: (argument) => argument === 'files',
    perform: (host, argument) => (argument === '' ? report(host) : addFiles(host, argument)),
  },
];
