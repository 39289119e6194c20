/** `!command` and `!!command`: the person's own commands between messages. What the first prints goes with the next message. */

import { AGENT_LIMITS } from '../../agent/limits.ts';
import { cutResult, resultCharacters } from '../../agent/loop/window/offload.ts';
import type { ContentPart } from '../../core/message.ts';
import { thrownText } from '../../core/thrown-text.ts';
import type { AppOptions } from '../app-options.ts';
import { sanitizeTitle } from '../sanitize.ts';
import { formatDuration } from '../text.ts';
import type { Item, Severity, View } from '../transcript/items.ts';
import type { Detail } from '../transcript.ts';
import { CommandOutput } from './command-output.ts';
import { turningLine } from './turning-line.ts';

export type ShellControllerPorts = {
  run: AppOptions['runCommand'];
  add(item: Item): void;
  /** What can be opened in full. */
  addDetail(detail: Detail): void;
  notice(severity: Severity, text: string): void;
  /** The window of the model that is in use, where it is known. */
  contextTokens(): number | undefined;
  now(): number;
  changed(): void;
};

type Brought = { command: string; exitCode: number; output: string };
/** `isTold`: what it prints goes with the next message. */
type Running = { command: string; since: number; stop: AbortController; isTold: boolean };

export class ShellController {
  readonly #ports: ShellControllerPorts;
  #running: Running | undefined;
  #brought: Brought[] = [];

  constructor(ports: ShellControllerPorts) {
    this.#ports = ports;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get isEmpty(): boolean {
    return this.#brought.length === 0;
  }

  cancel(): void {
    this.#running?.stop.abort();
  }

  /** Another conversation begins: what was run in the one before is not told there. */
  forget(): void {
    this.#brought = [];
    if (this.#running) this.#running.isTold = false;
  }

  line(view: View): string[] {
    if (this.#running === undefined) return [];
    const elapsed = view.now - this.#running.since;
    const time = elapsed >= 1_000 ? ` ${formatDuration(elapsed)}` : '';
    const words = `Running ${sanitizeTitle(`!${this.#running.command}`)}${view.theme.marks.ellipsis}`;
    return [turningLine(view, { words, end: time, stops: true })];
  }

  /** The same for a screen reader. */
  spoken(): string {
    return this.#running === undefined ? '' : `Running ${sanitizeTitle(`!${this.#running.command}`)}. Esc stops it.`;
  }

  /** The text as it was typed, with its exclamation marks. */
  async run(typed: string): Promise<void> {
    const command = typed.replace(/^!!?/, '').trim();
    const { run } = this.#ports;
    if (command === '') return this.#ports.notice('warning', 'It is !command; !!command keeps it from the model.');
    if (run === undefined) return this.#ports.notice('warning', 'Commands cannot be run here.');
    if (this.#running) return this.#ports.notice('warning', 'A command is running. Esc stops it.');
    const running: Running = {
      command,
      since: this.#ports.now(),
      stop: new AbortController(),
      isTold: !typed.startsWith('!!'),
    };
    this.#running = running;
    const output = new CommandOutput(command);
    this.#ports.add(output);
    this.#ports.addDetail(output.detail);
    this.#ports.changed();
    try {
      const result = await run(command, {
        signal: running.stop.signal,
        report: (text) => {
          output.write(text);
          this.#ports.changed();
        },
      });
      const { exit_code: exitCode } = result.metadata;
      output.end();
      if (!result.success) this.#ports.notice('warning', result.error_message ?? 'It failed.');
      const said = result.data ?? result.error_message ?? '';
      if (running.isTold && exitCode !== undefined) this.#bring(command, exitCode, said);
    } catch (error) {
      output.end();
      this.#ports.notice('error', thrownText(error));
    } finally {
      this.#running = undefined;
      this.#ports.changed();
    }
  }

  /** What was run since the last message, for the next one. Together it is no more than one result of a tool may be. */
  take(): ContentPart[] {
    const brought = this.#brought.splice(0);
    const most = Math.floor(resultCharacters(this.#ports.contextTokens()) / brought.length);
    return brought.map(({ command, exitCode, output }) => {
      const shown = output.length > most ? cutResult({ effects: 'process' }, output, most, undefined).text : output;
      return {
        type: 'text',
        text: `I ran this command myself (exit ${exitCode}):\n$ ${command}\n${shown}`,
        shown: `[!${command}]`,
      };
    });
  }

  #bring(command: string, exitCode: number, output: string): void {
    this.#brought.push({ command, exitCode, output });
    this.#brought = this.#brought.slice(-AGENT_LIMITS.mentions);
  }
}
