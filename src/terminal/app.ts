/** The terminal app: what a session says becomes frames, what the person types becomes commands. */
import type { SessionFace, SessionUpdate } from '../core/events.ts';
import { LIMITS } from '../core/limits.ts';
import { shownText } from '../core/message.ts';
import { activePath } from '../core/session-tree.ts';
import { Activity } from './activity.ts';
import type { AppOptions, ModelFacts } from './app-options.ts';
import { parseCommand } from './commands.ts';
import { createCompletion } from './completion.ts';
import { DetailPanel } from './detail-panel.ts';
import { FrameClock } from './frame-clock.ts';
import { applyToEditor, createKeybindings, type Keybindings } from './keybindings.ts';
import { ListPicker } from './list-picker.ts';
import { headerItem } from './listings.ts';
import { Outbox } from './outbox.ts';
import { PermissionDesk } from './permission-desk.ts';
import { isKeyRelease, matchesKey, parseOsc11BackgroundColor } from './pi-tui.ts';
import { PictureDesk } from './picture-desk.ts';
import { PromptEditor } from './prompt-editor.ts';
import { LiveScreen, type Surface } from './screen.ts';
import { ServerDesk } from './server-desk.ts';
import { ShellDesk } from './shell-desk.ts';
import { performCommand, type SlashHost } from './slash.ts';
import { taskLines } from './task-list.ts';
import { createTheme, type Theme, terminalReflows } from './theme.ts';
import { Transcript } from './transcript.ts';
import { commandItem, noticeItem, type Severity, type View } from './transcript-items.ts';

type Ports = { surface: Surface; now(): number; quit(code: number): void; suspend(): void };
type Bottom = { lines: string[]; cursor?: { row: number; column: number } | undefined };

/** Below this height the task list would leave no room for the conversation. */
const TASK_LIST_ROWS = 16;
/** The footer, the line above the question, and two lines of what it asks about. */
const QUESTION_ROWS_LEFT = 4;

export class TerminalApp {
  readonly #options: AppOptions;
  readonly #ports: Ports;
  readonly #theme: Theme;
  readonly #keys: Keybindings;
  readonly #screen: LiveScreen;
  readonly #prompt: PromptEditor;
  readonly #clock: FrameClock;
  readonly #desk: PermissionDesk;
  /** What MCP servers ask; a permission question comes first. */
  readonly #servers: ServerDesk;
  readonly #slash: SlashHost;
  readonly #shell: ShellDesk;
  readonly #outbox: Outbox;
  readonly #pictures: PictureDesk;
  #session: SessionFace;
  #transcript: Transcript;
  #activity = new Activity();
  #model: ModelFacts;
  /** The name of another model than the app began with, as the person chose it. */
  #chosen: string | undefined;
  #unsubscribe: () => void = () => {};
  #lastSeq = 0;
  #panel: DetailPanel | undefined;
  #picker: ListPicker | undefined;
  /** Lines that go to the scrollback with the next frame. */
  #printed: string[] = [];
  #quitAsked = Number.NEGATIVE_INFINITY;
  #isReplay = true;
  #isStopped = false;
  #isPaused = false;

