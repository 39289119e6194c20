/** How large the windows of a session's models are: as their server says, as it was asked, or as a refusal showed. */
import type { ModelProvider } from '../../../core/model-port.ts';

/** `ask`: nobody has asked the server yet, and it is asked as soon as something might not fit. */
export type ContextTokens = number | 'ask';

export class KnownWindows {
  readonly #provider: Pick<ModelProvider, 'describe'>;
  readonly #given: ContextTokens | undefined;
  readonly #guessed = new Set<string>();
  readonly #tokens = new Map<string, number | undefined>();
  readonly #asked = new Map<string, Promise<number | undefined>>();

  constructor(options: {
    provider: Pick<ModelProvider, 'describe'>;
    model: string;
    contextTokens?: ContextTokens | undefined;
  }) {
    this.#provider = options.provider;
    this.#given = options.contextTokens;
    if (this.#given !== 'ask') this.#tokens.set(options.model, this.#given);
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

  /** A refusal showed it, or only that it is smaller than what was sent (`isGuess`). */
  learn(model: string, tokens: number, { isGuess }: { isGuess: boolean }): void {
    this.#tokens.set(model, tokens);
    if (isGuess) this.#guessed.add(model);
    else this.#guessed.delete(model);
  }

  /** Nobody said it; a prompt that is larger may fit nevertheless. */
  isGuess(model: string): boolean {
    return this.#guessed.has(model);
  }

  async #describe(model: string, signal: AbortSignal): Promise<number | undefined> {
    const described = await this.#provider.describe(model, signal);
    const tokens = described.ok ? described.model.context_length : undefined;
    if (!signal.aborted) this.#tokens.set(model, tokens);
    return tokens;
  }
}
