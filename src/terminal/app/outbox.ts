/** What the person says on its way to the session: with what it brings along, and in turn while a run goes on. */

import { AGENT_LIMITS } from '../../agent/limits.ts';
import type { SessionFace } from '../../core/events.ts';
import type { ContentPart } from '../../core/message.ts';
import type { AppOptions } from '../app-options.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { sanitizeLine } from '../sanitize.ts';
import { cut } from '../text.ts';
import type { Theme } from '../theme.ts';
import type { Severity } from '../transcript/items.ts';
import type { Activity } from './activity.ts';
import type { PromptEditor } from './prompt-editor.ts';
import type { ShellController } from './shell-controller.ts';

export type OutboxPorts = {
  session(): SessionFace;
  activity(): Activity;
  shell: ShellController;
  prompt: PromptEditor;
  expand: AppOptions['expand'];
  now(): number;
  /** Whether something turns on the screen. */
  spin(isOn: boolean): void;
  notice(severity: Severity, text: string): void;
};

export class Outbox {
  readonly #ports: OutboxPorts;
  /** Messages typed ahead. */
  #queue: string[] = [];

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
  }

  /** At once, or when what is going on has ended. */
  say(text: string): void {
    if (!this.#ports.activity().isRunning) void this.send(text);
    else if (this.#queue.length < AGENT_LIMITS.queuedMessages) this.#queue.push(text);
    else this.#ports.notice('warning', `${AGENT_LIMITS.queuedMessages} messages are waiting already.`);
  }

  async send(text: string): Promise<void> {
    const { session, activity, shell, prompt, now, spin, notice } = this.#ports;
    activity().sent(now());
    spin(true);
    // A message that brings nothing along goes at once: what is typed next is meant for what it leads to.
    const plain = !text.includes('@') && shell.isEmpty;
    const content = plain ? text : await this.#content(text);
    const sent = await session().send({ type: 'send_message', content });
    if (sent.ok) return;
    activity().stopped(now());
    spin(false);
    notice('error', sent.message);
    if (prompt.text === '') prompt.set(text);
  }

  /** The message, the files it names, and what the person ran since the last one. */
  async #content(text: string): Promise<string | ContentPart[]> {
    const expanded = await this.#ports.expand?.(text);
    for (const problem of expanded?.problems ?? []) this.#ports.notice('quiet', problem);
    const content = expanded?.content ?? text;
    const brought = this.#ports.shell.take();
    if (brought.length === 0) return content;
    return [...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content), ...brought];
  }

  sendNext(): void {
    const text = this.#queue.shift();
    if (text !== undefined) void this.send(text);
  }

  /** After a stop the queued messages are the person's again. */
  giveBack(): void {
    if (this.#queue.length === 0) return;
    const { prompt } = this.#ports;
    prompt.set([...this.#queue, prompt.text].filter((text) => text !== '').join('\n'));
    this.#queue = [];
  }

  lines(width: number, theme: Theme): string[] {
    const shown = this.#queue.slice(0, TERMINAL_LIMITS.queueLines);
    const left = this.#queue.length - shown.length;
    return [
      ...shown.map((text) => theme.dim(cut(`next: ${sanitizeLine(text)}`, width))),
      ...(left > 0 ? [theme.dim(`and ${left} more`)] : []),
    ];
  }
}
