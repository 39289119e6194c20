/** How requests of a conversation go out: with which tools and which sampling, at each step. */

import { samplingIn } from '../../../core/own-settings.ts';
import { settingsOf } from '../../../core/settings-of.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { createToolRegistry, type ToolRegistry } from '../run-tool/tool-registry.ts';
import type { StepOverrides } from '../step-overrides.ts';
import type { FollowedLog } from './followed-log.ts';
import { PictureState } from './picture-state.ts';
import { createSender, type Sender, type SharedToolMode } from './send.ts';
import type { CallModelOptions } from './turn.ts';

/** How a request goes out: with the tools, without them, or with the one that finds what was left out. */
export type Way = { options: CallModelOptions; sender: Sender };

const wayOf = (options: CallModelOptions, mode: SharedToolMode): Way => ({
  options,
  sender: createSender(options, mode),
});
/** The same tools, and from the first compaction on the one that finds what was left out. */
type Pair = { usual: Way; searching: Way };
const pairOf = (options: CallModelOptions, mode: SharedToolMode): Pair => ({
  usual: wayOf(options, mode),
  searching: wayOf(withSearch(options), mode),
});

export class Ways {
  readonly #followed: FollowedLog;
  /** A server that takes no tools takes none in any way. */
  readonly #mode: SharedToolMode;
  readonly #withTools: Pair;
  /** In plan mode. */
  readonly #toRead: Pair;
  readonly withoutTools: Way;
  /** Of steps that were different, by what was different. */
  readonly #ofSteps = new Map<string, Way>();

  constructor(options: CallModelOptions, followed: FollowedLog) {
    this.#followed = followed;
    this.#mode = {
      now: options.toolMode,
      untold: options.notice,
      unsure: options.unsure,
      pictures: new PictureState(options.provider, options.vision),
    };
    this.#withTools = pairOf(options, this.#mode);
    this.withoutTools = wayOf({ ...options, registry: createToolRegistry([]), toolsOff: true }, this.#mode);
    this.#toRead = pairOf(onlyReading(options), this.#mode);
  }

  /** The usual one, whatever is set for a step. */
  usual(session: SessionHandle): Way {
    return this.#followed.wantsNoTools(session) ? this.withoutTools : this.#offering();
  }

  #offering(): Way {
    const ways = this.#followed.isPlanning ? this.#toRead : this.#withTools;
    return this.#followed.isCompacted ? ways.searching : ways.usual;
  }

  /** With what the person set, and what a program wants of this step. */
  ofStep(session: SessionHandle, overrides: StepOverrides = {}): Way {
    return this.#withSet(session, this.usual(session), overrides);
  }

  /** Of a message that is still to come: whether it wants no tools is known with it. */
  ofNext(session: SessionHandle): Way {
    return this.#withSet(session, this.#offering(), {});
  }

  #withSet(session: SessionHandle, usual: Way, { tools, sampling }: StepOverrides): Way {
    const set = settingsOf(session.log());
    const chosen = { ...samplingIn(set), ...sampling };
    const off = set.tools_off ?? [];
    if (tools === undefined && off.length === 0 && Object.keys(chosen).length === 0) return usual;
    const key = JSON.stringify([
      tools,
      off,
      chosen,
      usual.options.toolsOff,
      this.#followed.isCompacted,
      this.#followed.isPlanning,
    ]);
    const { options } = usual;
    const offered = tools === undefined || options.toolsOff ? options.registry : limitedTo(options.registry, tools);
    const registry = off.length === 0 ? offered : without(offered, off);
    const way =
      this.#ofSteps.get(key) ??
      wayOf({ ...options, registry, sampling: { ...options.sampling, ...chosen } }, this.#mode);
    this.#ofSteps.set(key, way);
    return way;
  }

  /** The next request begins otherwise than the one before. */
  begin(): void {
    const pairs = [this.#withTools, this.#toRead].flatMap(({ usual, searching }) => [usual, searching]);
    for (const way of [this.withoutTools, ...pairs, ...this.#ofSteps.values()]) way.sender.begin();
  }
}

/** Each of them described in full. */
const limitedTo = (registry: ToolRegistry, names: readonly string[]): ToolRegistry => {
  const chosen = new Set(names);
  const schemas = registry.callable.filter((schema) => chosen.has(schema.function.name));
  return { ...registry, schemas, callable: schemas };
};

/** The others are described as they were. */
const without = (registry: ToolRegistry, names: readonly string[]): ToolRegistry => {
  const off = new Set(names);
  const isOn = (schema: ToolRegistry['schemas'][number]): boolean => !off.has(schema.function.name);
  return { ...registry, schemas: registry.schemas.filter(isOn), callable: registry.callable.filter(isOn) };
};

/** Nothing else could run: what is refused again and again costs tokens, and confuses small models. */
const onlyReading = (options: CallModelOptions): CallModelOptions => {
  const { reading, registry } = options;
  return reading === undefined ? options : { ...options, registry: { ...registry, schemas: reading() } };
};

/** The same tools and the one that finds what was left out. */
const withSearch = (options: CallModelOptions): CallModelOptions => {
  const { afterCompaction: schema, registry } = options;
  if (schema === undefined) return options;
  const callable = [...registry.callable, schema];
  return { ...options, registry: { ...registry, schemas: [...registry.schemas, schema], callable } };
};
