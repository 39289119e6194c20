/**
 * Several servers of the same models as one. A conversation stays with one of them, so that its prompt is still known
 * there; a request goes to another one only before its first token came, and waits where all have enough to do.
 */

import type { ModelPlaces } from '../core/model-places.ts';
import type {
  ModelError,
  ModelInfo,
  ModelOutcome,
  ModelPart,
  ModelProvider,
  ModelRequest,
} from '../core/model-port.ts';
import { embeddingsUnsupported } from './embeddings.ts';
import { waitForPlace } from './limited.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import { cancelledError } from './model-errors.ts';
import { byAffinity, conversationKey } from './pool/affinity.ts';
import { createMembers, type Member, type MembersOptions } from './pool/members.ts';
import { createPlaces } from './pool/places.ts';
import { defaultSleep } from './provider-options.ts';

export type PoolOptions = Omit<MembersOptions, 'onChange'> & {
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
  /** Who may send a request now. Default: the places are counted in this process. */
  places?: ModelPlaces | undefined;
  /** Of the default. */
  requestsPerServer?: number;
};

type Failed = { ok: false; error: ModelError };
type Embed = NonNullable<ModelProvider['embed']>;
type CountTokens = NonNullable<ModelProvider['countTokens']>;
type Members = ReturnType<typeof createMembers>;

export const createPool = (options: PoolOptions): ModelProvider => {
  const [first] = options.providers;
  if (first === undefined) throw new Error('a pool of no servers');
  const pool = new Pool(options);
  // What wraps a provider spreads it, so it is an object of functions.
  return {
    name: first.name,
    endpoint: options.providers.map(({ endpoint }) => endpoint).join(', '),
    ...(options.providers.every(({ constrains }) => constrains) ? { constrains: true } : {}),
    stream: (request, emit, signal) => pool.stream(request, emit, signal),
    models: (signal) => pool.models(signal),
    describe: (model, signal) => pool.describe(model, signal),
    embed: (request, signal) => pool.embed(request, signal),
    countTokens: (request, signal) => pool.countTokens(request, signal),
    close: () => pool.close(),
  };
};

class Pool {
  readonly #providers: readonly ModelProvider[];
  readonly #places: ModelPlaces;
  readonly #members: Members;
  readonly #sleep: NonNullable<PoolOptions['sleep']>;

  constructor(options: PoolOptions) {
    this.#providers = options.providers;
    const places = options.places ?? createPlaces(options.requestsPerServer);
    this.#places = places;
    this.#members = createMembers({ ...options, onChange: () => places.changed() });
    this.#sleep = options.sleep ?? defaultSleep;
  }

