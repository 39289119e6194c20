/** The terminal app: what a session says becomes frames, what the person types becomes commands. */

import { lastModelOf } from '../agent/session/own-model.ts';
import type { SessionFace, SessionUpdate } from '../core/events.ts';
import { shownText } from '../core/message.ts';
import { loosenedText, MODE_WORDS, MODES, type Mode, nextMode } from '../core/policy/modes.ts';
import { contextUse } from '../core/window.ts';
import { Activity } from './app/activity.ts';
import { AttentionCaller } from './app/attention.ts';
import { DetailPanel } from './app/detail-panel.ts';
import { FrameClock } from './app/frame-clock.ts';
import { ListPicker } from './app/list-picker.ts';
import { Look } from './app/look.ts';
import type { Turn } from './app/outbox.ts';
import type { Overlay } from './app/painter.ts';
import { type AppParts, type AppPorts, createParts } from './app/parts.ts';
import { runEnd } from './app/run-end.ts';
import { SessionFeed } from './app/session-feed.ts';
import { UnsentKeeper } from './app/unsent-keeper.ts';
import type { AppOptions, ModelFacts } from './app-options.ts';
import { applyToEditor, createKeybindings, type Keybindings, keyText } from './keybindings.ts';
import { TERMINAL_LIMITS } from './limits.ts';
import { isKeyRelease, matchesKey } from './pi-tui.ts';
import { sanitizeTitle } from './sanitize.ts';
import { COMMANDS, parseCommand, splitPrompts, type UnknownCommand } from './slash/commands.ts';
import { headerItem } from './slash/listings.ts';
import { performCommand } from './slash/perform.ts';
import type { SlashHost } from './slash/slash-command.ts';
import { commandItem, noticeItem, type Severity, type View } from './transcript/items.ts';
import { Transcript } from './transcript.ts';
import { plainKey, WholeCharacters } from './typed-line.ts';

const NEW_SESSION = 'A new session. /sessions lists those before it.';

/** Nobody is to be in this one without knowing. */
const yoloWords = (key: string): string => `Mode yolo: ${MODE_WORDS.yolo}.${key === '' ? '' : ` ${key} leaves it.`}`;

/** That a mode was set says nothing of what was said. */
const isEarlier = (session: SessionFace): boolean => session.log().some(({ type }) => type === 'user_message_added');

export class TerminalApp {
  readonly #options: AppOptions;
  readonly #ports: AppPorts;
  readonly #look: Look;
  readonly #keys: Keybindings;
  readonly #clock: FrameClock;
  readonly #feed: SessionFeed;
  readonly #parts: AppParts;
  readonly #slash: SlashHost;
  #transcript: Transcript;
  #activity = new Activity();
  #model: ModelFacts;
  #mode: Mode;
  /** The name of another model than the app began with, as the person chose it. */
  #chosen: string | undefined;
  /** A call in full, or a list to choose from. */
  #overlay: Overlay | undefined;
  #quitAsked = Number.NEGATIVE_INFINITY;
  readonly #typed = new WholeCharacters();
  /** What was typed, the oldest first. */
  readonly #typedBefore: string[] = [];
  readonly #attention: AttentionCaller;
  readonly #unsent: UnsentKeeper;
  #isStopped = false;
  #isPaused = false;

