/** Keeps the projection and the ids in use in step with the log, so that each event is looked at once. */
import type { Event } from '../../../core/events.ts';
import type { ModelMessage, Usage } from '../../../core/message.ts';
import { createProjection, type Projection } from '../../../core/model-projection.ts';
import type { Mode } from '../../../core/policy/modes.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { CallModelOptions } from './turn.ts';

/** Enough to see whether counts grow with the prompt. */
const COUNTS_REMEMBERED = 3;

/** `window`: learns from the log what prompts of an earlier run took. */
export type FollowOptions = Pick<CallModelOptions, 'projection' | 'tier'> & Partial<Pick<CallModelOptions, 'window'>>;

export class FollowedLog {
  /** Ids are used once in a whole log, also by what a branch left aside. */
  readonly usedIds = new Set<string>();
  readonly #options: FollowOptions;
  #projection: Projection;
  #path: readonly Event[] | undefined;
  #logSeen = 0;
  #seen = 0;
  #usage: Usage | undefined;
  #isAnew = false;
  #wantsNoTools = false;
  #isCompacted = false;
  #isPlanning = false;
  #isBegun = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#projection = createProjection(options.projection);
  }

  /** What the model reads next. */
  messages(session: SessionHandle): readonly ModelMessage[] {
    this.#follow(session);
    return this.#projection.messages();
  }

  /** What stands before the next message of the person. */
  beforeNext(session: SessionHandle): readonly ModelMessage[] {
    this.#follow(session);
    return this.#projection.beforeNext();
  }

  /** The person's last message is to be answered without tools. */
  wantsNoTools(session: SessionHandle): boolean {
    this.#follow(session);
    return this.#wantsNoTools;
  }

  get lastUsage(): Usage | undefined {
    return this.#usage;
  }

  /** Something was left out of a prompt, be it on a branch that was set aside: what was said there is found too. */
  get isCompacted(): boolean {
    return this.#isCompacted;
  }

  /**
   * The session began in plan mode and was in no other since. Switched on later, the list of tools stays what it was, so
   * that the prompt is read on from where it ended; a call is refused then.
   */
  get isPlanning(): boolean {
    return this.#isPlanning;
  }

  /** True once after the log told of a compaction, a branch or another model: the prompt before is no measure then. */
  beginsAnew(): boolean {
    const was = this.#isAnew;
    this.#isAnew = false;
    return was;
  }

  #follow(session: SessionHandle): void {
    this.#followLog(session.log());
    const path = session.path();
    // What a branch left aside is no part of the next prompt: the contract holds from the branch on.
    if (path !== this.#path) this.#beginPath(path);
    const isFirst = this.#seen === 0;
    let counted: { count: number; usage: Usage }[] = [];
    for (; this.#seen < path.length; this.#seen += 1) {
      const event = path[this.#seen] as Event;
      if (event.type === 'user_message_added') {
        this.#wantsNoTools = event.tools === 'off';
        this.#isBegun = true;
      } else if (event.type === 'mode_changed') this.#changeMode(event.mode);
      else if (event.type === 'assistant_message_added') {
        const { usage } = event.message;
        this.#usage = usage ?? this.#usage;
        // What was counted with other instructions and tools is no measure of these.
        const isAlike = event.prompt?.tier === this.#options.tier && !event.prompt?.other_usage;
        if (isAlike && usage)
          counted = [...counted.slice(-COUNTS_REMEMBERED), { count: this.#projection.messages().length, usage }];
      } else if (event.type === 'context_compacted' || event.type === 'model_changed') {
        counted = [];
        this.#usage = undefined;
        this.#isAnew = true;
      }
      this.#projection.add(event);
    }
    if (!isFirst) return;
    // What the log of an earlier run says of the size of its last prompts.
    for (const { count, usage } of counted) {
      const sent = this.#projection.messages().slice(0, count);
      this.#options.window?.counts.remember(session.state().model, sent, usage);
    }
  }

  #changeMode(mode: Mode): void {
    if (!this.#isBegun) this.#isPlanning = mode === 'plan';
    else if (this.#isPlanning && mode !== 'plan') {
      this.#isPlanning = false;
      this.#isAnew = true;
    }
  }

  #followLog(log: readonly Event[]): void {
    for (; this.#logSeen < log.length; this.#logSeen += 1) {
      const event = log[this.#logSeen] as Event;
      this.#isCompacted ||= event.type === 'context_compacted';
      if (event.type !== 'assistant_message_added') continue;
      for (const call of event.message.tool_calls) this.usedIds.add(call.id);
    }
  }

  #beginPath(path: readonly Event[]): void {
    this.#isAnew = this.#path !== undefined;
    this.#path = path;
    this.#projection = createProjection(this.#options.projection);
    this.#seen = 0;
    this.#usage = undefined;
    this.#wantsNoTools = false;
    this.#isPlanning = false;
    this.#isBegun = false;
  }
}
