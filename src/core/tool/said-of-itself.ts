/**
 * What a tool says of itself when it is asked. One that a program or a plugin made of another may fail at that, or give what
 * is no answer: it is then neither offered nor run, since nobody knows whether it can be used, or what a rule was given to.
 */

import type { JsonObject } from '../json.ts';
import { fits, isAbsent, type Kind, text } from '../option-kinds.ts';
import { failure, type Outcome, succeed } from '../outcome.ts';
import { ignoreLater } from '../own-callback.ts';
import type { Network, ToolConfig } from '../ports.ts';
import { shown } from '../shown-value.ts';
import { thrownText } from '../thrown-text.ts';
import type { Tool } from '../tool.ts';

/** What its rules are bound to; undefined for a tool that no server describes. */
export const identityOf = (tool: Pick<Tool, 'name' | 'identity'>): Outcome<string | undefined> =>
  isAbsent(tool.identity)
    ? succeed(undefined)
    : (saidBy(`identity of ${tool.name}`, text, () => tool.identity?.()) as Outcome<string>);

/** Why a tool cannot be used. `isBroken`: it could not say. */
export type Absence = { reason: string; isBroken: boolean };

/** Undefined where it can be used: with these settings, or for the call of these arguments. */
export const absenceOf = (
  tool: Pick<Tool, 'name' | 'unavailable'>,
  config: ToolConfig,
  args?: JsonObject,
  network?: Pick<Network, 'refusalOf'>,
): Absence | undefined => {
  if (isAbsent(tool.unavailable)) return undefined;
  const said = saidBy(`unavailable of ${tool.name}`, REASON, () => tool.unavailable?.(config, args, network));
  if (!said.ok) return { reason: said.error.message, isBroken: true };
  return typeof said.value === 'string' ? { reason: said.value, isBroken: false } : undefined;
};

const REASON: Kind = {
  words: 'a text, or nothing',
  problem: (value) => (isAbsent(value) ? undefined : text.problem(value)),
};

const saidBy = (what: string, kind: Kind, ask: () => unknown): Outcome<unknown> => {
  try {
    const said = ask();
    if (fits(kind, said)) return succeed(said);
    ignoreLater(said);
    return failure('internal_error', `${what} must return ${kind.words}, not ${shown(said)}.`);
  } catch (error) {
    return failure('internal_error', `${what} failed: ${thrownText(error)}`);
  }
};
