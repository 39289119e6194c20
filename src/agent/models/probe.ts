/**
 * `halter models probe`: a fixed row of small questions to a model on its server, one after another, and the profile that
 * follows from what it could do. Nothing of the person's is sent.
 */

import { LIMITS } from '../../core/limits.ts';
import type { ModelError, ModelInfo, ModelProvider } from '../../core/model-port.ts';
import { keyOf, type ModelProfile, PROFILE_VERSION, type ProfileCheck } from '../../core/model-profile.ts';
import type { Clock } from '../../core/ports.ts';
import { promptTier } from '../../core/window/tier.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { type Asker, createAsker } from './probe/ask.ts';
import type { Check, Findings } from './probe/check.ts';
import { BASIC_CHECKS, dialectOf } from './probe/checks/calls.ts';
import { CHECKS } from './probe/checks.ts';

export type ProbeOptions = {
  provider: ModelProvider;
  model: string;
  info: ModelInfo;
  clock: Clock;
  signal: AbortSignal;
  /** Before each check. */
  onCheck?(check: Pick<Check, 'group' | 'title'>, number: number, total: number): void;
  onResult?(check: ProfileCheck): void;
};
export type Probed = { ok: true; profile: ModelProfile } | { ok: false; error: ModelError; checks: ProfileCheck[] };

export const probeModel = async (options: ProbeOptions): Promise<Probed> => {
  const { provider, info, clock } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(AGENT_LIMITS.probeTotalMs)]);
  const asker = createAsker({ provider, model: options.model, info, clock, signal });
  const findings: Findings = { reasoning: 'none', speed: {} };
  const checks: ProfileCheck[] = [];
  const stop = (error: ModelError): Probed => ({ ok: false, error, checks });

  const reached = await asker.ask({ messages: [{ role: 'user', content: 'Say hello.' }], maxTokens: 1 });
  if (!reached.ok && UNUSABLE.has(reached.error.code)) return stop(reached.error);
  for (const [index, check] of CHECKS.entries()) {
    options.onCheck?.(check, index + 1, CHECKS.length);
    const done = await runCheck(check, asker, findings, clock);
    if (options.signal.aborted) return stop({ code: 'cancelled', message: 'The probe was stopped; nothing was kept.' });
    if (signal.aborted)
      return stop({
        code: 'timeout',
        message: `The probe took longer than ${AGENT_LIMITS.probeTotalMs / 60_000} minutes.`,
      });
    checks.push(done);
    options.onResult?.(done);
    if (check === BASIC_CHECKS.at(-1)) chooseWay(checks, findings, asker);
  }
  return { ok: true, profile: profileOf(options, findings, checks) };
};

/** What no further question would change. */
const UNUSABLE: ReadonlySet<ModelError['code']> = new Set([
  'unreachable',
  'model_not_found',
  'unauthorized',
  'load_failed',
  'cancelled',
]);

const runCheck = async (check: Check, asker: Asker, findings: Findings, clock: Clock): Promise<ProfileCheck> => {
  const { id, group, title } = check;
  const reason = check.skip?.(asker, findings);
  if (reason !== undefined) return { id, group, title, outcome: 'skipped', detail: reason, seconds: 0 };
  const started = clock.monotonic();
  const { passed, detail } = await check.run(asker, findings);
  const seconds = Math.round((clock.monotonic() - started) / 10) / 100;
  return { id, group, title, outcome: passed ? 'passed' : 'failed', detail, seconds };
};

const passes = (checks: readonly ProfileCheck[], group: Check['group']): number =>
  checks.filter((check) => check.group === group && check.outcome === 'passed').length;

/** The server's own way, unless calls in the prompt's words clearly do better. */
const chooseWay = (checks: readonly ProfileCheck[], findings: Findings, asker: Asker): void => {
  const native = passes(checks, 'tools');
  const text = passes(checks, 'calls as text');
  if (native === 0 && text === 0) findings.noCalls = true;
  else if (text > native) findings.injected = dialectOf(asker);
};

/** A server that reads so slowly that the larger prompt prefix alone takes longer gets the small one. */
const HEAD_SECONDS = 30;
/** Bad arguments in more than a third of the checks: the first retry is decoded under the schema. */
const WEAK_SHARE = 1 / 3;

const profileOf = (options: ProbeOptions, findings: Findings, checks: ProfileCheck[]): ModelProfile => {
  const { provider, info, clock } = options;
  const has = (id: string): boolean => checks.some((check) => check.id === id && check.outcome === 'passed');
  const failedShare = (group: Check['group']): number => {
    const asked = checks.filter((check) => check.group === group && check.outcome !== 'skipped');
    return asked.length === 0 ? 0 : asked.filter(({ outcome }) => outcome === 'failed').length / asked.length;
  };
  const window = findings.windowTokens ?? info.context_length;
  const rate = findings.speed.prefill_tokens_per_second;
  const slow = rate !== undefined && LIMITS.prefixTokensStandard / rate > HEAD_SECONDS;
  const weak = failedShare('turns') + failedShare('judgement') > 2 * WEAK_SHARE;
  const dialect = findings.injected ?? findings.dialect;
  return {
    version: PROFILE_VERSION,
    key: keyOf(provider, info),
    probed_at: clock.now(),
    tool_calls: findings.noCalls ? 'none' : findings.injected === undefined ? 'native' : 'text',
    dialect,
    parallel_calls: has('parallel') || has('parallel_mixed'),
    constrained: !findings.schemaHeld ? 'never' : failedShare('arguments') > WEAK_SHARE ? 'first_retry' : 'last_retry',
    prompt_tier: slow || weak ? 'small' : promptTier(window),
    context_tokens: findings.windowTokens,
    reasoning: findings.reasoning,
    speed: findings.speed,
    checks,
  };
};
