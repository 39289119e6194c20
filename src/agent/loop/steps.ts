/** The steps of a run: before each request the program may say what is different in it. */
import type { ModelError } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { settingsOf } from '../../core/settings-of.ts';
import { unlessAborted } from '../../core/unless-aborted.ts';
import type { SessionHandle } from '../session/session-handle.ts';
import { failed } from './call-model/answer-event.ts';
import type { ModelHolder } from './call-model/conversation-model.ts';
import { CANCELLED } from './call-model/ended-at-abort.ts';
import type { ToolRegistry } from './run-tool/tool-registry.ts';
import type { PrepareStep } from './step-overrides.ts';

type StepPorts = {
  registry: ToolRegistry;
  prepareStep?: PrepareStep | undefined;
  modelHolder: Pick<ModelHolder, 'call' | 'change'>;
};

export class Steps {
  readonly #ports: StepPorts;
  #offered: ReadonlySet<string> | undefined;
  /** What the person turned off in this session. */
  #off: ReadonlySet<string> = new Set();
  /** The conversation's own model, while a step has another one, and what that one was called. */
  #own: string | undefined;
  #other: string | undefined;

  constructor(ports: StepPorts) {
    this.#ports = ports;
  }

  async begin(session: SessionHandle, iteration: number): Promise<void> {
    const { prepareStep, modelHolder } = this.#ports;
    this.#off = new Set(settingsOf(session.log()).tools_off);
    if (prepareStep === undefined) return modelHolder.call(session, iteration);
    const overrides = await unlessAborted(prepareStep(), session.signal());
    if (session.signal().aborted) {
      await session.dispatch(failed(CANCELLED));
      return;
    }
    this.#offered = overrides?.tools && this.#known(overrides.tools);
    const changed = await this.#takeModel(session, overrides?.model);
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

  async #takeModel(session: SessionHandle, named: string | undefined): Promise<Outcome<void, ModelError>> {
    const { model } = session.state();
    const wanted = named ?? this.#own;
    if (wanted === undefined || wanted === this.#other || wanted === model) return { ok: true, value: undefined };
    const changed = await this.#ports.modelHolder.change(wanted);
    if (!changed.ok) return changed;
    this.#own = named === undefined ? undefined : (this.#own ?? model);
    this.#other = named;
    if (changed.value !== model) await session.dispatch({ type: 'model_changed', model: changed.value });
    return { ok: true, value: undefined };
  }
}
