/** What the events of a session look like, for files that come from somewhere else. Names may be added to events. */
import type { Schema } from '../schema/index.ts';
import type { EventBody } from './events.ts';
import { OWN_SETTINGS } from './own-settings.ts';
import { PERMISSION_DECISIONS } from './permission-decision.ts';
import { MODES } from './policy/modes.ts';
import { TOOL_ERROR_TYPES } from './tool-result.ts';
import { KEPT_NOTES_SCHEMA } from './window/notes.ts';

const TEXT: Schema = { type: 'string' };
const FLAG: Schema = { type: 'boolean' };
const COUNT: Schema = { type: 'number', minimum: 0 };
/** Permission bits; no rights of an owner or a group are among them. */
const MODE: Schema = { type: 'integer', minimum: 0, maximum: 0o777 };
const NUMBER: Schema = { type: 'integer', minimum: 1 };
const list = (items: Schema): Schema => ({ type: 'array', items });
const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values });
const object = (required: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
});

const OBJECT: Schema = { type: 'object' };
const RULE = object({ tool: TEXT }, { pattern: TEXT });
const RISK = oneOf('safe', 'medium', 'high');
const REPAIRS = list(object({ kind: TEXT, detail: TEXT }));
const FILE = object({ path: TEXT, hash: TEXT });
const CONTENT: Schema = {
  anyOf: [
    TEXT,
    list({
      anyOf: [
        object({ type: { const: 'text' }, text: TEXT }, { file: FILE }),
        object({ type: { const: 'image' }, mime_type: TEXT, data_base64: TEXT }, { name: TEXT }),
      ],
    }),
  ],
};
const CALL = object(
  {
    id: { type: 'string', minLength: 1 },
    name: TEXT,
    arguments: OBJECT,
    source: oneOf('native', 'parsed', 'constrained'),
    repairs: REPAIRS,
  },
  { written: TEXT, malformed: object({ text: TEXT, problem: TEXT }, { cut: FLAG }) },
);
const USAGE = object(
  { prompt_tokens: COUNT, completion_tokens: COUNT, seconds: COUNT },
  { cached_tokens: COUNT, shared_tokens: COUNT },
);
const MESSAGE = object(
  {
    role: { const: 'assistant' },
    content: TEXT,
    tool_calls: list(CALL),
    finish: oneOf('stop', 'tool_calls', 'length', 'cancelled', 'disconnected'),
  },
  { reasoning: TEXT, ended_by: TEXT, edited: FLAG, by_halter: FLAG, usage: USAGE },
);
const NULLABLE: Schema = { type: ['string', 'null'] };
const RESULT = object({
  success: FLAG,
  data: NULLABLE,
  error_message: NULLABLE,
  error_type: oneOf(...TOOL_ERROR_TYPES),
  metadata: object({ execution_time_ms: COUNT, data_size_bytes: COUNT, timestamp: { type: 'number' } }),
});
const LIMITS = object({
  toolCallsPerIteration: NUMBER,
  iterations: NUMBER,
  repairs: COUNT,
  toolTimeoutMs: COUNT,
  summaryCharacters: COUNT,
});
const CALL_ID: Schema = { type: 'string', minLength: 1 };

const question = (kind: string, fields: Record<string, Schema>): Schema =>
  object(
    { question_id: CALL_ID, server: TEXT, message: TEXT, kind: { const: kind }, ...fields },
    { tool_call_id: CALL_ID, system: TEXT },
  );

const CHANGED = object({ names: list(TEXT), more: COUNT });
const HEAD = object({ system: TEXT, tools: list(object({ name: TEXT, digest: TEXT })) });

