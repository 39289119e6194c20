/** The terminal app: what a session says becomes frames, what the person types becomes commands. */

import type { EventOf, SessionFace, SessionUpdate } from '../core/events.ts';
import { LIMITS } from '../core/limits.ts';
import { messageText } from '../core/message.ts';
import type { Tool } from '../core/tool.ts';
import { Activity } from './activity.ts';
import { helpItem, toolsItem } from './app-commands.ts';
import { parseCommand } from './commands.ts';
import { createCompletion } from './completion.ts';
import { DetailPanel } from './detail-panel.ts';
import { ModelPicker } from './model-picker.ts';
import { PermissionPrompt } from './permission-prompt.ts';
import { isKeyRelease, matchesKey, parseOsc11BackgroundColor } from './pi-tui.ts';
import { PromptEditor } from './prompt-editor.ts';
import { sanitizeLine } from './sanitize.ts';
import { LiveScreen, type Surface } from './screen.ts';
import { taskLines } from './task-list.ts';
import { cut } from './text.ts';
import { createTheme, type Environment, type Theme } from './theme.ts';
import { Transcript } from './transcript.ts';
import { fixedItem, noticeItem, type View } from './transcript-items.ts';
import { windowLines, windowParts } from './window-report.ts';

export type ModelFacts = { name: string; contextLength?: number | undefined; endpoint: string };

export type AppOptions = {
  session: SessionFace;
  openSession(): Promise<SessionFace>;
  tools: readonly Tool[];
  model: ModelFacts;
  listModels?(): Promise<readonly string[]>;
  describeModel?(name: string): Promise<ModelFacts>;
  /** Paths of the workspace, for `@` and `/context files`. */
  listFiles?(): Promise<readonly string[]>;
  /** One or two words on how commands are contained. */
  sandbox: string;
  environment: Environment;
  /** Stands in the first line: the program's version and the folder. */
  title?: string;
};

type Ports = { surface: Surface; now(): number; quit(code: number): void; suspend(): void };

export class TerminalApp {
  readonly #options: AppOptions;
  readonly #ports: Ports;
  readonly #theme: Theme;
  readonly #screen: LiveScreen;
  readonly #prompt: PromptEditor;
  #session: SessionFace;
  #transcript: Transcript;
  #activity = new Activity();
  #model: ModelFacts;
  #unsubscribe: () => void = () => {};
  #lastSeq = 0;
  #asking: EventOf<'permission_requested'>[] = [];
  #permission: PermissionPrompt | undefined;
  #isAnswering = false;
  #panel: DetailPanel | undefined;
  #picker: ModelPicker | undefined;
  #queue: string[] = [];
  #quitAsked = Number.NEGATIVE_INFINITY;
  #isReplay = true;
  #isStopped = false;
  #frame = 0;
  #frameTimer: ReturnType<typeof setTimeout> | undefined;
  #ticker: ReturnType<typeof setInterval> | undefined;
  #armTimer: ReturnType<typeof setTimeout> | undefined;
  #lastDrawn = 0;
  #extra: string[] = [];

