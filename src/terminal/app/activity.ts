/** What is happening now, in words; and the numbers a local user lives by. */
import type { SessionUpdate } from '../../core/events.ts';
import type { Usage } from '../../core/message.ts';
import type { Mode } from '../../core/policy/modes.ts';
import { type ContextUse, countedIn, countedUse, plannedUse } from '../../core/window.ts';
import { sanitizeLine } from '../sanitize.ts';
import { STATUS_PARTS, type StatusPart } from '../status-line.ts';
import { cut, formatBytes, formatCount, formatDuration, formatNumber, widthOf } from '../text.ts';
import type { Theme } from '../theme.ts';
import type { View } from '../transcript/items.ts';
import { turningLine } from './turning-line.ts';

type Phase =
  | { name: 'idle' }
  /** `isSending`: the message is not in the conversation yet. */
  | { name: 'waiting'; isSending?: true }
  | { name: 'loading'; message: string; fraction?: number | undefined }
  | { name: 'prefill'; processed: number; total: number; secondsLeft?: number | undefined; estimated: boolean }
  | { name: 'thinking' }
  | { name: 'writing' }
  | { name: 'calling'; tool: string; bytes: number }
  | { name: 'tools' }
  | { name: 'asking' };

export type FooterFacts = {
  mode: Mode;
  /** The name of the folder, and the branch that git is on there. */
  folder?: string | undefined;
  branch?: string | undefined;
  model: string;
  contextLength?: number | undefined;
  sandbox: string;
  /** Which parts, in which order; all of them where absent. */
  parts?: readonly StatusPart[] | undefined;
};

/** Where there is little room, one after the other is said in its next shorter form, or left out after the last. */
const SHORTENED: readonly (StatusPart | 'sandbox')[] = [
  'context',
  'reused',
  'speed',
  'sandbox',
  'context',
  'folder',
  'folder',
  'context',
  'context',
  'model',
];

const BAR_COLUMNS = 16;
const ENDS: readonly string[] = ['run_completed', 'run_stopped', 'run_cancelled'];

export class Activity {
  #phase: Phase = { name: 'idle' };
  #since = 0;
  #usage: Usage | undefined;
  /** How much of the window is taken. */
  #use: ContextUse | undefined;
  #written = 0;
  #writingSince = 0;
  /** The answer is whole, and calls nothing. */
  #isAnswered = false;

  get isRunning(): boolean {
    return this.#phase.name !== 'idle';
  }

  /** What is on the screen may be all that comes. */
  get mayBeOver(): boolean {
    return this.#phase.name === 'writing' || this.#isAnswered;
  }

  get isSending(): boolean {
    return this.#phase.name === 'waiting' && this.#phase.isSending === true;
  }

  /** The conversation goes on from another place. */
  moved(use: ContextUse | undefined): void {
    this.#use = use;
    this.#usage = undefined;
  }

