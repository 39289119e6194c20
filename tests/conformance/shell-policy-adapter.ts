/** Maps the catalogue's names of rules and decisions to halter's. It holds no case and no expected value. */

import type {
  ShellDecision,
  ShellRule,
  ShellRules,
  ShellSurroundings,
} from '../../src/agent/permissions/shell-rules.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { AttackCase } from './attack-cases.ts';

type CatalogueRule = { tool: string; match: string; command: string; action: string };

const patternOf = ({ tool, match, command }: CatalogueRule): ShellRule => {
  if (tool !== 'bash') throw new Error(`the tool ${tool} is not known`);
  if (match === 'prefix') return { pattern: `${command} *` };
  if (match === 'exact') return { pattern: `=${command}` };
  throw new Error(`the match ${match} is not known`);
};

export const commandOf = (attack: AttackCase): string => {
  const { command } = attack.when.args as JsonObject;
  if (attack.when.tool !== 'bash' || typeof command !== 'string') throw new Error(`${attack.id} runs no shell line`);
  return command;
};

export const decideCase = (rules: ShellRules, attack: AttackCase, surroundings: ShellSurroundings): ShellDecision => {
  const given = (attack.given.rules ?? []) as unknown as CatalogueRule[];
  const withAction = (action: string): ShellRule[] => given.filter((rule) => rule.action === action).map(patternOf);
  const unknown = given.find(({ action }) => action !== 'allow' && action !== 'deny');
  if (unknown) throw new Error(`the action ${unknown.action} is not known`);
  return rules.decide({ allow: withAction('allow'), deny: withAction('deny') }, commandOf(attack), surroundings);
};

/** With nobody there a question is a no. */
export const decisionWord = (decision: ShellDecision, mode: unknown): string => {
  if (decision.verdict !== 'ask') return decision.verdict;
  return mode === 'headless' ? 'deny' : 'prompt';
};

const KNOWN = new Set(['decision', 'decision_in', 'canary_absent']);
export const expectedDecisions = (attack: AttackCase): string[] => {
  const unknown = Object.keys(attack.then).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) throw new Error(`the expectation ${unknown} is not known`);
  return (attack.then.decision_in as string[] | undefined) ?? [attack.then.decision as string];
};