  constructor(options: AppOptions, ports: Ports) {
    this.#options = options;
    this.#ports = ports;
    this.#theme = createTheme(options.environment);
    this.#keys = options.keybindings ?? createKeybindings();
    applyToEditor(this.#keys);
    this.#screen = new LiveScreen(ports.surface, { reflows: terminalReflows(options.environment) });
    this.#clock = new FrameClock(ports.now, () => this.#draw());
    this.#model = options.model;
    this.#session = options.session;
    this.#transcript = new Transcript(this.#theme, options.tools);
    this.#desk = this.#createDesk();
    this.#servers = this.#createServerDesk();
    this.#slash = this.#createSlash();
    this.#shell = new ShellDesk({
      run: options.runCommand,
      add: (item) => this.#transcript.add(item),
      notice: (severity, text) => this.#notice(severity, text),
      changed: () => this.requestFrame(),
    });
    this.#prompt = new PromptEditor(
      { rows: () => ports.surface.rows, requestRender: () => this.requestFrame() },
      this.#theme,
    );
    this.#outbox = new Outbox({
      session: () => this.#session,
      activity: () => this.#activity,
      shell: this.#shell,
      prompt: this.#prompt,
      expand: options.expand,
      now: ports.now,
      spin: (isOn) => this.#clock.spin(isOn),
      notice: (severity, text) => this.#notice(severity, text),
    });
    this.#pictures = new PictureDesk({
      environment: options.environment,
      read: options.readPicture,
      rows: () => ports.surface.rows,
      nameOfCall: (id) => this.#transcript.call(id)?.name,
      add: (item) => this.#transcript.add(item),
      changed: () => this.requestFrame(),
    });
    this.#prompt.editor.onSubmit = (text) => this.#submit(text);
    this.#prompt.editor.setAutocompleteProvider(createCompletion(options, ports.now));
  }

  #createDesk(): PermissionDesk {
    return new PermissionDesk({
      session: () => this.#session,
      transcript: () => this.#transcript,
      sandbox: this.#options.sandbox,
      theme: this.#theme,
      now: this.#ports.now,
      print: (lines) => this.#printed.push(...lines),
      cancel: () => void this.#cancel(),
      armed: () => {
        this.requestFrame();
        this.#clock.requestAfter(LIMITS.terminalPromptArmMs);
      },
    });
  }

  #createServerDesk(): ServerDesk {
    return new ServerDesk({
      session: () => this.#session,
      theme: this.#theme,
      now: this.#ports.now,
      print: (lines) => this.#printed.push(...lines),
      cancel: () => void this.#cancel(),
      open: (url) => void this.#openAddress(url),
      armed: () => {
        this.requestFrame();
        this.#clock.requestAfter(LIMITS.terminalPromptArmMs);
      },
    });
  }

  /** It stays on the screen, for whoever wants to open it elsewhere. */
  async #openAddress(url: string): Promise<void> {
    this.#notice('quiet', url);
    if ((await this.#options.openAddress?.(url)) !== true)
      this.#notice('warning', 'No browser could be opened here; the address stands above.');
  }

  #createSlash(): SlashHost {
    return {
      options: this.#options,
      keys: this.#keys,
      session: () => this.#session,
      activity: () => this.#activity,
      model: () => this.#model,
      add: (item) => {
        this.#transcript.add(item);
        this.requestFrame();
      },
      notice: (severity, text) => this.#notice(severity, text),
      send: (text) => this.#outbox.send(text),
      open: (id) => this.#options.openSession(id, this.#chosen),
      begin: (session) => this.#begin(session),
      chose: async (model) => {
        this.#chosen = model;
        const facts = await this.#options.describeModel?.(model);
        if (facts && this.#chosen === model) this.#model = facts;
        this.requestFrame();
      },
      pick: (items, current, words) => {
        this.#picker = new ListPicker(items, current, words, this.#theme);
        this.requestFrame();
      },
      copy: (text) => this.#ports.surface.write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`),
      quit: () => this.#ports.quit(0),
    };
  }

  start(): void {
    this.#transcript.add(headerItem(this.#options.title ?? 'halter', this.#model));
    this.#attach(this.#options.session);
    this.#options.followWarnings?.((text) => this.#notice('warning', text));
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
    this.#clock.stop();
    this.#screen.clear();
  }

  /** The same for a while, for another program. */
  pause(): void {
    if (this.#isStopped) return;
    this.#isPaused = true;
    this.#screen.clear();
  }

  resume(): void {
    this.#isPaused = false;
    this.requestFrame();
  }

  requestFrame(): void {
    this.#clock.request();
  }

  // The session.

  #begin(session: SessionFace): void {
    this.#transcript = new Transcript(this.#theme, this.#options.tools);
    this.#activity = new Activity();
    this.#desk.forget();
    this.#servers.forget();
    this.#printed.push('');
    this.#transcript.add(noticeItem('quiet', session.log().length > 1 ? 'An earlier session.' : 'A new session.'));
    this.#attach(session);
    this.requestFrame();
  }

  #attach(session: SessionFace): void {
    this.#unsubscribe();
    this.#session = session;
    this.#lastSeq = 0;
    this.#isReplay = true;
    for (const event of activePath(session.log())) {
      this.#take(event);
      if (event.type === 'user_message_added') this.#prompt.remember(shownText(event.content));
    }
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
    const now = this.#ports.now();
    this.#transcript.apply(update, now);
    this.#activity.apply(update, now);
    this.#clock.spin(this.#activity.isRunning);
    this.#pictures.follow(update, this.#isReplay);
    this.#follow(update);
  }

  #follow(update: SessionUpdate): void {
    switch (update.type) {
      case 'permission_requested':
        this.#panel = undefined;
        this.#picker = undefined;
        this.#desk.add(update);
        return;
      case 'server_asked':
        this.#panel = undefined;
        this.#picker = undefined;
        this.#servers.add(update.question);
        return;
      case 'server_answered':
        this.#servers.forget(update.question_id);
        return;
      case 'permission_resolved':
      case 'tool_finished':
        this.#desk.forget(update.tool_call_id);
        return;
      case 'model_changed':
        // What an earlier session changed to then is not what answers now.
        if (!this.#isReplay) this.#model = { name: update.model, endpoint: this.#model.endpoint };
        return;
      case 'run_completed':
        this.#desk.forget();
        this.#outbox.sendNext();
        return;
      case 'run_stopped':
      case 'run_cancelled':
        this.#desk.forget();
        this.#outbox.giveBack();
        return;
      default:
    }
  }

  // Messages.

  #submit(text: string): void {
    const trimmed = text.trim();
    if (trimmed === '') return;
    this.#prompt.remember(trimmed);
    const parsed = parseCommand(trimmed);
    const isShell = trimmed.startsWith('!');
    if (parsed.type !== 'message' || isShell) this.#transcript.add(commandItem(trimmed));
    if (isShell) void this.#shell.run(trimmed);
    else if (parsed.type === 'command') void performCommand(this.#slash, parsed.name, parsed.argument);
    else if (parsed.type === 'unknown') void this.#ownCommand(trimmed, parsed.name, parsed.nearest);
    else this.#outbox.say(trimmed);
    this.requestFrame();
  }

  /** One of the person's own, from a file; else a word that means nothing here. */
  async #ownCommand(text: string, name: string, near: string | undefined): Promise<void> {
    const filled = await this.#options.fillCommand?.(text);
    if (filled !== undefined) return this.#outbox.say(filled);
    const nearest = near ? ` Did you mean /${near}?` : ' /help lists them.';
    this.#notice('warning', `There is no command /${name}.${nearest}`);
  }

  #notice(severity: Severity, text: string): void {
    this.#transcript.add(noticeItem(severity, text));
    this.requestFrame();
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
  }

  #route(data: string): void {
    if (matchesKey(data, 'ctrl+c')) this.#interrupt();
    else if (this.#keys.matches(data, 'suspend')) this.#ports.suspend();
    else if (this.#desk.prompt) void this.#desk.key(data);
    else if (this.#servers.prompt) void this.#servers.key(data);
    else if (this.#panel) this.#panel = this.#panel.key(data) ? this.#panel : undefined;
    else if (this.#picker) this.#picker = this.#picker.key(data) ? this.#picker : undefined;
    else if (this.#keys.matches(data, 'details')) this.#openPanel();
    else if (this.#keys.matches(data, 'leave') && this.#prompt.text === '') this.#ports.quit(0);
    else if (this.#keys.matches(data, 'stop') && !this.#prompt.editor.isShowingAutocomplete()) this.#escape();
    else this.#prompt.input(data);
  }

  #escape(): void {
    if (this.#shell.isRunning) this.#shell.cancel();
    else if (this.#activity.isRunning) void this.#cancel();
  }

  #openPanel(): void {
    const details = this.#transcript.details;
    if (details.length > 0) this.#panel = new DetailPanel(details, this.#theme, this.#keys);
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
    this.#clock.requestAfter(LIMITS.terminalQuitMs);
  }

  // Frames.

  #draw(): void {
    if (this.#isStopped || this.#isPaused) return;
    const now = this.#ports.now();
    const { rows, columns } = this.#ports.surface;
    const view: View = { width: Math.max(10, columns - 1), theme: this.#theme, now, frame: this.#clock.turn };
    const finished = [...this.#shorten(this.#transcript.take(view)), ...this.#printed];
    this.#printed = [];
    const bottom = this.#bottom(view, rows);
    const tail = this.#transcript.live(view, Math.max(0, rows - bottom.lines.length), finished);
    const cursor = bottom.cursor && { row: tail.length + bottom.cursor.row, column: bottom.cursor.column };
    this.#screen.draw({ finished, live: [...tail, ...bottom.lines], cursor });
    const question = this.#desk.prompt ?? this.#servers.prompt;
    if (!question || question.isArmed(now)) return;
    question.shown(this.#ports.now());
    this.#clock.requestAfter(LIMITS.terminalPromptArmMs);
  }

  /** An old session is not poured out whole: its end is what one comes back to. */
  #shorten(lines: string[]): string[] {
    const left = lines.length - LIMITS.terminalReplayLines;
    if (!this.#isReplay || left <= 0) {
      this.#isReplay = false;
      return lines;
    }
    this.#isReplay = false;
    const note = `${this.#theme.marks.ellipsis} ${left} earlier lines of this session are not shown`;
    return [this.#theme.dim(note), ...lines.slice(left)];
  }

  #bottom(view: View, rows: number): Bottom {
    const { width, theme, now, frame } = view;
    const footer = this.#footer(view);
    const question = this.#desk.prompt ?? this.#servers.prompt;
    if (question) return { lines: ['', ...question.lines(width, rows - QUESTION_ROWS_LEFT, now), footer] };
    if (this.#panel) return { lines: ['', ...this.#panel.lines(width, rows - 2), footer] };
    if (this.#picker) return { lines: ['', ...this.#picker.lines(width), footer] };
    const tasks = rows < TASK_LIST_ROWS ? [] : taskLines([...this.#transcript.tasks.values()], width, theme);
    const running = this.#transcript.running().map((call) => call.name);
    const activity = this.#activity.line(width, theme, now, frame, running);
    const prompt = this.#prompt.render(width);
    const above = ['', ...tasks, ...(tasks.length > 0 ? [''] : []), ...this.#outbox.lines(width, theme), ...activity];
    const cursor = prompt.cursor && { row: above.length + prompt.cursor.row, column: prompt.cursor.column };
    return { lines: [...above, ...prompt.lines, footer], cursor };
  }

  #footer({ width, theme, now }: View): string {
    if (now - this.#quitAsked < LIMITS.terminalQuitMs) return theme.warn('Press Ctrl+C again to leave');
    const facts = { ...this.#model, model: this.#model.name, sandbox: this.#options.sandbox };
    return this.#activity.footer(width, theme, facts, now);
  }
}
