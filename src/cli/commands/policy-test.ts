/** `halter policy test` and `halter policy explain`: what would become of a call, and why. Nothing is run. */

import type { Judgement, Refusal } from '../../agent/permissions/authorize.ts';
import type { Rule } from '../../core/events.ts';
import { type PolicyReason, ruleText } from '../../core/policy.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { openHalter } from '../open-halter.ts';
import { reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

type Judged = { judgement: Judgement; sandbox: string };

/** One word is a command line for the shell; two are a tool and its arguments. */
const callOf = ([first = '', second]: readonly string[]): { name: string; args: unknown } => {
  if (second === undefined) return { name: 'bash', args: { command: first } };
  try {
    return { name: first, args: JSON.parse(second) as unknown };
  } catch (error) {
    throw new UsageError(`The arguments are not JSON: ${(error as Error).message}`, 'policy test');
  }
};

const judge = async (invocation: Invocation): Promise<Judged | ExitCode> => {
  const { flags, io, words } = invocation;
  const { name, args } = callOf(words);
  const opened = await openHalter({ flags, io, onWarning: () => {} });
  if (!opened.ok) return reportFailure(opened.error, io);
  const halter = opened.value;
  const judgement = await halter.judge(name, args);
  await halter.close();
  return judgement.kind === 'refused' ? refuse(judgement, invocation) : { judgement, sandbox: halter.sandbox };
};

/** Such a call never comes as far as a rule. */
const refuse = ({ error_type, message }: Refusal, { flags, io }: Invocation): ExitCode => {
  if (flags.json) io.stdout.write(`${JSON.stringify({ verdict: 'invalid', error_type, message })}\n`);
  else io.stderr.write(`halter: ${sanitizeLine(message)}\n`);
  return EXIT.error;
};

const codeOf = ({ verdict }: Judgement): ExitCode => (verdict === 'allow' ? EXIT.answered : EXIT.permission);

/** What a person who answers Session or Remember would store. */
const stored = ({ asksEachTime, rule, suggestions, verdict }: Judgement): Rule[] =>
  verdict !== 'ask' || asksEachTime ? [] : [rule, ...suggestions.filter((each) => ruleText(each) !== ruleText(rule))];

const reasonRow = ({ because, rule, says, set_aside }: PolicyReason) => ({
  says,
  because,
  ...(rule ? { rule: ruleText(rule), source: rule.source } : {}),
  ...(set_aside === undefined ? {} : { set_aside }),
});

const summary = ({ judgement, sandbox }: Judged) => {
  const { arguments: args, asksEachTime, because, risk, tool, verdict } = judgement;
  return {
    tool: tool.name,
    arguments: args,
    verdict,
    because,
    risk,
    asks_each_time: asksEachTime,
    sandbox: tool.effects === 'process' ? sandbox : null,
  };
};

export const policyTestCommand: CommandCode = {
  async execute(invocation) {
    const judged = await judge(invocation);
    if (typeof judged === 'number') return judged;
    const { flags, io } = invocation;
    const { because, verdict } = judged.judgement;
    io.stdout.write(flags.json ? `${JSON.stringify(summary(judged))}\n` : `${verdict}  ${sanitizeLine(because)}\n`);
    return codeOf(judged.judgement);
  },
};

export const policyExplainCommand: CommandCode = {
  async execute(invocation) {
    const judged = await judge(invocation);
    if (typeof judged === 'number') return judged;
    const { flags, io } = invocation;
    const { judgement } = judged;
    const rules = stored(judgement).map(ruleText);
    if (flags.json) {
      // The key is part of the output format.
      const voices = judgement.reasons.map(reasonRow);
      const [rule = null] = rules;
      io.stdout.write(
        `${JSON.stringify({ ...summary(judged), voices, remember: { rule, others: rules.slice(1) } })}\n`,
      );
      return EXIT.answered;
    }
    const { asks_each_time, because, risk, sandbox, tool, verdict } = summary(judged);
    io.stdout.write(`${verdict}  ${sanitizeLine(because)}\n\n`);
    io.stdout.write(columns([['tool', tool], ['risk', risk], ...(sandbox === null ? [] : [['sandbox', sandbox]])]));
    io.stdout.write(`\nWhat speaks about it (deny comes before ask, ask before allow):\n`);
    const rows = judgement.reasons.map(({ because: text, says, set_aside }) => [
      `  ${says}`,
      sanitizeLine(text),
      set_aside === undefined ? '' : `does not count: ${sanitizeLine(set_aside)}`,
    ]);
    io.stdout.write(columns(rows.length > 0 ? rows : [['  ask', `no rule, and ${tool} has ${risk} risk`, '']]));
    if (asks_each_time) io.stdout.write('\nA yes counts once: it is asked about again each time.\n');
    if (rules.length > 0) {
      io.stdout.write(`\nRemember would store: ${sanitizeLine(rules[0] ?? '')}\n`);
      for (const other of rules.slice(1)) io.stdout.write(`                  or: ${sanitizeLine(other)}\n`);
    }
    return EXIT.answered;
  },
};
