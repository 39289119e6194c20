/** The last rung of the ladder with the real engine: arguments decoded under a tool's schema, and what no grammar can say. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonSchema } from '../src/core/json.ts';
import { defineTool } from '../src/core/tool/define-tool.ts';
import type { Tool } from '../src/core/tool.ts';
import { toolSchema } from '../src/core/tool.ts';
import { validateArguments } from '../src/core/validate-arguments.ts';
import type { ChatEvent } from '../src/harness/chat-events.ts';
import { createHarness } from '../src/harness/create-harness.ts';
import { createEmbeddedProvider, type EmbeddedProvider } from '../src/providers/embedded/index.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { starterModel, type TestModel } from './support/embedded-model.ts';
import { scratchFolder } from './support/scratch.ts';

const model: TestModel = await starterModel();
let engine: EmbeddedProvider;

const toolOf = (parameters: JsonSchema): { tool: Tool; ran: JsonObject[] } => {
  const ran: JsonObject[] = [];
  const tool = defineTool({
    name: 'set_alarm',
    description: 'Set an alarm with a label.',
    risk: 'safe',
    effects: 'none',
    parameters,
    run: (args: JsonObject) => {
      ran.push(args);
      return 'set';
    },
  });
  return { tool, ran };
};

const PLAIN: JsonSchema = {
  type: 'object',
  properties: {
    hour: { type: 'integer', minimum: 0, maximum: 23 },
    label: { type: 'string', minLength: 1 },
    days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue', 'wed'] }, minItems: 1, maxItems: 2 },
  },
  required: ['hour', 'label', 'days'],
};
/** No grammar says that a number is not one of those that the request names, or that a text is another than the label. */
const BEYOND: JsonSchema = {
  type: 'object',
  properties: { hour: { type: 'integer', not: { const: 7 } }, label: { type: 'string', not: { const: 'run' } } },
  required: ['hour', 'label'],
};

const converse = async (parameters: JsonSchema) => {
  const { tool, ran } = toolOf(parameters);
  const bad = { calls: [{ name: 'set_alarm', arguments: { at: 'seven' } }] };
  const scripted = scriptedProvider([bad, { text: 'I cannot.' }]);
  const provider = {
    ...scripted,
    decodeToolCall: (request: Parameters<EmbeddedProvider['decodeToolCall']>[0], signal: AbortSignal) =>
      engine.decodeToolCall({ ...request, model: 'starter' }, signal),
  };
  const harness = createHarness({ model: 'scripted', provider, workspace: scratchFolder(), tools: [tool] });
  onTestFinished(() => harness.close());
  const updates: ChatEvent[] = [];
  const chat = harness.chat('Set an alarm for 7 with the label "run" on mon.');
  for await (const update of chat) updates.push(update);
  const warnings = updates.flatMap((update) => (update.type === 'warning' ? [update.code] : []));
  const repairs = updates.flatMap((update) =>
    update.type === 'tool_call' ? update.repairs.map(({ kind }) => kind) : [],
  );
  return { ran, warnings, repairs, scripted };
};

describe.skipIf(model.file === undefined)('arguments under a schema, by the engine in this process', () => {
  beforeAll(() => {
    engine = createEmbeddedProvider({ modelFile: model.file as string });
  });
  afterAll(() => engine.close());

  it('are valid, whatever the model wrote before, and the call says how it came to be', async () => {
    verifies('B1', 'K4');
    const { ran, warnings, repairs } = await converse(PLAIN);
    expect(ran).toHaveLength(1);
    expect(ran[0]).toMatchObject({ hour: 7, label: 'run' });
    expect(validateArguments(PLAIN, ran[0], 'strict').ok).toBe(true);
    expect(warnings).not.toContain('constrained_unfit');
    expect(repairs).toContain('constrained');
  });

  it('are checked afterwards where the schema says more than a grammar can, and that is said', async () => {
    verifies('B1');
    const { ran, warnings, scripted } = await converse(BEYOND);
    expect(ran).toEqual([]);
    expect(warnings).toContain('constrained_unfit');
    // What is left is the ordinary request.
    expect(scripted.requests).toHaveLength(2);
  });

  it('fit every schema whose words a grammar knows', async () => {
    verifies('B1');
    const schemas: JsonSchema[] = [
      { type: 'object', properties: { code: { type: 'string', pattern: '^[A-Z]{3}-\\d{2}$' } }, required: ['code'] },
      { type: 'object', properties: { size: { enum: [1, 2, 3] }, on: { const: true } }, required: ['size', 'on'] },
      {
        type: 'object',
        properties: { place: { $ref: '#/$defs/place' } },
        required: ['place'],
        $defs: {
          place: {
            type: 'object',
            properties: { x: { type: 'number' }, y: { type: ['number', 'null'] } },
            required: ['x', 'y'],
          },
        },
      },
      {
        type: 'object',
        properties: { when: { anyOf: [{ type: 'integer' }, { type: 'string', maxLength: 5 }] } },
        required: ['when'],
      },
    ];
    for (const parameters of schemas) {
      const { tool } = toolOf(parameters);
      const request = {
        model: 'starter',
        messages: [{ role: 'user' as const, content: 'Set it to ABC-12, 3, x 1.5 and y 2.' }],
        tool: toolSchema(tool),
      };
      const decoded = await engine.decodeToolCall(request, new AbortController().signal);
      if (!decoded.ok) throw new Error(decoded.error.message);
      const valid = validateArguments(parameters, decoded.call.arguments, 'strict');
      expect(valid, JSON.stringify(decoded.call.arguments)).toMatchObject({ ok: true });
    }
  });
});
