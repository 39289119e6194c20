/** The rules of permission: which hold here, where each comes from, and those that a person may change. */
import { AGENT_LIMITS } from '../../agent/limits.ts';
import { listedRules } from '../../agent/permissions/listed-rules.ts';
import type { Rule } from '../../core/events.ts';
import { MODES } from '../../core/policy/modes.ts';
import { parseRule, ruleText } from '../../core/policy.ts';
import { identityOf } from '../../core/tool/said-of-itself.ts';
import { ApiError, fromFailure } from '../api-error.ts';
import { defineRoute, json, type Route } from '../route.ts';
import type { ServerContext } from '../server-context.ts';

const DECISION = { enum: ['allow', 'deny'] } as const;
const TEXT = {
  type: 'string',
  minLength: 1,
  maxLength: AGENT_LIMITS.ruleCharacters,
  description: 'As it is written on the command line, such as `bash(git log *)`.',
} as const;
const LISTED = {
  type: 'object',
  required: ['decision', 'rule', 'source'],
  properties: {
    decision: DECISION,
    rule: TEXT,
    source: { enum: ['command line', 'program', 'remembered'], description: 'Only remembered ones can be changed.' },
    created_at: { type: 'integer', description: 'Of a remembered one: milliseconds since 1970.' },
  },
} as const;
const RULES = {
  type: 'object',
  required: ['workspace', 'path', 'mode', 'rules'],
  properties: {
    workspace: { type: 'string', description: 'The folder that remembered rules hold for.' },
    path: { type: 'string', description: 'Where they are kept.' },
    mode: { enum: MODES, description: 'Of sessions that begin.' },
    rules: { type: 'array', items: LISTED },
  },
} as const;

const told = ({ halter }: ServerContext): Response => {
  return json({
    workspace: halter.root,
    path: halter.storage.policies.path,
    mode: halter.rules().mode,
    rules: listedRules(halter),
  });
};

const invalid = (message: string): ApiError => new ApiError(400, 'invalid_request', message);

/** What is allowed from the page names one tool that is there, and of commands it says which. */
const checked = async ({ halter }: ServerContext, decision: 'allow' | 'deny', text: string): Promise<Rule> => {
  const parsed = parseRule(text);
  if (!parsed.ok) throw fromFailure(parsed.error);
  const rule = parsed.value;
  if (decision === 'deny') return rule;
  await halter.mcp.open();
  const tool = halter.tools.find(({ name }) => name === rule.tool);
  if (tool === undefined)
    throw invalid(`There is no tool ${rule.tool} here. A rule that allows names one tool, without *.`);
  if (tool.effects === 'process' && rule.pattern === undefined)
    throw invalid(`Say which commands: ${rule.tool}(git log *). Every command is not allowed from here.`);
  // A yes to a tool of an MCP server is a yes to what the tool is now.
  const identity = identityOf(tool);
  if (!identity.ok) throw fromFailure(identity.error);
  return identity.value === undefined ? rule : { ...rule, bound_to: identity.value };
};

const known = ({ halter }: ServerContext, text: string): Rule => {
  const rule = halter.remembered.list().find((each) => ruleText(each) === text);
  if (rule === undefined) throw new ApiError(404, 'not_found', `No rule ${text} is remembered for this folder.`);
  const { tool, pattern } = rule;
  return { tool, ...(pattern === undefined ? {} : { pattern }) };
};

export const RULE_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/rules',
    summary: 'The rules of permission that hold here, and where each comes from',
    tag: 'rules',
    responses: { 200: { description: 'The rules.', schema: RULES } },
    handle: ({ server }) => told(server),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/rules',
    summary: 'Remember a rule for this folder',
    description:
      'With `instead_of` it takes the place of that one. A rule that allows names one tool that is there, and of a tool that runs commands it says which.',
    tag: 'rules',
    body: {
      type: 'object',
      required: ['decision', 'rule'],
      properties: {
        decision: DECISION,
        rule: TEXT,
        instead_of: { ...TEXT, description: 'A remembered rule that is taken out for it.' },
      },
    },
    responses: {
      200: { description: 'The rules from now on.', schema: RULES },
      400: { description: 'It is no rule, or allows too much.' },
      404: { description: 'There is no such rule to take the place of.' },
    },
    async handle({ body, server }) {
      const rule = await checked(server, body.decision, body.rule);
      const before = body.instead_of === undefined ? undefined : known(server, body.instead_of);
      // Where one of the two fails, nothing is allowed that was not before.
      const kept = await server.halter.remembered.keep(rule, body.decision);
      if (!kept.ok) throw fromFailure(kept.error);
      if (before !== undefined && ruleText(before) !== ruleText(rule)) {
        const gone = await server.halter.remembered.forget(before);
        if (!gone.ok) throw fromFailure(gone.error);
      }
      return told(server);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/rules',
    summary: 'Take a remembered rule out',
    description: 'It holds no longer from the next call on, in sessions that are open too.',
    tag: 'rules',
    query: { rule: { description: 'As `GET /api/rules` writes it.', schema: { type: 'string' } } },
    responses: {
      200: { description: 'The rules from now on.', schema: RULES },
      404: { description: 'No such rule is remembered.' },
    },
    async handle({ query, server }) {
      const gone = await server.halter.remembered.forget(known(server, query.get('rule') ?? ''));
      if (!gone.ok) throw fromFailure(gone.error);
      return told(server);
    },
  }),
];
