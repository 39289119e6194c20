/** What waits for the person: permissions first, then what MCP servers ask. One question is shown at a time. */
import type { SessionUpdate } from '../core/events.ts';
import { TERMINAL_LIMITS } from './limits.ts';
import type { QuestionsHost } from './questions/host.ts';
import { PermissionController } from './questions/permission-controller.ts';
import { ServerController } from './questions/server-controller.ts';
import { type KeyMeaning, TypeAhead } from './questions/type-ahead.ts';

export type { QuestionsHost };

/** The question on the screen. */
export type ShownQuestion = {
  /** `isDrafted`: a message stands in the prompt, so letters are none of its keys. */
  lines(width: number, rows: number, now: number, isDrafted?: boolean): string[];
  /** It is on the screen from now on. */
  shown(now: number): void;
  /** It takes keys: none that was pressed before it could be read. */
  isArmed(now: number): boolean;
  /** Of a letter, while nothing is being written. */
  meaningOf(letter: string): KeyMeaning;
};

export class Questions {
  readonly #permissions: PermissionController;
  readonly #servers: ServerController;

  readonly #typeAhead: TypeAhead;
  readonly #now: () => number;
  /** What its keys meant to the question that went last. */
  #gone: { at: number; meaningOf(letter: string): KeyMeaning } | undefined;

  constructor(host: QuestionsHost) {
    this.#typeAhead = new TypeAhead(host);
    this.#now = () => host.now();
    this.#permissions = new PermissionController(host, this.#typeAhead);
    this.#servers = new ServerController(host, this.#typeAhead);
  }

  get current(): ShownQuestion | undefined {
    return this.#permissions.prompt ?? this.#servers.prompt;
  }

  /** A message stands in the prompt. */
  get isDrafted(): boolean {
    return this.#typeAhead.isDrafted;
  }

  /** It is on the screen from now on; over a message that is being typed it waits longer for its keys. */
  shown(): void {
    this.current?.shown(this.#typeAhead.quietFrom());
  }

  follow(update: SessionUpdate): void {
    const before = this.current;
    this.#follow(update);
    if (before && !this.current) this.#gone = { at: this.#now(), meaningOf: (letter) => before.meaningOf(letter) };
  }

  #follow(update: SessionUpdate): void {
    switch (update.type) {
      case 'permission_requested':
        this.#permissions.add(update);
        return;
      case 'server_asked':
        this.#servers.add(update.question);
        return;
      case 'server_answered':
        this.#servers.forget(update.question_id);
        return;
      case 'permission_resolved':
      case 'tool_finished':
        this.#permissions.forget(update.tool_call_id);
        return;
      case 'run_completed':
      case 'run_stopped':
      case 'run_cancelled':
        this.#permissions.forget();
        return;
      default:
    }
  }

  /** Another session is shown. */
  forget(): void {
    this.#permissions.forget();
    this.#servers.forget();
  }

  /** Where no question is open: true for a key that was pressed for the one that has just gone. */
  takesLate(data: string): boolean {
    const gone = this.#gone;
    const meaning = gone && this.#now() - gone.at < TERMINAL_LIMITS.questionArmMs ? gone.meaningOf(data) : 'none';
    if (meaning !== 'none') return this.#typeAhead.takesStray(data, meaning);
    this.#typeAhead.follows(data);
    return false;
  }

  key(data: string): void {
    if (this.#permissions.prompt) void this.#permissions.key(data);
    else void this.#servers.key(data);
  }
}
