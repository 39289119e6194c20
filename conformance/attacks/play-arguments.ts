/** Plays the cases about arguments: a raw payload goes through the check of `tools validate` and then to the runner. */
import { isDeepStrictEqual } from 'node:util';
import { checkPayload } from '../../src/cli/commands/tools-validate.ts';
import { type JsonObject, type JsonValue, withoutByteOrderMark } from '../../src/core/json.ts';
import type { Tool } from '../../src/core/tool.ts';
import { ok } from '../../src/core/tool-result.ts';
import { createHarness } from '../../src/harness/create-harness.ts';
import { type AttackCase, onlyKnown, Unmet } from './attack-case.ts';
import { registryNamed, type ToolShape } from './names.ts';
import { playCall } from './play-call.ts';
import { withScene } from './scene.ts';

type Told = {
  valid: boolean;
  error: string;
  error_type: string;
  /** The arguments of every tool that ran. */
  ran: JsonObject[];
  tool: ToolShape | undefined;
  payload: string;
};
type Check = (expected: JsonValue, told: Told) => void;

const same = (what: string, actual: unknown, expected: unknown): void => {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Unmet(`${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
};

/** A name that the message must hold one of: a parameter, a key of the payload, or the tool that was asked for. */
const names = ({ tool, payload }: Told): string[] => {
  const keys = [...payload.matchAll(/"([^"\\]+)"\s*:/g)].map(([, key]) => key as string);
  const values = [...payload.matchAll(/"tool"\s*:\s*"([^"\\]+)"/g)].map(([, name]) => name as string);
  return [...keys, ...values, ...Object.keys(tool?.parameters['properties'] ?? {}), 'tool', 'args'];
};

const strings = (value: JsonValue): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => [key, ...strings(inner)])
      : [];

const THEN: Readonly<Record<string, Check>> = {
  valid: (expected, told) => {
    if (told.valid !== expected) throw new Unmet(`valid is ${told.valid}: ${told.error}`);
  },
  error_type: (expected, told) => same('error_type', told.error_type, expected),
  executed: (expected, told) => same('executed', told.ran.length > 0, expected),
  normalized_args: (expected, told) => same('what ran', told.ran, [expected]),
  message_names_field: (expected, told) => {
    // Text that is no JSON has no fields; then the place in the text stands for one.
    const names_field =
      told.error_type === 'parse_error'
        ? /\bJSON\b/.test(told.error)
        : names(told).some((name) => told.error.includes(name));
    if (names_field !== expected) throw new Unmet(`the message names no field: ${told.error}`);
  },
  well_formed: (expected, { ran }) =>
    same(
      'well-formed',
      JSON.stringify(ran).isWellFormed() && ran.every((args) => strings(args).every((text) => text.isWellFormed())),
      expected,
    ),
  global_pollution: (expected) => same('pollution', Object.keys(Object.prototype).length > 0, expected),
};

export const playArguments = async (attack: AttackCase): Promise<void> => {
  const payload = attack.when['raw_json'];
  const shapes = registryNamed(attack.given['registry']);
  if (payload === undefined) return playCall(attack);
  onlyKnown('when', attack.when, ['raw_json']);
  await withScene(attack, { also: ['registry', 'rule'] }, async (scene) => {
    const ran: JsonObject[] = [];
    const tools = shapes.map(
      ({ name, parameters }): Tool => ({
        name,
        parameters,
        description: name,
        risk: 'safe',
        effects: 'none',
        run: async (args) => {
          ran.push(args);
          return ok('done');
        },
      }),
    );
    const text = String(payload);
    const { validation, error_type } = checkPayload(text, tools);
    const harness = createHarness({ model: 'none', workspace: scene.root, tools });
    scene.onEnd(() => harness.close());
    if (validation.valid) await harness.executeTool(validation.tool as string, argumentsIn(text));
    const tool = shapes.find(({ name }) => name === validation.tool);
    const told: Told = { ...validation, error: validation.error ?? '', error_type, ran, tool, payload: text };
    for (const [word, expected] of Object.entries(attack.then)) {
      const check = Object.hasOwn(THEN, word) ? THEN[word] : undefined;
      if (check === undefined) throw new Unmet(`"then" has "${word}", which is not known`);
      check(expected, told);
    }
  });
};

/** As they were sent: the runner brings them into order itself. */
const argumentsIn = (payload: string): JsonObject =>
  (JSON.parse(withoutByteOrderMark(payload)) as { args: JsonObject }).args;
