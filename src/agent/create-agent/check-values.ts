/** Checks of options that are values alone, apart from the others so that a program that only imports the library loads little. */
import { withoutUndefined } from '../../core/json.ts';
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { parseRule, type SourcedRule } from '../../core/policy.ts';
import type { PermissionOptions } from './options.ts';

type RuleTexts = Pick<PermissionOptions, 'allow' | 'deny' | 'source'>;

export const parseRules = ({
  source = 'program',
  ...texts
}: RuleTexts): Outcome<Record<'allow' | 'deny', SourcedRule[]>> => {
  const rules: Record<'allow' | 'deny', SourcedRule[]> = { allow: [], deny: [] };
  for (const decision of ['allow', 'deny'] as const) {
    const given = texts[decision];
    // What is no list is told of with the kinds of all options.
    for (const [index, text] of Array.isArray(given) ? given.entries() : []) {
      const rule = parseRule(text);
      if (!rule.ok) {
        const place = source === 'command line' ? `--${decision}` : `permissions.${decision}[${index}]`;
        return failure('validation_failed', `${place}: ${rule.error.message}`);
      }
      rules[decision].push({ ...rule.value, source });
    }
  }
  return succeed(rules);
};

/** Those that are given in place of the usual ones. */
export const limitsWith = (given: Partial<Limits> = {}, usual: Limits = DEFAULT_LIMITS): Limits => ({
  ...usual,
  ...withoutUndefined(given),
});

/** A program writes numbers; what a person writes was read where they wrote it. */
export const checkWindow = (tokens: number | undefined): Outcome<void> =>
  tokens === undefined || (Number.isSafeInteger(tokens) && tokens > 0)
    ? succeed(undefined)
    : failure(
        'validation_failed',
        `contextLength is ${JSON.stringify(tokens)}, and must be a whole number of tokens, such as 8192.`,
      );
