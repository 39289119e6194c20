/** How large the windows of a session's models are: as their server says, as it was asked, or as a refusal showed. */
import type { ModelProvider } from '../../../core/model-port.ts';

/** `ask`: nobody has asked the server yet, and it is asked as soon as something might not fit. */
export type ContextTokens = number | 'ask';

export class KnownWindows {
  readonly #provider: Pick<ModelProvider, 'describe'>;
  readonly #given: ContextTokens | undefined;
  readonly #uncertain = new Set<string>();
  readonly #tokens = new Map<string, number | undefined>();
  readonly #asked = new Map<string, Promise<number | undefined>>();

  constructor(options: {
    provider: Pick<ModelProvider, 'describe'>;
    model: string;
    contextTokens?: ContextTokens | undefined;
    /** The window is one that an earlier refusal showed. */
    isLearned?: boolean | undefined;
  }) {
    this.#provider = options.provider;
    this.#given = options.contextTokens;
    if (this.#given !== 'ask') this.#tokens.set(options.model, this.#given);
    if (options.isLearned) this.#uncertain.add(options.model);
  }

  /** Nobody has asked the server of any model. */
  get isUnasked(): boolean {
    return this.#given === 'ask';
  }

  has(model: string): boolean {
    return this.#tokens.has(model);
  }

  get(model: string): number | undefined {
    return this.#tokens.get(model);
  }

  /** What is not known is asked for once: of the first model where nobody has yet, and of one that was changed to. */
  async of(model: string, signal: AbortSignal): Promise<number | undefined> {
    if (this.#given === undefined || this.#tokens.has(model)) return this.#tokens.get(model);
    const asking = this.#asked.get(model) ?? this.#describe(model, signal);
    this.#asked.set(model, asking);
    return asking.finally(() => this.#asked.delete(model));
  }

  /** A refusal showed it, or only that it is smaller than what was sent. */
  learn(model: string, tokens: number): void {
    this.#tokens.set(model, tokens);
    this.#uncertain.add(model);
  }

  /** A larger prompt was answered, so it is another one now; the next refusal will show it. */
  forget(model: string): void {
    this.#tokens.set(model, undefined);
    this.#uncertain.delete(model);
  }

  /** Nobody said it; a prompt that is larger may fit nevertheless, and its server refuses one that does not. */
  isUncertain(model: string): boolean {
    return this.#uncertain.has(model);
  }

  async #describe(model: string, signal: AbortSignal): Promise<number | undefined> {
    const described = await this.#provider.describe(model, signal);
    const tokens = described.ok ? described.model.context_length : undefined;
    if (!signal.aborted) this.#tokens.set(model, tokens);
    return tokens;
  }
}
