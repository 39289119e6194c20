/**
 * A provider that a program or a plugin brings, held to its contract: an answer that is none is a failure that says what
 * was wrong and where, and a method that does not come back is left where nobody waits for it any more.
 */
import type { ModelError, ModelOutcome, ModelProvider } from '../../core/model-port.ts';
import { type Kind, PROVIDER } from '../../core/option-kinds.ts';
import { shown } from '../../core/shown-value.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { unlessAborted } from '../../core/unless-aborted.ts';
import { untilEither } from '../../core/until-either.ts';
import { closeAll } from '../close-all.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { CANCELLED } from '../loop/call-model/ended-at-abort.ts';
import { OUTCOMES, PART } from './provider-answers.ts';

type Failure = { ok: false; error: ModelError };
type Method = Exclude<keyof typeof OUTCOMES, 'stream'>;

/** What is wrong with a value that is to be a provider, in words. */
export const providerProblem = (value: unknown): string | undefined => problemIn(PROVIDER, value, 'the provider');

const problemIn = (kind: Kind, value: unknown, what: string): string | undefined => {
  const problem = kind.problem(value);
  if (problem === undefined || 'unknown' in problem) return undefined;
  const place = problem.path === '' ? '' : `: ${problem.path.replace(/^\./, '')}`;
  return `${what}${place} must be ${problem.wanted}, not ${shown(problem.value)}`;
};

/** Throws nothing of its own; what `stream` and `countTokens` throw ends the run by its own name. */
export const ownProvider = (provider: ModelProvider): ModelProvider => {
  const { name, endpoint, passes, constrains, warmUp } = provider;
  const broken = (problem: string): ModelError => ({
    code: 'protocol',
    message: `The provider ${name} broke its contract: ${problem}.`,
    hint: 'The type ModelProvider says what each method answers.',
  });
  const answered = async <T>(method: Method, ask: () => Promise<T>, signal: AbortSignal): Promise<T | Failure> => {
    try {
      const value = await unlessAborted(Promise.resolve(ask()), signal);
      if (value === undefined && signal.aborted) return { ok: false, error: CANCELLED };
      const problem = problemIn(OUTCOMES[method], value, `what ${method} resolved with`);
      return problem === undefined ? (value as T) : { ok: false, error: broken(problem) };
    } catch (error) {
      const message = `The provider ${name} failed in ${method}: ${thrownText(error)}`;
      return { ok: false, error: { code: 'protocol', message } };
    }
  };
  return {
    name,
    endpoint,
    passes,
    constrains,
    async stream(request, emit, signal): Promise<ModelOutcome> {
      const stop = new AbortController();
      let problem: string | undefined;
      let partial = false;
      const take: typeof emit = (part) => {
        if (stop.signal.aborted) return;
        problem = problemIn(PART, part, 'what stream handed to emit');
        if (problem !== undefined) return stop.abort();
        partial = true;
        emit(part);
      };
      const outcome = await untilEither([signal, stop.signal], (either) =>
        unlessAborted(provider.stream(request, take, either), stop.signal),
      );
      // Nothing is handed on behind the end.
      stop.abort();
      problem ??= problemIn(OUTCOMES.stream, outcome, 'what stream resolved with');
      return problem === undefined ? (outcome as ModelOutcome) : { ok: false, error: broken(problem), partial };
    },
    models: (signal) => answered('models', () => provider.models(signal), signal),
    describe: (model, signal) => answered('describe', () => provider.describe(model, signal), signal),
    decodeToolCall:
      provider.decodeToolCall &&
      ((request, signal) =>
        answered('decodeToolCall', async () => provider.decodeToolCall?.(request, signal) as never, signal)),
    // Only undefined says that it cannot be had: by another value the window would be planned wrongly, unseen.
    countTokens:
      provider.countTokens &&
      (async (request, signal) => {
        const tokens: unknown = await unlessAborted(Promise.resolve(provider.countTokens?.(request, signal)), signal);
        if (tokens === undefined) return undefined;
        if (typeof tokens === 'number' && tokens >= 0 && Number.isFinite(tokens)) return tokens;
        const wanted = 'what countTokens resolved with must be a number of tokens or undefined';
        throw new Error(broken(`${wanted}, not ${shown(tokens)}`).message);
      }),
    warmUp: warmUp && {
      againAfterMs: warmUp.againAfterMs,
      read: (request, signal) => answered('warmUp.read', () => warmUp.read(request, signal), signal),
    },
    embed:
      provider.embed &&
      ((request, signal) => answered('embed', async () => provider.embed?.(request, signal) as never, signal)),
    async close() {
      const [problem] = await closeAll(
        [[`the provider ${name}`, () => provider.close()]],
        AGENT_LIMITS.ownProviderCloseMs,
      );
      if (problem !== undefined) throw new Error(problem);
    },
  };
};
