/** The steps of a run: before each request the program may say what is different in it. */
import type { ModelError } from '../../core/model-port.ts';
import { modelForMode, ownModelOf } from '../../core/model-roles.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { followMode } from '../../core/policy/overrides.ts';
import type { PolicyRules } from '../../core/policy.ts';
import { settingsOf } from '../../core/settings-of.ts';
import { unlessAborted } from '../../core/unless-aborted.ts';
import type { SessionHandle } from '../session/session-handle.ts';
import { failed } from './call-model/answer-event.ts';
import type { ModelHolder } from './call-model/conversation-model.ts';
import { CANCELLED } from './call-model/ended-at-abort.ts';
import type { ToolRegistry } from './run-tool/tool-registry.ts';
import type { PrepareStep } from './step-overrides.ts';

export type StepPorts = {
  registry: ToolRegistry;
  prepareStep?: PrepareStep | undefined;
  modelHolder: Pick<ModelHolder, 'call' | 'change' | 'goBack'>;
  /** Whether the person named a model for a role, such as `plan`. */
  hasRole?(role: string): boolean;
  /** The mode where the session's log says none. */
  rules(): Pick<PolicyRules, 'mode'>;
};

export class Steps {
  readonly #ports: StepPorts;
  #offered: ReadonlySet<string> | undefined;
  /** What the person turned off in this session. */
  #off: ReadonlySet<string> = new Set();
  /** The conversation's own model, while a step has another one, and what that one was called. */
  #own: string | undefined;
  #other: string | undefined;
  readonly #modeOf = followMode();

  constructor(ports: StepPorts) {
    this.#ports = ports;
  }

  async begin(session: SessionHandle, iteration: number): Promise<void> {
    const { prepareStep, modelHolder } = this.#ports;
    this.#off = new Set(settingsOf(session.log()).tools_off);
    const overrides = prepareStep && (await unlessAborted(prepareStep(), session.signal()));
    if (session.signal().aborted) {
      await session.dispatch(failed(CANCELLED));
      return;
    }
    this.#offered = overrides?.tools && this.#known(overrides.tools);
    const isProgrammed = overrides?.model !== undefined || this.#own !== undefined;
    const changed = await (isProgrammed ? this.#takeModel(session, overrides?.model) : this.#suitMode(session));
    if (changed.ok) return modelHolder.call(session, iteration, overrides);
    await session.dispatch(failed(changed.error));
  }

  offers(tool: string): boolean {
    return !this.#off.has(tool) && (this.#offered === undefined || this.#offered.has(tool));
  }

  /** A misspelt name would silently take a tool away. */
  #known(names: readonly string[]): ReadonlySet<string> {
    const unknown = names.find((name) => this.#ports.registry.get(name) === undefined);
    if (unknown !== undefined) throw new TypeError(`prepareStep: there is no tool named ${unknown}`);
    return new Set(names);
  }

  /** Another model answers while the mode is plan, where the person named one. */
  async #suitMode(session: SessionHandle): Promise<Outcome<void, ModelError>> {
    const { modelHolder, hasRole, rules } = this.#ports;
    const log = session.log();
    const mode = this.#modeOf(log) ?? rules().mode ?? 'ask';
    const wanted = modelForMode(log, mode, hasRole?.('plan') ?? false);
    if (wanted === undefined) return succeed(undefined);
    const { model } = session.state();
    const changed = await (wanted === 'plan'
      ? modelHolder.change('plan')
      : modelHolder.goBack(ownModelOf(log) ?? model));
    if (!changed.ok) return wanted === 'plan' ? ofRole('plan', changed.error) : changed;
    const role = wanted === 'plan' ? 'plan' : 'main';
    await session.dispatch({ type: 'model_changed', model: changed.value, role });
    return succeed(undefined);
  }

  async #takeModel(session: SessionHandle, named: string | undefined): Promise<Outcome<void, ModelError>> {
    const { model } = session.state();
    const wanted = named ?? this.#own;
    if (wanted === undefined || wanted === this.#other || wanted === model) return succeed(undefined);
    const changed = await this.#ports.modelHolder.change(wanted);
    if (!changed.ok) return changed;
    this.#own = named === undefined ? undefined : (this.#own ?? model);
    this.#other = named;
    const isBack = named === undefined;
    if (changed.value !== model)
      await session.dispatch({ type: 'model_changed', model: changed.value, ...(isBack ? { role: 'main' } : {}) });
    return isBack ? this.#suitMode(session) : succeed(undefined);
  }
}

const ofRole = (role: string, error: ModelError): Outcome<never, ModelError> => ({
  ok: false,
  error: { ...error, message: `The model for the role ${role} (models.roles.${role}): ${error.message}` },
});
