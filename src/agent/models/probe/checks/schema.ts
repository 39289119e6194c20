/** Are answers held to a schema, and the arguments of a call to the schema of its tool? */
import type { JsonSchema, JsonValue } from '../../../../core/json.ts';
import { validateArguments } from '../../../../core/validate-arguments.ts';
import type { Answer, Asker } from '../ask.ts';
import {
  ASSISTANT,
  type Check,
  type Findings,
  failed,
  judged,
  passed,
  said,
  tool,
  user,
  type Verdict,
} from '../check.ts';

const PLACE: JsonSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, population: { type: 'integer' }, coastal: { type: 'boolean' } },
  required: ['city', 'population', 'coastal'],
  additionalProperties: false,
};
const ROUTE: JsonSchema = {
  type: 'object',
  properties: {
    stops: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, kind: { type: 'string', enum: ['train', 'bus'] } },
        required: ['name', 'kind'],
      },
      minItems: 2,
      maxItems: 2,
    },
  },
  required: ['stops'],
};

const fitsSchema = (answer: Answer, schema: JsonSchema): Verdict => {
  let value: JsonValue;
  try {
    value = JSON.parse(answer.text) as JsonValue;
  } catch {
    return failed(said(answer));
  }
  const valid = validateArguments(schema, value, 'strict');
  return valid.ok && valid.dropped.length === 0
    ? passed()
    : failed(valid.ok ? 'fields that were not asked for' : (valid.issues[0] ?? ''));
};

const canConstrain = ({ provider }: Asker): string | undefined =>
  provider.constrains || provider.decodeToolCall ? undefined : 'this server takes no schema';

const DECODED = tool('set_alarm', 'Set an alarm.', {
  hour: { type: 'integer', minimum: 0, maximum: 23 },
  label: { type: 'string' },
});

/** Arguments of a call, decoded under the tool's schema: the last rung of the ladder of repairs. */
const decodedArguments = async (asker: Asker, findings: Findings): Promise<Verdict> => {
  const messages = [ASSISTANT, user('Set an alarm for 7 with the label "run".')];
  const { parameters } = DECODED.function;
  if (asker.provider.decodeToolCall) {
    const decoded = await asker.provider.decodeToolCall(
      { model: asker.info.id, messages, tool: DECODED },
      asker.signal,
    );
    if (!decoded.ok) return failed(decoded.error.message);
    findings.schemaHeld = validateArguments(parameters, decoded.call.arguments, 'strict').ok;
    return findings.schemaHeld ? passed() : failed(JSON.stringify(decoded.call.arguments));
  }
  return judged(asker, { messages, schema: parameters }, (answer) => fitsSchema(answer, parameters));
};

export const SCHEMA_CHECKS: readonly Check[] = [
  {
    id: 'schema',
    group: 'schema',
    title: 'answers under a schema',
    skip: canConstrain,
    run: async (asker, findings) => {
      const question = { messages: [user('Tell of the city of Oslo, as JSON.')], schema: PLACE };
      const verdict = await judged(asker, question, (answer) => fitsSchema(answer, PLACE));
      findings.schemaHeld = verdict.passed;
      return verdict;
    },
  },
  {
    id: 'schema_nested',
    group: 'schema',
    title: 'keeps to a schema with a list of objects',
    skip: canConstrain,
    run: (asker) =>
      judged(
        asker,
        { messages: [user('A way from Bern to Basel by train and by bus, as JSON.')], schema: ROUTE },
        (answer) => fitsSchema(answer, ROUTE),
      ),
  },
  {
    id: 'schema_call',
    group: 'schema',
    title: 'writes the arguments of a call under the schema of its tool',
    skip: canConstrain,
    run: decodedArguments,
  },
];
