/** `!command` and `!!command`: the person's own commands between messages. What the first prints goes with the next message. */

import { AGENT_LIMITS } from '../../agent/limits.ts';
import type { ContentPart } from '../../core/message.ts';
import { counted } from '../../core/number-text.ts';
import type { AppOptions } from '../app-options.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { Sanitizer } from '../sanitize.ts';
import { cut } from '../text.ts';
import type { Item, Severity, View } from '../transcript/items.ts';

export type ShellControllerPorts = {
  run: AppOptions['runCommand'];
  add(item: Item): void;
  notice(severity: Severity, text: string): void;
  changed(): void;
};

export class ShellController {
  readonly #ports: ShellControllerPorts;
  #running: AbortController | undefined;
  #brought: ContentPart[] = [];

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
    this.#running?.abort();
  }

  /** The text as it was typed, with its exclamation marks. */
  async run(typed: string): Promise<void> {
    const quiet = typed.startsWith('!!');
    const command = typed.slice(quiet ? 2 : 1).trim();
    const { run } = this.#ports;
    if (command === '') return this.#ports.notice('warning', 'It is !command; !!command keeps it from the model.');
    if (run === undefined) return this.#ports.notice('warning', 'Commands cannot be run here.');
    if (this.#running) return this.#ports.notice('warning', 'A command is running. Esc stops it.');
    const controller = new AbortController();
    this.#running = controller;
    const output = new CommandOutput();
    this.#ports.add(output);
    try {
      const result = await run(command, {
        signal: controller.signal,
        report: (text) => {
          output.write(text);
          this.#ports.changed();
        },
      });
      const { exit_code: exitCode } = result.metadata;
      output.end();
      if (!result.success) this.#ports.notice('warning', result.error_message ?? 'It failed.');
      const said = result.data ?? result.error_message ?? '';
      if (!quiet && exitCode !== undefined) this.#bring(command, exitCode, said);
    } catch (error) {
      output.end();
      this.#ports.notice('error', error instanceof Error ? error.message : String(error));
    } finally {
      this.#running = undefined;
      this.#ports.changed();
    }
  }

  /** What was run since the last message, for the next one. */
  take(): ContentPart[] {
    return this.#brought.splice(0);
  }

  #bring(command: string, exitCode: number, output: string): void {
    this.#brought.push({
      type: 'text',
      text: `I ran this command myself (exit ${exitCode}):\n$ ${command}\n${output}`,
      shown: `[!${command}]`,
    });
    this.#brought = this.#brought.slice(-AGENT_LIMITS.mentions);
  }
}

/** The output of one command, line by line as it comes; what is finished is given out once. */
class CommandOutput implements Item {
  readonly kind = 'notice';
  readonly #sanitizer = new Sanitizer('text');
  #ready: string[] = [];
  #partial = '';
  #shown = 0;
  #left = 0;
  isFinished = false;

  write(text: string): void {
    const lines = (this.#partial + this.#sanitizer.push(text)).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) this.#add(line);
  }

  end(): void {
    const rest = this.#partial + this.#sanitizer.end();
    this.#partial = '';
    if (rest !== '') this.#add(rest);
    if (this.#left > 0) this.#ready.push(`… ${counted(this.#left, 'more line')}`);
    this.isFinished = true;
  }

  take({ width, theme }: View): string[] {
    return this.#ready.splice(0).map((line) => theme.dim(cut(`  ${line}`, width)));
  }

  live({ width, theme }: View): string[] {
    return this.#partial === '' ? [] : [theme.dim(cut(`  ${this.#partial}`, width))];
  }

  #add(line: string): void {
    if (this.#shown < TERMINAL_LIMITS.commandLines) this.#ready.push(line);
    else this.#left += 1;
    this.#shown += 1;
  }
}
