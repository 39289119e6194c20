/** What waits for the person: permissions first, then what MCP servers ask. One question is shown at a time. */
import type { SessionUpdate } from '../core/events.ts';
import type { QuestionsHost } from './questions/host.ts';
import { PermissionController } from './questions/permission-controller.ts';
import { ServerController } from './questions/server-controller.ts';

export type { QuestionsHost };

/** The question on the screen. */
export type ShownQuestion = {
  lines(width: number, rows: number, now: number): string[];
  /** It is on the screen from now on. */
  shown(now: number): void;
  /** It takes keys: none that was pressed before it could be read. */
  isArmed(now: number): boolean;
};

export class Questions {
  readonly #permissions: PermissionController;
  readonly #servers: ServerController;

  constructor(host: QuestionsHost) {
    this.#permissions = new PermissionController(host);
    this.#servers = new ServerController(host);
  }

  get current(): ShownQuestion | undefined {
    return this.#permissions.prompt ?? this.#servers.prompt;
  }

  follow(update: SessionUpdate): void {
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

  key(data: string): void {
    if (this.#permissions.prompt) void this.#permissions.key(data);
    else void this.#servers.key(data);
  }
}
