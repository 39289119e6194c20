/** The parts of the app, each given what it needs of the others. */

import type { SessionFace } from '../../core/events.ts';
import type { Mode } from '../../core/policy/modes.ts';
import type { AppOptions, ModelFacts } from '../app-options.ts';
import { type Keybindings, keyUse } from '../keybindings.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { Questions } from '../questions.ts';
import type { Surface } from '../screen.ts';
import { type Theme, terminalReflows } from '../theme.ts';
import type { Item, Severity, View } from '../transcript/items.ts';
import type { Transcript } from '../transcript.ts';
import type { Activity } from './activity.ts';
import { Attachments } from './attachments.ts';
import { createCompletion } from './completion.ts';
import type { FrameClock } from './frame-clock.ts';
import { Outbox } from './outbox.ts';
import { type FramePainter, type Overlay, Painter } from './painter.ts';
import { PictureController } from './picture-controller.ts';
import { PromptEditor } from './prompt-editor.ts';
import { ShellController } from './shell-controller.ts';
import { SpokenPainter } from './spoken-painter.ts';

export type AppPorts = {
  surface: Surface;
  now(): number;
  quit(code: number): void;
  suspend(): void;
  outside<T>(work: () => T): T;
};

/** What the parts need of the app: its present state, and what a person may make it do. */
export type PartsHost = {
  options: AppOptions;
  ports: AppPorts;
  theme: Theme;
  keys: Keybindings;
  clock: FrameClock;
  session(): SessionFace;
  transcript(): Transcript;
  activity(): Activity;
  overlay(): Overlay | undefined;
  mode(): Mode;
  model(): ModelFacts;
  submit(text: string): void;
  cancel(): void;
  openAddress(url: string): void;
  /** What was typed and is not with the session yet has changed. */
  unsentChanged(): void;
  notice(severity: Severity, text: string): void;
  /** The key that takes back what waits, as a person reads it. */
  takeBackKey: string;
  /** The line at the bottom. */
  footer(view: View): string;
};

export type AppParts = {
  questions: Questions;
  /** Turns what turns while anything goes on. */
  spin(): void;
  shell: ShellController;
  attachments: Attachments;
  prompt: PromptEditor;
  outbox: Outbox;
  pictures: PictureController;
  painter: FramePainter;
};

const BACKSPACE = '\x7f';

export const createParts = (host: PartsHost): AppParts => {
  const { options, ports, theme, clock, session, transcript, activity, notice } = host;
  const changed = (): void => clock.request();
  const rows = (): number => ports.surface.rows;
  /** As long as anything goes on. */
  const spin = (): void => clock.spin(activity().isRunning || shell.isRunning);
  const add = (item: Item): void => transcript().add(item);

  const questions = new Questions({
    session,
    transcript,
    sandbox: options.sandbox,
    mode: host.mode,
    theme,
    now: ports.now,
    print: (lines) => painter.print(lines),
    cancel: host.cancel,
    type: (text) => prompt.input(text),
    takeBack: (text) => {
      if (prompt.text.trim() !== text) return;
      prompt.set('');
      host.unsentChanged();
    },
    erase: (count) => {
      for (let left = count; left > 0; left -= 1) prompt.input(BACKSPACE);
      if (count > 0) host.unsentChanged();
    },
    // A blank that was pressed too early is none.
    isWriting: () => prompt.text.trim() !== '',
    keyFor: (data) => keyUse(host.keys, data),
    after: (ms, then) => {
      const timer = setTimeout(then, ms);
      return () => clearTimeout(timer);
    },
    open: host.openAddress,
    armed: () => {
      changed();
      clock.requestAfter(TERMINAL_LIMITS.questionArmMs);
    },
  });
  const shell = new ShellController({
    run: options.runCommand,
    add,
    addDetail: (detail) => transcript().addDetail(detail),
    notice,
    contextTokens: () => host.model().contextLength,
    now: ports.now,
    changed: () => {
      spin();
      changed();
    },
  });
  const prompt = new PromptEditor({ rows, requestRender: changed }, theme);
  prompt.onSubmit(host.submit);
  prompt.editor.setAutocompleteProvider(createCompletion(options, ports.now, () => prompt.isSending));
  const attachments = new Attachments({
    pictureAt: options.pictureAt,
    pictureOnClipboard: options.pictureOnClipboard,
    model: host.model,
    type: (text) => {
      prompt.insert(text);
      changed();
    },
    notice,
  });
  const outbox = new Outbox({
    session,
    activity,
    shell,
    prompt,
    expand: options.expand,
    attached: (text) => attachments.partsIn(text),
    model: host.model,
    now: ports.now,
    spin,
    notice,
    changed: () => {
      changed();
      host.unsentChanged();
    },
  });
  const pictures = new PictureController({
    environment: options.environment,
    read: options.readPicture,
    rows,
    nameOfCall: (id) => transcript().call(id)?.name,
    add,
    changed,
  });
  const painted = {
    transcript,
    activity,
    shell,
    overlay: host.overlay,
    questions,
    outbox,
    prompt,
    takeBackKey: host.takeBackKey,
    footer: host.footer,
  };
  const painter: FramePainter = options.screenReader
    ? new SpokenPainter(ports.surface, theme, painted)
    : new Painter(ports.surface, theme, painted, { reflows: terminalReflows(options.environment) });
  return { questions, spin, shell, attachments, prompt, outbox, pictures, painter };
};