  constructor(options: AppOptions, ports: AppPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#look = new Look(options.environment, options.look, options.screenReader);
    this.#keys = options.keybindings ?? createKeybindings();
    applyToEditor(this.#keys);
    this.#clock = new FrameClock(ports.now, () => this.#draw());
    this.#model = options.model;
    this.#mode = options.mode ?? 'ask';
    this.#attention = new AttentionCaller(options.attention ?? 'unfocused', (data) => ports.surface.write(data));
    this.#transcript = new Transcript(this.#look.theme, options.tools);
    this.#feed = new SessionFeed(options.session, {
      take: (update, isPast) => this.#take(update, isPast),
      changed: () => this.requestFrame(),
    });
    this.#parts = createParts({
      options,
      ports,
      theme: this.#look.theme,
      keys: this.#keys,
      clock: this.#clock,
      session: () => this.session,
      transcript: () => this.#transcript,
      activity: () => this.#activity,
      overlay: () => this.#overlay,
      mode: () => this.#mode,
      model: () => this.#model,
      submit: (text) => this.#submit(text),
      unsentChanged: () => this.#unsent.keep(),
      takeBackKey: keyText(this.#keys.keysOf('up')),
      cancel: () => void this.#cancel(),
      openAddress: (url) => void this.#openAddress(url),
      notice: (severity, text) => this.#notice(severity, text),
      footer: (view) => this.#footer(view),
    });
    this.#slash = this.#createSlash();
    this.#unsent = new UnsentKeeper(options.unsent, {
      session: () => this.session,
      texts: () => [...this.#parts.outbox.texts, this.#parts.prompt.text],
    });
  }

  // From its start to its end.

  start(): void {
    for (const text of this.#options.inputHistory?.entries ?? []) this.#remember(text);
    this.#transcript.add(headerItem(this.#options.title ?? 'halter', this.#model));
    this.#follow(this.#options.session);
    if (this.#mode === 'yolo') this.#notice('warning', yoloWords(keyText(this.#keys.keysOf('mode'))));
    this.#options.followWarnings?.((text) => this.#notice('warning', text));
    void this.#sayHowToGoOn();
    this.requestFrame();
  }

  /** Whoever was here before is told how to go on there; what is said meanwhile comes first. */
  async #sayHowToGoOn(): Promise<void> {
    const { session } = this;
    if (isEarlier(session)) return;
    const listed = await this.#options.listSessions?.().catch(() => []);
    // What was typed ahead may have begun this one already.
    const last = listed?.find(({ id }) => id !== session.id);
    if (last === undefined || session !== this.session || isEarlier(session)) return;
    this.#notice(
      'quiet',
      `Last time here: "${sanitizeTitle(last.title)}". /sessions goes on with it or an earlier one.`,
    );
  }

  get session(): SessionFace {
    return this.#feed.session;
  }

  /** Takes the live lines from the screen; what is finished stays. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#unsent.keep(true);
    this.#feed.stop();
    this.#clock.stop();
    this.#parts.painter.clear();
  }

  /** The same for a while, for another program. */
  pause(): void {
    if (this.#isStopped) return;
    this.#isPaused = true;
    this.#parts.painter.clear();
  }

  resume(): void {
    this.#isPaused = false;
    this.requestFrame();
  }

  resized(): void {
    this.#clock.requestAfterResize();
  }

  requestFrame(): void {
    this.#clock.request();
  }

  // The session.

  #begin(session: SessionFace, words?: string): void {
    this.#unsent.keep();
    const shown = this.#mode;
    this.#transcript = new Transcript(this.#look.theme, this.#options.tools);
    this.#activity = new Activity();
    // Its log says another one.
    this.#mode = this.#options.mode ?? 'ask';
    this.#parts.questions.forget();
    // A copy or a branch goes on with the same conversation.
    if (words === undefined) this.#parts.shell.forget();
    this.#parts.spin();
    if (words === undefined)
      this.#transcript.add(noticeItem('quiet', isEarlier(session) ? 'An earlier session.' : NEW_SESSION));
    this.#follow(session, true);
    void this.#keepMode(shown);
    // Above a long conversation nobody would see it.
    if (words !== undefined) this.#transcript.add(noticeItem('quiet', words));
    void this.#learnModel();
    this.requestFrame();
  }

  /** Whoever is asked much goes on so; what asks less than halter was started with ends with its session, and that is said. */
  async #keepMode(shown: Mode): Promise<void> {
    if (MODES.indexOf(shown) < MODES.indexOf(this.#mode)) await this.#changeMode(shown);
    else if (shown !== this.#mode)
      this.#notice('quiet', `Mode ${this.#mode} again: ${shown} ended with the session before.`);
  }

  /** Another session may go on with a model of its own. */
  async #learnModel(): Promise<void> {
    const { session } = this;
    const name = lastModelOf(session.log());
    if (name === undefined || name === this.#model.name) return;
    this.#model = { name, endpoint: this.#model.endpoint };
    const facts = await this.#options.describeModel?.(name).catch(() => undefined);
    if (facts && this.session === session) this.#model = facts;
    this.requestFrame();
  }

  #follow(session: SessionFace, isBelow = false): void {
    this.#parts.painter.beginSession(isBelow);
    for (const event of this.#feed.follow(session))
      if (event.type === 'user_message_added') this.#remember(shownText(event.content));
    this.#transcript.endPast();
    const { loosenedFrom } = session;
    if (loosenedFrom !== undefined)
      this.#notice('warning', `${loosenedText(loosenedFrom, this.#mode)} /mode ${loosenedFrom} goes back.`);
    const left = this.#unsent.open();
    if (left === undefined || this.#parts.prompt.text !== '') return;
    this.#parts.prompt.set(left);
    this.#notice('quiet', 'What you had not sent is in the prompt again.');
  }

  #take(update: SessionUpdate, isPast: boolean): void {
    const now = this.#ports.now();
    this.#transcript.apply(update, now);
    if (!isPast) this.#attention.follow(update);
    this.#activity.apply(update, now);
    this.#parts.spin();
    this.#parts.pictures.follow(update, isPast);
    this.#parts.questions.follow(update);
    if (!isPast) this.#parts.outbox.follow(update);
    switch (update.type) {
      case 'permission_requested':
      case 'server_asked':
        this.#overlay = undefined;
        return;
      case 'model_changed':
        // What an earlier session changed to then is not what answers now.
        if (!isPast) this.#model = { name: update.model, endpoint: this.#model.endpoint };
        return;
      case 'mode_changed':
        this.#mode = update.mode;
        if (!isPast && update.mode === 'yolo') this.#notice('warning', yoloWords(keyText(this.#keys.keysOf('mode'))));
        return;
      case 'branch_selected':
        this.#activity.moved(contextUse(this.session.log()));
        return;
      default:
    }
  }

  async #changeMode(mode: Mode): Promise<boolean> {
    const { session } = this;
    const sent = await session.send({ type: 'change_mode', mode });
    if (!sent.ok) this.#notice('warning', sent.message);
    // A session that waits for its model says it only when it begins.
    else if (session === this.session) this.#mode = mode;
    this.requestFrame();
    return sent.ok;
  }

  async #cancel(): Promise<void> {
    // What waits is given back to the person, not dropped.
    const sent = await this.session.send({ type: 'cancel', queue: 'keep' });
    if (!sent.ok) this.#notice('error', sent.message);
  }

  // Messages.

  #submit(text: string, turn: Turn = 'step'): void {
    const trimmed = text.trim();
    if (trimmed === '') return;
    this.#remember(trimmed);
    this.#options.inputHistory?.add(trimmed);
    const parsed = parseCommand(trimmed);
    const isShell = trimmed.startsWith('!');
    if (parsed.type !== 'message' || isShell) this.#transcript.add(commandItem(trimmed));
    if (isShell) void this.#parts.shell.run(trimmed);
    else if (parsed.type === 'command') void performCommand(this.#slash, parsed.command, parsed.argument);
    else if (parsed.type === 'unknown') void this.#ownCommand(trimmed, turn, parsed);
    else this.#parts.outbox.say(trimmed, turn);
    this.requestFrame();
  }

  /** One of the person's own, from a file; else a word that means nothing here. */
  async #ownCommand(text: string, turn: Turn, { name, nearest, habit }: UnknownCommand): Promise<void> {
    if (await this.#options.isOwnCommand?.(text)) return this.#parts.outbox.say(text, turn);
    const meant = nearest ? `Did you mean /${nearest}?` : '/help lists them.';
    this.#notice('warning', `There is no command /${name}. ${habit ?? meant}`);
  }

  #notice(severity: Severity, text: string): void {
    this.#transcript.add(noticeItem(severity, text));
    this.requestFrame();
  }

  /** It stays on the screen, for whoever wants to open it elsewhere. */
  async #openAddress(url: string): Promise<void> {
    this.#notice('quiet', url);
    if ((await this.#options.openAddress?.(url)) !== true)
      this.#notice('warning', 'No browser could be opened here; the address stands above.');
  }

  /** What a slash command may do here. */
  #createSlash(): SlashHost {
    return {
      commands: COMMANDS,
      prompts: async () => splitPrompts((await this.#options.listCommands?.()) ?? []),
      options: this.#options,
      keys: this.#keys,
      look: this.#look,
      redraw: () => {
        this.#parts.prompt.invalidate();
        this.requestFrame();
      },
      session: () => this.session,
      activity: () => this.#activity,
      runEnd: () => runEnd(this.session, () => this.#activity),
      model: () => this.#model,
      mode: () => this.#mode,
      changeMode: (mode) => this.#changeMode(mode),
      fill: (text) => {
        if (this.#parts.prompt.text === '') this.#parts.prompt.set(text);
      },
      add: (item) => {
        this.#transcript.add(item);
        this.requestFrame();
      },
      notice: (severity, text) => this.#notice(severity, text),
      send: (text) => this.#parts.outbox.send(text),
      open: (id) => this.#options.openSession(id, this.#chosen),
      begin: (session, words) => this.#begin(session, words),
      chose: async (model) => {
        this.#chosen = model;
        await this.#options.keepModel?.(model);
        const facts = await this.#options.describeModel?.(model);
        if (facts && this.#chosen === model) this.#model = facts;
        this.requestFrame();
      },
      pick: (items, current, words) => {
        this.#overlay = new ListPicker(items, current, words, this.#look.theme);
        this.requestFrame();
      },
      copy: (text) => this.#ports.surface.write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`),
      quit: () => this.#ports.quit(0),
    };
  }

  // Keys.

  key(units: string): void {
    const read = this.#typed.next(units);
    if (read === undefined || this.#isStopped || isKeyRelease(read) || this.#attention.takes(read)) return;
    const data = plainKey(read);
    if (!data.startsWith('\x1b]')) this.#route(data);
    else if (this.#look.learn(data)) this.#parts.prompt.invalidate();
    this.#unsent.touch();
    this.#clock.requestForKey();
  }

  #route(data: string): void {
    const isInterrupt = matchesKey(data, 'ctrl+c');
    // Who types something else does not leave.
    if (!isInterrupt) this.#quitAsked = Number.NEGATIVE_INFINITY;
    if (isInterrupt) this.#interrupt();
    else if (this.#keys.matches(data, 'suspend')) this.#ports.suspend();
    else if (this.#parts.questions.current) this.#parts.questions.key(data);
    else if (this.#overlay) this.#keyOfOverlay(this.#overlay, data);
    else if (this.#parts.questions.takesLate(data)) return;
    else if (this.#keys.matches(data, 'edit_outside')) this.#editOutside();
    else if (this.#keys.matches(data, 'search_history')) this.#searchHistory();
    else if (this.#keys.matches(data, 'mode'))
      void this.#changeMode(nextMode(this.#mode, this.#options.mode === 'yolo'));
    else if (this.#keys.matches(data, 'details')) this.#openPanel();
    // Many terminals send Shift+Enter as Alt+Enter: while nothing runs it is a new line.
    else if (this.#activity.isRunning && this.#keys.matches(data, 'send_at_end'))
      this.#submit(this.#parts.prompt.take(), 'end');
    else if (this.#keys.matches(data, 'paste_picture')) void this.#parts.attachments.paste();
    else if (this.#parts.attachments.takes(data)) return;
    else if (this.#takesBack(data)) void this.#parts.outbox.takeBack();
    else if (this.#keys.matches(data, 'leave') && this.#parts.prompt.text === '') this.#ports.quit(0);
    else if (this.#keys.matches(data, 'stop') && !this.#parts.prompt.editor.isShowingAutocomplete()) this.#escape();
    else this.#parts.prompt.input(data);
  }

  #takesBack(data: string): boolean {
    const { prompt, outbox } = this.#parts;
    return this.#keys.matches(data, 'up') && prompt.text === '' && !outbox.isEmpty;
  }

  #keyOfOverlay(overlay: Overlay, data: string): void {
    const isOpen = overlay.key(data);
    // What was chosen may have put another list in its place.
    if (!isOpen && this.#overlay === overlay) this.#overlay = undefined;
  }

  #editOutside(): void {
    const { editText } = this.#options;
    if (editText === undefined) {
      this.#notice('warning', 'No editor can be opened here.');
      return;
    }
    const edited = this.#ports.outside(() => editText(this.#parts.prompt.text));
    if (edited.ok) this.#parts.prompt.set(edited.text);
    else this.#notice('warning', edited.message);
  }

  /** Everything that was typed, here and in earlier sessions, the newest first. */
  #searchHistory(): void {
    const items = [...new Set([...this.#typedBefore].reverse())].map((text) => ({ value: text, label: text }));
    if (items.length === 0) {
      this.#notice('quiet', 'Nothing has been typed yet.');
      return;
    }
    const words = {
      title: 'Search what you typed',
      hint: 'Enter puts it into the prompt, Esc leaves',
      isSearch: true,
      take: (text: string) => this.#parts.prompt.set(text),
    };
    this.#overlay = new ListPicker(items, '', words, this.#look.theme);
  }

  #remember(text: string): void {
    this.#typedBefore.push(text);
    this.#parts.prompt.remember(text);
  }

  #escape(): void {
    if (this.#parts.shell.isRunning) this.#parts.shell.cancel();
    else if (this.#activity.isRunning) void this.#cancel();
  }

  #openPanel(): void {
    const details = this.#transcript.details;
    if (details.length > 0) this.#overlay = new DetailPanel(details, this.#look.theme, this.#keys);
    else this.#notice('quiet', 'No call has been made yet.');
  }

  #interrupt(): void {
    const now = this.#ports.now();
    if (now - this.#quitAsked < TERMINAL_LIMITS.quitMs) {
      this.#ports.quit(0);
      return;
    }
    if (this.#overlay !== undefined && !this.#parts.questions.current) {
      if (!(this.#overlay instanceof ListPicker && this.#overlay.clearFilter())) this.#overlay = undefined;
      return;
    }
    if (this.#parts.prompt.text !== '') {
      // The up arrow brings it back.
      this.#parts.prompt.remember(this.#parts.prompt.take());
      return;
    }
    this.#quitAsked = now;
    this.#escape();
    this.#clock.requestAfter(TERMINAL_LIMITS.quitMs);
  }

  // Frames.

  #draw(): void {
    if (this.#isStopped || this.#isPaused) return;
    const now = this.#ports.now();
    this.#parts.painter.draw(now, this.#clock.turn);
    const question = this.#parts.questions.current;
    if (!question || question.isArmed(now)) return;
    this.#parts.questions.shown();
    this.#clock.requestAfter(TERMINAL_LIMITS.questionArmMs);
  }

  #footer(view: View): string {
    if (view.now - this.#quitAsked < TERMINAL_LIMITS.quitMs) return view.theme.warn('Press Ctrl+C again to leave');
    const { sandbox, folder, gitBranch } = this.#options;
    const facts = {
      contextLength: this.#model.contextLength,
      model: this.#model.name,
      mode: this.#mode,
      folder,
      branch: gitBranch?.(),
      sandbox: sandbox.text,
      parts: this.#look.status,
    };
    return this.#activity.footer(view, facts);
  }
}
