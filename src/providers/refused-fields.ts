/**
 * Asks once more without a field that the server refuses, where nobody asked for that field in this form: what was learnt
 * is kept for the model. The shape of an answer is then asked for in the prompt. Tools are no such field: how they are told
 * in the prompt depends on the model, so whoever holds the conversation sees to that (`tools_unsupported`).
 */
import type { JsonSchema } from '../core/json.ts';
import { type ModelMessage, messageText } from '../core/message.ts';
import type { ModelError, ModelOutcome, ModelPart, ModelRequest } from '../core/model-port.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import type { ServerError } from './model-errors.ts';
import { isOfOneSchema, OWN_FIELDS, OWN_SAMPLING, SHAPE, TOOLS } from './named-fields.ts';

type Emit = (part: ModelPart) => void;
type Asked = (request: ModelRequest, without: ReadonlySet<string>, emit: Emit) => Promise<ModelOutcome>;
type Server = {
  endpoint: string;
  /** The names of all fields that a request is sent with. */
  fieldsOf(request: ModelRequest): readonly string[];
};

export class RefusedFields {
  readonly #server: Server;
  /** Of a model: a field, or a field with the one schema that was refused. The oldest is forgotten first. */
  readonly #learned = new Set<string>();

  constructor(server: Server) {
    this.#server = server;
  }

  async stream(request: ModelRequest, emit: Emit, ask: Asked): Promise<ModelOutcome> {
    const left = new Set([...OWN_FIELDS, ...OWN_SAMPLING, SHAPE].filter((field) => this.#isRefused(request, field)));
    if (request.must_constrain && left.has(SHAPE))
      return { ok: false, error: shapeRefused(this.#server), partial: false };
    /** Left out in this request, and what the server said. */
    let added: readonly string[] = [];
    let said = '';
    /** What was said before fields were left out by guess. */
    let guessed: ModelOutcome | undefined;
    const accepted = (): void => {
      for (const field of added) this.#learn(request, field, said);
      if (added.length > 0) emit({ type: 'warning', code: 'field_refused', message: this.#told(added) });
      added = [];
    };
    for (;;) {
      const outcome = await ask(withShapeInWords(request, left), left, (part) => {
        if (ANSWERS.has(part.type)) accepted();
        emit(part);
      });
      if (outcome.ok) accepted();
      if (outcome.ok || outcome.partial) return outcome;
      const next = guessed === undefined ? this.#refusalOf(outcome.error, request, left) : undefined;
      if (next === undefined) return this.#failed(guessed ?? outcome, request);
      if (!next.isSure) guessed = outcome;
      said = outcome.error.message;
      added = [...added, ...next.fields];
      for (const field of next.fields) left.add(field);
    }
  }

  /** What to leave out after this refusal; undefined: nothing. */
  #refusalOf(
    error: ServerError,
    request: ModelRequest,
    left: ReadonlySet<string>,
  ): { fields: readonly string[]; isSure: boolean } | undefined {
    if (!REFUSALS.has(error.code)) return undefined;
    const sent = this.#server.fieldsOf(request).filter((field) => !left.has(field));
    const hasShape = request.response_schema !== undefined && !left.has(SHAPE) && !request.must_constrain;
    for (const field of error.refuses?.fields ?? []) {
      if (field === SHAPE && hasShape) return { fields: [SHAPE], isSure: true };
      if (sent.includes(field)) return isOptional(request, field) ? { fields: [field], isSure: true } : undefined;
    }
    if (hasShape && error.status !== undefined) return { fields: [SHAPE], isSure: false };
    const optional = sent.filter((field) => isOptional(request, field));
    return error.refuses?.isGeneral && optional.length > 0 ? { fields: optional, isSure: false } : undefined;
  }

  #failed(outcome: ModelOutcome, request: ModelRequest): ModelOutcome {
    if (outcome.ok) return outcome;
    const { refuses, ...error } = outcome.error as ServerError;
    if (request.must_constrain && refuses?.fields.includes(SHAPE)) this.#learn(request, SHAPE, error.message);
    const sent = this.#server.fieldsOf(request);
    const set = refuses?.fields.find((field) => sent.includes(field) && field !== TOOLS);
    if (set !== undefined && !request.must_constrain) {
      const hint = `The server takes no ${set} for this model: leave out what sets it.`;
      return { ...outcome, error: { ...error, hint } };
    }
    // Nothing else is left that could be refused.
    const code = refuses?.isGeneral && request.tools.length > 0 ? 'tools_unsupported' : error.code;
    return { ...outcome, error: { ...error, code } };
  }

  #isRefused(request: ModelRequest, field: string): boolean {
    // Hardly any server refuses one, and every request is looked up.
    if (this.#learned.size === 0) return false;
    return (
      this.#learned.has(keyOf(request, field)) || (field === SHAPE && this.#learned.has(keyOf(request, field, true)))
    );
  }

  #learn(request: ModelRequest, field: string, said: string): void {
    this.#learned.add(keyOf(request, field, field === SHAPE && isOfOneSchema(said)));
    for (const oldest of this.#learned) {
      if (this.#learned.size <= PROVIDER_LIMITS.refusedFields) break;
      this.#learned.delete(oldest);
    }
  }

  #told(fields: readonly string[]): string {
    const shape = fields.includes(SHAPE) ? ' The shape of the answer is asked for in the prompt.' : '';
    return `${this.#server.endpoint} refuses ${fields.join(', ')} for this model, so it is asked without.${shape}`;
  }
}

/** Parts that come only when the request was taken. */
const ANSWERS: ReadonlySet<ModelPart['type']> = new Set(['text_delta', 'reasoning_delta', 'tool_call_delta']);
const REFUSALS: ReadonlySet<ModelError['code']> = new Set(['bad_request', 'server_error', 'tools_unsupported']);

/** What a client wrote in these very words is the client's. */
const isOptional = ({ own_sampling: isOwn, passthrough = {} }: ModelRequest, field: string): boolean =>
  (OWN_FIELDS.includes(field) || (isOwn === true && OWN_SAMPLING.includes(field))) &&
  !Object.hasOwn(passthrough, field);

const keyOf = ({ model, response_schema: schema }: ModelRequest, field: string, isOfSchema = false): string =>
  JSON.stringify([model, field, ...(isOfSchema ? [schema ?? null] : [])]);

const shapeRefused = ({ endpoint }: Server): ModelError => ({
  code: 'bad_request',
  message: `${endpoint} holds no answer of this model to a schema.`,
});

/** Behind the last message of the person, unless the schema stands there already. */
const withShapeInWords = (request: ModelRequest, left: ReadonlySet<string>): ModelRequest => {
  const { response_schema: schema, messages } = request;
  if (schema === undefined || !left.has(SHAPE)) return request;
  return { ...request, response_schema: undefined, messages: withSchema(messages, schema) };
};

const withSchema = (messages: readonly ModelMessage[], schema: JsonSchema): readonly ModelMessage[] => {
  const text = JSON.stringify(schema);
  const last = messages.at(-1);
  const person = messages.findLast(({ role }) => role === 'user');
  if (person?.role === 'user' && messageText(person.content).includes(text)) return messages;
  const note = `The answer has to be JSON that fits this schema, and nothing else: ${text}`;
  if (last?.role !== 'user') return [...messages, { role: 'user', content: note }];
  const content =
    typeof last.content === 'string'
      ? `${last.content}\n\n${note}`
      : [...last.content, { type: 'text' as const, text: note }];
  return [...messages.slice(0, -1), { ...last, content }];
};
