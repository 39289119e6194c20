/** What a slash command is, and what it may do. */
import type { Command, SessionFace } from '../../core/events.ts';
import type { Mode } from '../../core/policy/modes.ts';
import type { Activity } from '../app/activity.ts';
import type { PickerItem, PickerWords } from '../app/list-picker.ts';
import type { Look } from '../app/look.ts';
import type { AppOptions, ModelFacts } from '../app-options.ts';
import type { Keybindings } from '../keybindings.ts';
import type { Item, Severity } from '../transcript/items.ts';

export type SlashCommand = {
  name: string;
  description: string;
  /** What may follow the name, for help and completion. */
  argument?: string;
  /** Words that an argument may begin with; they are read without case. */
  words?: readonly string[];
  /** True where it needs the session at rest: the end of a run whose answer is complete is waited for. */
  waitsForEnd?(argument: string): boolean;
  /** What it throws is shown to the person. */
  perform(host: SlashHost, argument: string): void | Promise<void>;
  /** What completes its argument. */
  complete?(sources: CompletionSources): Promise<readonly CompletedArgument[]> | readonly CompletedArgument[];
};

export type CompletionSources = Pick<AppOptions, 'listModels' | 'listSessions'>;
export type CompletedArgument = { value: string; description?: string };

export type NamedPrompt = { name: string; description: string };
/** `hidden`: a command that acts has the name. */
export type Prompts = { usable: readonly NamedPrompt[]; hidden: readonly NamedPrompt[] };

export type SlashHost = {
  /** All of them, for `/help`. */
  commands: readonly SlashCommand[];
  /** Prompts that a name stands for. */
  prompts(): Promise<Prompts>;
  options: AppOptions;
  keys: Keybindings;
  look: Look;
  /** The looks have changed. */
  redraw(): void;
  session(): SessionFace;
  activity(): Activity;
  /** Resolves when the run is over, or when it shows that it goes on. */
  runEnd(): Promise<void>;
  model(): ModelFacts;
  mode(): Mode;
  /** False where it was refused, which the person is told. */
  changeMode(mode: Mode): Promise<boolean>;
  /** Puts text into the prompt, where nothing is typed yet. */
  fill(text: string): void;
  add(item: Item): void;
  notice(severity: Severity, text: string): void;
  send(text: string): Promise<void>;
  /** A new session, or the one of this id, with the model that is in use. */
  open(id?: string): Promise<SessionFace>;
  /** Shows a session; of one that goes on with this conversation, with a word on it below, where it is seen. */
  begin(session: SessionFace, words?: string): void;
  /** Another model answers from here on; by the name it was asked for. */
  chose(model: string): Promise<void>;
  /** Has the person choose one of several. */
  pick(items: readonly PickerItem[], current: string, words: PickerWords & { take(chosen: string): void }): void;
  /** Hands text to the terminal's own clipboard. */
  copy(text: string): void;
  quit(): void;
};

/** Sends a command to the session; says why where it was not taken. */
export const send = async (host: SlashHost, command: Command): Promise<void> => {
  const sent = await host.session().send(command);
  if (!sent.ok) host.notice('warning', sent.message);
};