  async stream(request: ModelRequest, emit: (part: ModelPart) => void, signal: AbortSignal): Promise<ModelOutcome> {
    const key = conversationKey(request.messages);
    const order = byAffinity(key, this.#members.all);
    let tried = new Set<Member>();
    let last: Failed | undefined;
    const servers = (): string[] => order.flatMap((one) => (one.isUp() && !tried.has(one) ? one.name : []));
    for (let round = 0; ; ) {
      if (signal.aborted) return { ok: false, error: cancelledError(), partial: false };
      if (servers().length > 0) {
        const place = await waitForPlace(this.#places, { servers, conversation: String(key), signal }, emit);
        if (!place.ok) return { ok: false, error: place.error, partial: false };
        const member = order.find(({ name }) => name === place.value?.server);
        const taken = member?.take();
        if (member === undefined || taken === undefined) {
          // It was gone before its turn came.
          place.value?.giveBack();
          continue;
        }
        const outcome = await tryOne({ member, ...taken }, request, emit, signal).finally(place.value?.giveBack);
        if (outcome.ok || !outcome.again) return outcome;
        tried.add(member);
        last = outcome;
        continue;
      }
      // Nobody is left: those that are gone may come back.
      round += 1;
      if (round > PROVIDER_LIMITS.modelAttempts)
        return { ok: false, error: nobody(this.#members.all, last?.error), partial: false };
      await this.#pause(round, emit, signal);
      tried = new Set();
      for (const member of order) if (!member.isUp()) member.answered();
    }
  }

  async models(signal: AbortSignal): ReturnType<ModelProvider['models']> {
    const asked = await Promise.all(this.#providers.map((provider) => provider.models(signal)));
    const listed = asked.flatMap((answer) => (answer.ok ? [answer.models] : []));
    if (listed.length === 0) return asked.find((answer) => !answer.ok) as Failed;
    const known = new Map<string, ModelInfo>();
    for (const model of listed.flat()) if (!known.has(model.id)) known.set(model.id, model);
    return { ok: true, models: [...known.values()] };
  }

  /** As the least of them: what fits there fits anywhere. */
  async describe(model: string, signal: AbortSignal): ReturnType<ModelProvider['describe']> {
    const asked = await Promise.all(this.#providers.map((provider) => provider.describe(model, signal)));
    const found = asked.flatMap((answer) => (answer.ok ? [answer.model] : []));
    const [one] = found;
    if (one === undefined) return asked.find((answer) => !answer.ok) as Failed;
    const windows = found.flatMap(({ context_length }) => context_length ?? []);
    return { ok: true, model: windows.length === 0 ? one : { ...one, context_length: Math.min(...windows) } };
  }

  /** By the first that can. */
  async embed(...[request, signal]: Parameters<Embed>): ReturnType<Embed> {
    let failed: Failed | undefined;
    for (const { provider } of [...this.#members.all].sort((a, b) => Number(b.isUp()) - Number(a.isUp()))) {
      const said = await provider.embed?.(request, signal);
      if (said?.ok) return said;
      failed ??= said ?? { ok: false, error: embeddingsUnsupported(provider.endpoint) };
    }
    return failed ?? { ok: false, error: nobody(this.#members.all, undefined) };
  }

  async countTokens(...[request, signal]: Parameters<CountTokens>): Promise<number | undefined> {
    const up = this.#members.all.filter((one) => one.isUp());
    const [member] = byAffinity(conversationKey(request.messages), up);
    return member?.provider.countTokens?.(request, signal);
  }

  async close(): Promise<void> {
    this.#members.close();
    await Promise.all(this.#providers.map((provider) => provider.close()));
  }

  async #pause(round: number, emit: (part: ModelPart) => void, signal: AbortSignal): Promise<void> {
    const { modelAttempts, modelRetryDelayMs, modelRetryDelayMsMax } = PROVIDER_LIMITS;
    const message = `No model server of the pool answers; trying again (${round} of ${modelAttempts}).`;
    emit({ type: 'warning', code: 'retrying', message });
    await this.#sleep(Math.min(modelRetryDelayMsMax, modelRetryDelayMs * 2 ** (round - 1)), signal);
  }
}

type Tried = ModelOutcome & { again?: boolean };
type Place = { member: Member; gone: AbortSignal; giveBack(): void };

/** `again`: another server may be asked the same, since nothing of an answer came. */
const tryOne = async (
  { member, gone, giveBack }: Place,
  request: ModelRequest,
  emit: (part: ModelPart) => void,
  signal: AbortSignal,
): Promise<Tried> => {
  const own = new AbortController();
  let hasBegun = false;
  const stop = (): void => own.abort();
  /** A server that is gone in the middle of an answer is the answer's end, and that is for its own stream to notice. */
  const left = (): void => {
    if (!hasBegun) own.abort();
  };
  signal.addEventListener('abort', stop, { once: true });
  gone.addEventListener('abort', left, { once: true });
  try {
    const outcome = await member.provider.stream(
      request,
      (part) => {
        hasBegun ||= part.type.endsWith('_delta');
        emit(part);
      },
      own.signal,
    );
    if (outcome.ok) {
      member.answered();
      return outcome;
    }
    if (signal.aborted) return outcome;
    const isGone = gone.aborted || GONE.has(outcome.error.code);
    if (isGone) member.failed();
    const again = !hasBegun && !outcome.partial && (isGone || ELSEWHERE.has(outcome.error.code));
    return again ? { ...outcome, again } : outcome;
  } finally {
    signal.removeEventListener('abort', stop);
    gone.removeEventListener('abort', left);
    giveBack();
  }
};

/** These say that the server is not there; those, that it cannot now, or has no such model. */
const GONE: ReadonlySet<ModelError['code']> = new Set(['unreachable', 'disconnected']);
const ELSEWHERE: ReadonlySet<ModelError['code']> = new Set([
  'rate_limited',
  'server_error',
  'timeout',
  'model_not_found',
  'load_failed',
]);

const nobody = (all: readonly Member[], last: ModelError | undefined): ModelError => ({
  code: last?.code ?? 'unreachable',
  message: `${all.length === 1 ? 'The one model server' : `None of the ${all.length} model servers`} of the pool could ${all.length === 1 ? 'not ' : ''}answer${last ? `; the last one said: ${last.message}` : '.'}`,
  hint: `They are ${all.map(({ name }) => name).join(', ')}.`,
});