  apply(update: SessionUpdate, now: number): void {
    const phase = this.#phase;
    switch (update.type) {
      case 'user_message_added':
      case 'model_started':
        this.#enter({ name: 'waiting' }, now);
        return;
      case 'compaction':
        this.#enter(
          update.state === 'started' ? { name: 'loading', message: 'Making room in the window' } : { name: 'idle' },
          now,
        );
        return;
      case 'context_compacted':
        // What the server counted before is not what the next prompt holds.
        this.#use = plannedUse(update);
        this.#usage = undefined;
        if (phase.name === 'loading') this.#enter({ name: 'waiting' }, now);
        return;
      case 'loading':
        this.#enter({ name: 'loading', message: update.message, fraction: update.fraction }, now);
        return;
      case 'prefill': {
        const { processed, total, seconds_left: secondsLeft, estimated = false } = update;
        if (this.#usage === undefined) this.#use = { tokens: total, isEstimated: estimated };
        this.#enter({ name: 'prefill', processed, total, secondsLeft, estimated }, now);
        return;
      }
      case 'reasoning_delta':
        this.#count(now);
        this.#enter({ name: 'thinking' }, now);
        return;
      case 'text_delta':
        this.#count(now);
        this.#enter({ name: 'writing' }, now);
        return;
      case 'tool_call_delta': {
        const before = phase.name === 'calling' ? phase : { tool: '', bytes: 0 };
        this.#enter(
          { name: 'calling', tool: update.name ?? before.tool, bytes: before.bytes + update.arguments_delta.length },
          now,
        );
        return;
      }
      case 'assistant_message_added':
        this.#counted(update.message.usage);
        this.#used(countedIn(update));
        this.#writingSince = 0;
        this.#isAnswered = update.message.tool_calls.length === 0;
        return;
      case 'usage':
        this.#counted(update.usage);
        return;
      case 'permission_requested':
        this.#enter({ name: 'asking' }, now);
        return;
      // A server may ask when nothing runs.
      case 'server_asked':
      case 'server_answered':
        if (phase.name !== 'idle') this.#enter({ name: update.type === 'server_asked' ? 'asking' : 'tools' }, now);
        return;
      case 'tool_started':
      case 'permission_resolved':
        this.#enter({ name: 'tools' }, now);
        return;
      default:
        if (ENDS.includes(update.type)) this.#enter({ name: 'idle' }, now);
    }
  }

  /** The person asked for something; nothing has been heard yet. */
  sent(now: number): void {
    this.#enter({ name: 'waiting', isSending: true }, now);
  }

  stopped(now: number): void {
    this.#enter({ name: 'idle' }, now);
  }

  #enter(phase: Phase, now: number): void {
    this.#isAnswered = false;
    if (phase.name !== this.#phase.name) this.#since = now;
    if (phase.name === 'waiting' || phase.name === 'idle') {
      this.#written = 0;
      this.#writingSince = 0;
    }
    this.#phase = phase;
  }

  #counted(usage: Usage | undefined): void {
    if (usage === undefined) return;
    this.#usage = usage;
  }

  #used(usage: Usage | undefined): void {
    if (usage !== undefined) this.#use = countedUse(usage);
  }

  #count(now: number): void {
    if (this.#writingSince === 0) this.#writingSince = now;
    this.#written += 1;
  }

  /** `isNext`: it is what Esc stops. */
  line(view: View, running: readonly string[], isNext = true): string[] {
    if (this.#phase.name === 'idle') return [];
    const elapsed = view.now - this.#since;
    const time = elapsed >= 1_000 ? ` ${formatDuration(elapsed)}` : '';
    const words = this.#words(view.theme, time, running);
    return [turningLine(view, { words, stops: isNext && this.#phase.name !== 'asking' })];
  }

  /** The same for a screen reader: said once, without what changes all the time. */
  spoken(running: readonly string[]): string {
    switch (this.#phase.name) {
      case 'waiting':
        return 'Waiting for the model.';
      case 'loading':
        return sanitizeLine(this.#phase.message) || 'Loading the model.';
      case 'prefill':
        return 'The model reads the prompt.';
      case 'thinking':
        return 'Thinking.';
      case 'tools':
        return running.length === 0 ? '' : `Running ${running.join(', ')}.`;
      default:
        return '';
    }
  }

  #words(theme: Theme, time: string, running: readonly string[]): string {
    const phase = this.#phase;
    const dots = theme.marks.ellipsis;
    switch (phase.name) {
      case 'idle':
        return '';
      case 'waiting':
        return `Waiting for the model${dots}${time}`;
      case 'loading': {
        const words = sanitizeLine(phase.message) || 'Loading the model';
        return phase.fraction === undefined
          ? `${words}${dots}${time}`
          : `${words} ${bar(phase.fraction, theme)} ${percent(phase.fraction)}`;
      }
      case 'prefill': {
        const fraction = phase.total > 0 ? phase.processed / phase.total : 0;
        const about = phase.estimated ? 'about ' : '';
        const left =
          phase.secondsLeft === undefined
            ? ''
            : `${theme.marks.separator}${about}${formatDuration(phase.secondsLeft * 1_000)} left`;
        return `Reading the prompt ${bar(fraction, theme)} ${about}${formatNumber(phase.processed)} of ${formatNumber(phase.total)}${left}`;
      }
      case 'thinking':
        return `Thinking${dots}${time}`;
      case 'writing':
        return `Writing${dots}${time}`;
      case 'calling':
        return `Writing a call of ${sanitizeLine(phase.tool) || 'a tool'}${dots} ${formatBytes(phase.bytes)}${time}`;
      case 'tools':
        return running.length === 0 ? `Working${dots}${time}` : `Running ${running.join(', ')}${dots}${time}`;
      case 'asking':
        return 'Waiting for you';
    }
  }

  /** Mode, folder, branch, model, context used of the true window, share of the prompt reused, sandbox: as much as fits. */
  footer({ width, theme, now }: View, facts: FooterFacts): string {
    const usage = this.#usage;
    const used = this.#use?.tokens ?? 0;
    const window = facts.contextLength;
    const gap = theme.marks.separator;
    const room = width - widthOf(facts.mode) - widthOf(gap);
    const forms: Record<StatusPart | 'sandbox', readonly string[]> = {
      model: [cut(sanitizeLine(facts.model), Math.max(8, Math.floor(width / 2)))],
      context: contextForms(this.#use, window),
      speed: [this.#speed(now)],
      folder: placeForms(facts),
      reused: [reusedShare(usage)],
      sandbox: sandboxForms(facts.sandbox),
    };
    const order = [...(facts.parts ?? STATUS_PARTS), 'sandbox'] as const;
    const joined = (): string => order.flatMap((part) => forms[part][0] || []).join(gap);
    // The mode and how commands are contained are never left out.
    for (const part of SHORTENED) {
      if (widthOf(joined()) <= room) break;
      if (part !== 'sandbox' || forms.sandbox.length > 1) forms[part] = forms[part].slice(1);
    }
    const line = cut(joined(), Math.max(0, room));
    const isFull = window !== undefined && used / window > 0.85;
    const mode = theme.modes[facts.mode](facts.mode);
    return isFull
      ? `${mode} ${theme.warn(cut(`${theme.marks.warning} ${line}`, width - widthOf(facts.mode) - 1))}`
      : `${mode}${theme.dim(gap + line)}`;
  }

  /** While the model writes, one delta is taken for one token. */
  #speed(now: number): string {
    if (this.#writingSince === 0 || now - this.#writingSince <= 500) return '';
    return `${Math.round((this.#written / (now - this.#writingSince)) * 1_000)} tokens/s`;
  }
}

const contextForms = (use: ContextUse | undefined, window: number | undefined): string[] => {
  const used = use?.tokens ?? 0;
  const taken = `${use?.isEstimated ? 'about ' : ''}${formatCount(used)}`;
  if (!window) return [used > 0 ? `${taken} context` : ''];
  const share = used > 0 ? ` (${Math.round((used / window) * 100)} %)` : '';
  const short = `${taken} of ${formatCount(window)}`;
  return [`${short} context${share}`, `${short}${share}`, short, share.slice(2, -1)];
};

/** `bubblewrap, no network` → what matters of it. */
const sandboxForms = (text: string): string[] => {
  const whole = sanitizeLine(text);
  const reach = /^\w+, ((?:no )?network.*)$/.exec(whole)?.[1];
  return reach === undefined ? [whole] : [whole, reach];
};

const placeForms = ({ folder, branch }: FooterFacts): string[] => {
  if (!folder) return [];
  const name = sanitizeLine(folder);
  return branch ? [`${name} (${sanitizeLine(branch)})`, name] : [name];
};

const reusedShare = (usage: Usage | undefined): string =>
  usage?.cached_tokens !== undefined && usage.prompt_tokens > 0
    ? `${percent(usage.cached_tokens / usage.prompt_tokens)} reused`
    : '';

const percent = (fraction: number): string => `${Math.round(Math.max(0, Math.min(1, fraction)) * 100)} %`;

export const bar = (fraction: number, theme: Theme): string => {
  const filled = Math.round(Math.max(0, Math.min(1, fraction)) * BAR_COLUMNS);
  return theme.marks.filled.repeat(filled) + theme.marks.empty.repeat(BAR_COLUMNS - filled);
};