export const EVENT_SCHEMAS: { [Type in EventBody['type']]: Schema } = {
  session_started: object(
    { version: NUMBER, session_id: TEXT, workspace: TEXT, model: TEXT },
    {
      preset: TEXT,
      limits: LIMITS,
      forked_from: object({ session_id: TEXT, seq: NUMBER }),
      head: HEAD,
    },
  ),
  prompt_begun: object({ head: HEAD }),
  user_message_added: object(
    { content: CONTENT },
    { steers: { const: true }, files_changed: list(object({ path: TEXT, hash: NULLABLE })) },
  ),
  assistant_message_added: object(
    { message: MESSAGE },
    {
      thought_seconds: COUNT,
      broken_by: TEXT,
      prompt: object(
        { kept: COUNT, digests: list(TEXT) },
        {
          results: oneOf('summary', 'compact'),
          compact_results: { const: true },
          tier: oneOf('small', 'standard'),
          other_usage: { const: true },
        },
      ),
    },
  ),
  model_failed: object({ code: TEXT, message: TEXT }, { hint: TEXT, status: NUMBER, retry_after_seconds: COUNT }),
  answer_streamed: object({ text: TEXT }, { reasoning: TEXT, begins: { const: true } }),
  arguments_rejected: object({ tool_call_id: CALL_ID, result: RESULT }),
  policy_evaluated: object(
    {
      tool_call_id: CALL_ID,
      verdict: oneOf('allow', 'ask', 'deny'),
      risk: RISK,
      exclusive: FLAG,
      arguments: OBJECT,
      because: TEXT,
    },
    { polling: FLAG, dropped_arguments: list(TEXT), repairs: REPAIRS },
  ),
  permission_requested: object(
    { tool_call_id: CALL_ID, risk: RISK, rule: RULE },
    { preview: object({ summary: TEXT }, { diff: TEXT }), flag_rule: RULE },
  ),
  permission_resolved: object(
    { tool_call_id: CALL_ID, decision: oneOf(...PERMISSION_DECISIONS) },
    { rule: RULE, reason: TEXT, unanswered: { const: true } },
  ),
  tool_started: object({ tool_call_id: CALL_ID }, { preview: object({ summary: TEXT }, { diff: TEXT }) }),
  tool_finished: object(
    { tool_call_id: CALL_ID, result: RESULT },
    { for_model: CONTENT, is_json: { const: true }, files: list(FILE) },
  ),
  task_changed: object({
    task: object({ id: TEXT, content: TEXT, status: oneOf('pending', 'in_progress', 'completed') }),
  }),
  tool_called: object({ name: TEXT, arguments: OBJECT, result: RESULT }, { files: list(FILE) }),
  server_asked: object({
    question: {
      anyOf: [
        question('form', { fields: OBJECT }),
        question('url', { url: TEXT }),
        question('sampling', { prompt: TEXT, max_tokens: COUNT }),
        question('sampling_answer', { answer: TEXT, model: TEXT }),
      ],
    },
  }),
  job_changed: object(
    { job: object({ id: TEXT, command: TEXT, state: oneOf('running', 'ended'), terminal: FLAG }) },
    { with_halter: { const: true } },
  ),
  server_answered: object({ question_id: CALL_ID, action: oneOf('accept', 'decline', 'cancel') }),
  iteration_completed: object({ iteration: NUMBER }),
  context_compacted: object(
    { summary: TEXT, kept_from_seq: COUNT },
    {
      results_from_seq: COUNT,
      results_characters: NUMBER,
      rounds_from_seq: COUNT,
      rounds_summary: TEXT,
      tightest: { const: true },
      focus: TEXT,
      notes: KEPT_NOTES_SCHEMA,
      said: object({ messages: COUNT, characters: COUNT }, { lacks_facts: { const: true } }),
      report: object(
        { before_tokens: COUNT, after_tokens: COUNT, turns: COUNT, results: COUNT },
        {
          calls: COUNT,
          messages: COUNT,
          shortened: COUNT,
          shortened_messages: list(TEXT),
          dropped_messages: list(TEXT),
          decisions: COUNT,
          notes_failed: { const: true },
          notes_kept: { const: true },
          window_tokens: COUNT,
          window_learned: oneOf('cut', 'shown', 'guessed'),
        },
      ),
    },
  ),
  model_changed: object({ model: TEXT }, { role: oneOf('plan', 'main') }),
  mode_changed: object({ mode: oneOf(...MODES) }),
  settings_changed: object({ settings: OWN_SETTINGS }),
  limits_changed: object({ limits: LIMITS }),
  branch_selected: object({ at_seq: NUMBER, model: TEXT }, { run: { const: true } }),
  session_renamed: object({ title: TEXT }),
  change_recorded: object(
    { tool_call_id: CALL_ID, path: TEXT, before: NULLABLE, after: TEXT, kept: FLAG },
    {
      folders: list(TEXT),
      mode_before: MODE,
      mode_after: MODE,
      link_before: TEXT,
      link_after: TEXT,
      folder_before: { const: true },
      folder_after: { const: true },
    },
  ),
  layer_changed: object(
    { tool_call_id: CALL_ID, state: oneOf('opened', 'applying', 'applied') },
    {
      layers: list(object({ folder: TEXT, name: TEXT })),
      beside: list(TEXT),
      network: { const: true },
      changed: CHANGED,
      stopped: { const: true },
      dropped: { const: true },
    },
  ),
  change_undone: object(
    { change_seq: NUMBER, path: TEXT, how: oneOf('restored', 'removed', 'beside', 'left', 'partly') },
    { beside: TEXT, after: TEXT },
  ),
  run_completed: object({ sources: list(TEXT) }, { shown_sources: list(TEXT) }),
  run_stopped: object(
    {
      reason: oneOf('limit', 'retries_exhausted', 'loop', 'model_unusable', 'permission_required', 'error'),
      name: TEXT,
      message: TEXT,
    },
    { code: { type: 'integer' } },
  ),
  run_cancelled: object({}),
};