  constructor(options: AppOptions, ports: Ports) {
    this.#options = options;
    this.#ports = ports;
    this.#theme = createTheme(options.environment);
    this.#screen = new LiveScreen(ports.surface, { reflows: doesReflow(options.environment) });
    this.#model = options.model;
    this.#session = options.session;
    this.#transcript = new Transcript(this.#theme, options.tools);
    this.#prompt = new PromptEditor(
      { rows: () => ports.surface.rows, requestRender: () => this.requestFrame() },
      this.#theme,
    );
    this.#prompt.editor.onSubmit = (text) => this.#submit(text);
    this.#prompt.editor.setAutocompleteProvider(createCompletion(options.listFiles, () => ports.now()));
  }

  start(): void {
    this.#transcript.add(this.#header());
    this.#attach(this.#options.session);
    this.requestFrame();
  }

  get session(): SessionFace {
    return this.#session;
  }

  /** Takes the live lines from the screen; what is finished stays. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#unsubscribe();
    clearTimeout(this.#frameTimer);
    clearTimeout(this.#armTimer);
    clearInterval(this.#ticker);
    this.#screen.clear();
  }

  /** After another program had the screen. */
  redraw(): void {
    this.requestFrame();
  }

  clear(): void {
    this.#screen.clear();
  }

  #header() {
    const { title, model } = { title: this.#options.title ?? 'halter', model: this.#model };
    return fixedItem('notice', ({ width, theme }) => [
      theme.bold(cut(sanitizeLine(title), width)),
      theme.dim(
        cut(
          `${sanitizeLine(model.name)} at ${sanitizeLine(model.endpoint)} ${theme.marks.separator} /help lists keys and commands`,
          width,
        ),
      ),
    ]);
  }

  #attach(session: SessionFace): void {
    this.#unsubscribe();
    this.#session = session;
    this.#lastSeq = 0;
    this.#asking = [];
    this.#permission = undefined;
    this.#isAnswering = false;
    this.#isReplay = true;
    for (const event of session.log()) {
      this.#take(event);
      if (event.type === 'user_message_added') this.#prompt.remember(messageText(event.content));
    }
    this.#isReplay = true;
    this.#unsubscribe = session.subscribe((update) => {
      this.#take(update);
      this.requestFrame();
    });
  }

  #take(update: SessionUpdate): void {
    if (update.seq !== undefined) {
      if (update.seq <= this.#lastSeq) return;
      this.#lastSeq = update.seq;
    }
    const now = update.seq === undefined ? this.#ports.now() : Math.max(update.at, 0);
    const wasRunning = this.#activity.isRunning;
    this.#transcript.apply(update, update.seq === undefined ? now : this.#ports.now());
    this.#activity.apply(update, this.#ports.now());
    this.#follow(update);
    if (this.#activity.isRunning !== wasRunning) this.#tick();
  }

  #follow(update: SessionUpdate): void {
    switch (update.type) {
      case 'permission_requested':
        this.#asking.push(update);
        this.#ask();
        return;
      case 'permission_resolved':
      case 'tool_finished':
        this.#forget((each) => each.tool_call_id === update.tool_call_id);
        return;
      case 'model_changed':
        this.#model = { name: update.model, endpoint: this.#model.endpoint };
        void this.#describe(update.model);
        return;
      case 'run_completed':
        this.#forget(() => true);
        this.#next();
        return;
      case 'run_stopped':
      case 'run_cancelled':
        this.#forget(() => true);
        this.#returnQueue();
        return;
      default:
    }
  }

  async #describe(name: string): Promise<void> {
    try {
      const facts = await this.#options.describeModel?.(name);
      if (facts && this.#model.name === name) this.#model = facts;
      this.requestFrame();
    } catch (error) {
      this.#notice('warning', error instanceof Error ? error.message : String(error));
    }
  }

  // The permission question.

  #forget(matches: (asked: EventOf<'permission_requested'>) => boolean): void {
    this.#asking = this.#asking.filter((asked) => !matches(asked));
    if (this.#permission && !this.#asking.some((asked) => asked.tool_call_id === this.#permission?.question.callId)) {
      this.#permission = undefined;
      this.#isAnswering = false;
      this.#ask();
    }
  }

  #ask(): void {
    const asked = this.#asking[0];
    if (!asked || this.#permission) return;
    const evaluated = this.#evaluated(asked.tool_call_id);
    const call = this.#transcript.call(asked.tool_call_id);
    const name = call?.name ?? asked.rule.tool;
    this.#panel = undefined;
    this.#picker = undefined;
    this.#permission = new PermissionPrompt(
      {
        callId: asked.tool_call_id,
        name,
        arguments: evaluated?.arguments ?? call?.arguments ?? {},
        risk: asked.risk,
        rule: asked.rule,
        preview: asked.preview,
        mainArgument: this.#transcript.tool(name)?.main_argument,
        sandbox: this.#options.sandbox,
      },
      this.#theme,
    );
  }

  /** The arguments that will run, as the log has them. */
  #evaluated(callId: string): EventOf<'policy_evaluated'> | undefined {
    return this.#session
      .log()
      .findLast(
        (event): event is Extract<typeof event, { type: 'policy_evaluated' }> =>
          event.type === 'policy_evaluated' && event.tool_call_id === callId,
      );
  }

  async #answer(prompt: PermissionPrompt, data: string): Promise<void> {
    if (this.#isAnswering) return;
    const answer = prompt.key(data, this.#ports.now());
    if (answer.type === 'open') this.#extra.push(...answer.lines, '');
    if (answer.type === 'stop') return this.#cancel();
    if (answer.type !== 'decide') return this.#armLater();
    const evaluated = this.#evaluated(prompt.question.callId);
    // What was read is what runs: an answer never carries over to other arguments.
    if (evaluated && JSON.stringify(evaluated.arguments) !== JSON.stringify(prompt.question.arguments)) {
      this.#permission = undefined;
      this.#ask();
      return;
    }
    this.#isAnswering = true;
    const sent = await this.#session.send({
      type: 'resolve_permission',
      tool_call_id: prompt.question.callId,
      decision: answer.decision,
      ...(answer.decision === 'remember' || answer.decision === 'session' ? { rule: prompt.question.rule } : {}),
      ...(answer.reason === undefined ? {} : { reason: answer.reason }),
    });
    this.#isAnswering = false;
    if (!sent.ok) prompt.refuse(sent.message, this.#ports.now());
    this.#armLater();
    this.requestFrame();
  }

  #armLater(): void {
    clearTimeout(this.#armTimer);
    this.#armTimer = setTimeout(() => this.requestFrame(), LIMITS.terminalPromptArmMs + 5);
  }

  // Messages and commands.

  #submit(text: string): void {
    const trimmed = text.trim();
    if (trimmed === '') return;
    this.#prompt.remember(trimmed);
    const parsed = parseCommand(trimmed);
    if (parsed.type === 'command') void this.#perform(parsed.name, parsed.argument);
    else if (parsed.type === 'unknown') {
      const nearest = parsed.nearest ? ` Did you mean /${parsed.nearest}?` : ' /help lists them.';
      this.#notice('warning', `There is no command /${parsed.name}.${nearest}`);
    } else if (this.#activity.isRunning) {
      if (this.#queue.length < LIMITS.queuedMessages) this.#queue.push(trimmed);
      else this.#notice('warning', `${LIMITS.queuedMessages} messages are waiting already.`);
    } else void this.#send(trimmed);
    this.requestFrame();
  }

  async #send(text: string): Promise<void> {
    this.#activity.sent(this.#ports.now());
    this.#tick();
    const sent = await this.#session.send({ type: 'send_message', content: text });
    if (sent.ok) return;
    this.#activity.stopped(this.#ports.now());
    this.#tick();
    this.#notice('error', sent.message);
    if (this.#prompt.text === '') this.#prompt.set(text);
  }

  #next(): void {
    const text = this.#queue.shift();
    if (text !== undefined) void this.#send(text);
  }

  /** After a stop the queued messages are the person's again. */
  #returnQueue(): void {
    if (this.#queue.length === 0) return;
    this.#prompt.set([...this.#queue, this.#prompt.text].filter((text) => text !== '').join('\n'));
    this.#queue = [];
  }

  #notice(severity: 'quiet' | 'warning' | 'error', text: string): void {
    this.#transcript.add(noticeItem(severity, text));
    this.requestFrame();
  }

  /** What a host's function throws is for the person to read, not an end of the app. */
  async #perform(name: string, argument: string): Promise<void> {
    try {
      await this.#command(name, argument);
    } catch (error) {
      this.#notice('error', error instanceof Error ? error.message : String(error));
    }
  }

  async #command(name: string, argument: string): Promise<void> {
    switch (name) {
      case 'help':
        this.#transcript.add(helpItem());
        return;
      case 'tools':
        this.#transcript.add(toolsItem(this.#options.tools));
        return;
      case 'exit':
        this.#ports.quit(0);
        return;
      case 'new':
        return this.#new();
      case 'model':
        return this.#chooseModel(argument);
      case 'context':
        return this.#context(argument);
      default:
    }
  }

  async #new(): Promise<void> {
    if (this.#activity.isRunning) return this.#notice('warning', 'A run is going on. Esc stops it, then /new.');
    const before = this.#session;
    const session = await this.#options.openSession();
    await before.close();
    this.#transcript = new Transcript(this.#theme, this.#options.tools);
    this.#activity = new Activity();
    this.#transcript.add(noticeItem('quiet', 'A new session.'));
    this.#extra.push('');
    this.#attach(session);
    this.requestFrame();
  }

  async #chooseModel(name: string): Promise<void> {
    if (name !== '') return this.#changeModel(name);
    const models = (await this.#options.listModels?.()) ?? [];
    if (models.length === 0) {
      return this.#notice('quiet', `${this.#model.name} at ${this.#model.endpoint}. /model NAME takes another one.`);
    }
    this.#picker = new ModelPicker(models, this.#model.name, this.#theme);
    this.requestFrame();
  }

  async #changeModel(model: string): Promise<void> {
    const sent = await this.#session.send({ type: 'change_model', model });
    if (!sent.ok) this.#notice('error', sent.message);
  }

  async #context(argument: string): Promise<void> {
    if (argument === 'files') return this.#addFiles();
    if (argument !== '') return this.#notice('warning', 'It is /context or /context files.');
    const usage = this.#activity.usage;
    const facts = {
      used: usage ? usage.prompt_tokens + usage.completion_tokens : undefined,
      window: this.#model.contextLength,
    };
    const parts = windowParts(this.#session.log(), this.#options.tools);
    this.#transcript.add(fixedItem('text', ({ width, theme }) => windowLines(parts, { ...facts, width }, theme)));
    this.requestFrame();
  }

  async #addFiles(): Promise<void> {
    const files = await this.#options.listFiles?.();
    if (!files) return this.#notice('warning', 'The file tree is not available here.');
    if (this.#activity.isRunning)
      return this.#notice('warning', 'A run is going on. Esc stops it, then /context files.');
    await this.#send(`These are the files of this folder:\n\n${files.join('\n')}`);
  }

  // Keys.

  key(data: string): void {
    if (this.#isStopped || isKeyRelease(data)) return;
    if (data.startsWith('\x1b]')) this.#terminalReply(data);
    else this.#route(data);
    this.requestFrame();
  }

  #terminalReply(data: string): void {
    const colour = parseOsc11BackgroundColor(data);
    if (!colour) return;
    const isLight = (colour.r * 299 + colour.g * 587 + colour.b * 114) / 1000 > 128;
    Object.assign(this.#theme, createTheme(this.#options.environment, isLight ? 'light' : 'dark'));
    this.#prompt.invalidate();
    this.requestFrame();
  }

  #route(data: string): void {
    if (matchesKey(data, 'ctrl+c')) this.#interrupt();
    else if (matchesKey(data, 'ctrl+z')) this.#ports.suspend();
    else if (this.#permission) void this.#answer(this.#permission, data);
    else if (this.#panel) this.#panel = this.#panel.key(data) ? this.#panel : undefined;
    else if (this.#picker) this.#pick(data);
    else if (matchesKey(data, 'ctrl+o')) this.#openPanel();
    else if (matchesKey(data, 'ctrl+d') && this.#prompt.text === '') this.#ports.quit(0);
    else if (matchesKey(data, 'escape') && !this.#prompt.editor.isShowingAutocomplete()) this.#escape();
    else this.#prompt.input(data);
  }

  #escape(): void {
    if (this.#activity.isRunning) void this.#cancel();
  }

  #pick(data: string): void {
    const outcome = this.#picker?.key(data);
    if (outcome === undefined) return;
    this.#picker = undefined;
    if (outcome !== 'closed') void this.#changeModel(outcome.chosen);
  }

  #openPanel(): void {
    const details = this.#transcript.details;
    if (details.length > 0) this.#panel = new DetailPanel(details, this.#theme);
    else this.#notice('quiet', 'No call has been made yet.');
  }

  async #cancel(): Promise<void> {
    const sent = await this.#session.send({ type: 'cancel' });
    if (!sent.ok) this.#notice('error', sent.message);
  }

  #interrupt(): void {
    const now = this.#ports.now();
    if (now - this.#quitAsked < LIMITS.terminalQuitMs) {
      this.#ports.quit(0);
      return;
    }
    if (this.#prompt.text !== '') {
      this.#prompt.set('');
      return;
    }
    this.#quitAsked = now;
    if (this.#activity.isRunning) void this.#cancel();
    setTimeout(() => this.requestFrame(), LIMITS.terminalQuitMs).unref();
  }

  // Frames.

  requestFrame(): void {
    if (this.#frameTimer || this.#isStopped) return;
    const wait = Math.max(0, this.#lastDrawn + LIMITS.terminalFrameMs - this.#ports.now());
    this.#frameTimer = setTimeout(() => {
      this.#frameTimer = undefined;
      this.#draw();
    }, wait);
  }

  #tick(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    if (!this.#activity.isRunning || this.#isStopped) return;
    this.#ticker = setInterval(() => {
      this.#frame += 1;
      this.requestFrame();
    }, LIMITS.terminalSpinnerMs);
  }

  #draw(): void {
    if (this.#isStopped) return;
    const now = this.#ports.now();
    const { rows, columns } = this.#ports.surface;
    const width = Math.max(10, columns - 1);
    const view: View = { width, theme: this.#theme, now, frame: this.#frame };
    const taken = this.#transcript.take(view);
    const finished = [...this.#shorten(taken), ...this.#extra];
    this.#extra = [];
    const bottom = this.#bottom(view, rows);
    const tail = this.#transcript.live(view, Math.max(0, rows - bottom.lines.length), finished);
    const cursor = bottom.cursor && { row: tail.length + bottom.cursor.row, column: bottom.cursor.column };
    this.#screen.draw({ finished, live: [...tail, ...bottom.lines], cursor });
    this.#lastDrawn = now;
    if (this.#permission && !this.#permission.isArmed(now)) {
      this.#permission.shown(this.#ports.now());
      this.#armLater();
    }
  }

  /** An old session is not poured out whole: its end is what one comes back to. */
  #shorten(lines: string[]): string[] {
    if (!this.#isReplay) return lines;
    this.#isReplay = false;
    if (lines.length <= LIMITS.terminalReplayLines) return lines;
    const left = lines.length - LIMITS.terminalReplayLines;
    return [
      this.#theme.dim(`${this.#theme.marks.ellipsis} ${left} earlier lines of this session are not shown`),
      ...lines.slice(left),
    ];
  }

  #bottom(view: View, rows: number): { lines: string[]; cursor?: { row: number; column: number } | undefined } {
    const { width, theme, now, frame } = view;
    const footer = this.#footer(view);
    if (this.#permission) return { lines: ['', ...this.#permission.lines(width, rows - 2, now), footer] };
    if (this.#panel) return { lines: ['', ...this.#panel.lines(width, rows - 2), footer] };
    if (this.#picker) return { lines: ['', ...this.#picker.lines(width), footer] };
    const tasks = rows >= 16 ? taskLines([...this.#transcript.tasks.values()], width, theme) : [];
    const running = this.#transcript.running().map((call) => call.name);
    const activity = this.#activity.line(width, theme, now, frame, running);
    const prompt = this.#prompt.render(width);
    const above = [
      '',
      ...tasks,
      ...(tasks.length > 0 ? [''] : []),
      ...this.#queueLines(width),
      ...(activity ? [activity] : []),
    ];
    const cursor = prompt.cursor && { row: above.length + prompt.cursor.row, column: prompt.cursor.column };
    return { lines: [...above, ...prompt.lines, footer], cursor };
  }

  #queueLines(width: number): string[] {
    const theme = this.#theme;
    const shown = this.#queue.slice(0, LIMITS.terminalQueueLines);
    const left = this.#queue.length - shown.length;
    return [
      ...shown.map((text) => theme.dim(cut(`next: ${sanitizeLine(text)}`, width))),
      ...(left > 0 ? [theme.dim(`and ${left} more`)] : []),
    ];
  }

  #footer({ width, theme, now }: View): string {
    if (now - this.#quitAsked < LIMITS.terminalQuitMs) return theme.warn('Press Ctrl+C again to leave');
    const facts = { model: this.#model.name, contextLength: this.#model.contextLength, sandbox: this.#options.sandbox };
    return this.#activity.footer(width, theme, facts, now);
  }
}

/** xterm, GNU screen and the Linux console cut long lines when they get narrower; nearly all others wrap them. */
const doesReflow = (environment: Environment): boolean => {
  const term = environment['TERM'] ?? '';
  if (environment['TMUX']) return true;
  return environment['XTERM_VERSION'] === undefined && term !== 'linux' && !term.startsWith('screen');
};
