/** Adds up what the steps of one turn cost, so that the person sees one honest figure. */
import type { Written } from '../../core/led-port.ts';
import type { Usage } from '../../core/message.ts';

export class Meter {
  private promptTokens = 0;
  private cachedTokens = 0;
  private completionTokens = 0;
  private promptSeconds: number | undefined;
  private readonly now: () => number;
  private readonly started: number;

  constructor(now: () => number) {
    this.now = now;
    this.started = now();
  }

  add(generated: Pick<Written, 'promptTokens' | 'cachedTokens' | 'completionTokens' | 'promptSeconds'>): void {
    this.promptTokens += generated.promptTokens;
    this.cachedTokens += generated.cachedTokens;
    this.completionTokens += generated.completionTokens;
    if (generated.promptSeconds !== undefined) this.promptSeconds = (this.promptSeconds ?? 0) + generated.promptSeconds;
  }

  /** For a turn that failed: nothing where no step of it was counted. */
  counted(): { usage?: Usage } {
    return this.promptTokens + this.completionTokens === 0 ? {} : { usage: this.usage() };
  }

  usage(): Usage {
    return {
      prompt_tokens: this.promptTokens,
      cached_tokens: this.cachedTokens,
      completion_tokens: this.completionTokens,
      seconds: (this.now() - this.started) / 1000,
      ...(this.promptSeconds === undefined ? {} : { prompt_seconds: this.promptSeconds }),
    };
  }
}
