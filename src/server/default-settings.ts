/** What sessions begin with: kept in the person's settings, and in force without another start of halter. */

import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { OWN_SETTINGS, type OwnSettings } from '../core/own-settings.ts';
import type { Mode } from '../core/policy/modes.ts';
import type { Config, ConfigKey } from '../storage/config-file.ts';

/** The person's settings file, and what went before it when halter was started. */
export type SettingsPort = {
  read(): Promise<Outcome<Config>>;
  /** `undefined` takes the key out. */
  set(key: ConfigKey, value: string | number | boolean | undefined): Promise<Outcome<void>>;
  /** What halter was started with. */
  started: Config;
  /** A flag or the project says these, so what the file says of them does not count. */
  held: ReadonlySet<ConfigKey>;
};

export type Defaults = Omit<OwnSettings, 'max_tokens' | 'tools_off'> & {
  /** Tokens of the window that the model is opened with: from the next start on. */
  context_length?: number;
  model?: string;
  mode?: Mode;
};

const { max_tokens: _tokens, tools_off: _tools, ...SETTABLE } = OWN_SETTINGS.properties;

/** Everything may be asked less often from the page, but for not being asked at all: that is said where halter is started. */
export const DEFAULT_SETTINGS = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...SETTABLE,
    context_length: {
      type: 'integer',
      minimum: 1,
      description: 'Tokens of the context window, from the next start of halter on.',
    },
    model: { type: 'string', minLength: 1, maxLength: LIMITS.toolNameCharacters, description: '`provider/model`.' },
    mode: { enum: ['plan', 'ask', 'edit', 'auto'] },
  },
} as const;

const KEYS = {
  instructions: 'append_system_prompt',
  temperature: 'temperature',
  top_p: 'top_p',
  seed: 'seed',
  think: 'think',
  max_iterations: 'max_iterations',
  max_tool_calls: 'max_tool_calls',
  context_length: 'context_length',
  model: 'model',
  mode: 'mode',
} as const satisfies Record<keyof Defaults, ConfigKey>;
const NAMES = Object.keys(KEYS) as (keyof Defaults)[];

export type ToldDefaults = { settings: Defaults; held: (keyof Defaults)[]; next_start: (keyof Defaults)[] };

export class DefaultSettings {
  readonly #port: SettingsPort;

  constructor(port: SettingsPort) {
    this.#port = port;
  }

  /** With those that something else says, and those that count from the next start of halter on. */
  async tell(): Promise<Outcome<ToldDefaults>> {
    const read = await this.#port.read();
    if (!read.ok) return read;
    const { held } = this.#port;
    return succeed({
      settings: inFile(read.value),
      held: NAMES.filter((name) => held.has(KEYS[name])),
      next_start: NAMES.filter((name) => !held.has(KEYS[name]) && this.#waits(name, read.value)),
    });
  }

  /** All of them: what is absent is taken out of the file. */
  async change(next: Defaults): Promise<Outcome<void>> {
    if (next.instructions?.trimStart().startsWith('@'))
      return failure('validation_failed', 'Instructions that begin with @ would be read as the name of a file.');
    const read = await this.#port.read();
    if (!read.ok) return read;
    for (const name of NAMES) {
      const key = KEYS[name];
      if (read.value[key] === next[name]) continue;
      const kept = await this.#port.set(key, next[name]);
      if (!kept.ok) return kept;
    }
    return succeed(undefined);
  }

  /** What a session that begins now is given, where that is another thing than halter was started with. */
  async ofNewSession(): Promise<{ model?: string; mode?: Mode; settings?: OwnSettings }> {
    const read = await this.#port.read();
    if (!read.ok) return {};
    const { held, started } = this.#port;
    const counts = (name: keyof Defaults): boolean =>
      !held.has(KEYS[name]) && read.value[KEYS[name]] !== started[KEYS[name]] && !this.#waits(name, read.value);
    const changed = Object.fromEntries(
      Object.entries(inFile(read.value)).filter(([name]) => counts(name as keyof Defaults)),
    );
    const { model, mode, ...settings } = changed as Defaults;
    return {
      ...(model === undefined ? {} : { model }),
      ...(mode === undefined ? {} : { mode }),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
    };
  }

  /**
   * What every session was given at the start cannot be taken from the next one; instructions cannot be given twice; a
   * model is opened with its window once.
   */
  #waits(name: keyof Defaults, now: Config): boolean {
    const key = KEYS[name];
    const before = this.#port.started[key];
    if (name === 'context_length') return now[key] !== before;
    if (now[key] === before || before === undefined) return false;
    return now[key] === undefined || name === 'instructions';
  }
}

const inFile = (config: Config): Defaults =>
  Object.fromEntries(NAMES.flatMap((name) => (config[KEYS[name]] === undefined ? [] : [[name, config[KEYS[name]]]])));
