/** Asks a permission question on a plain terminal, for `run` and `tools call` where a person sits there. */
import type { PermissionDecision, Rule } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import type { ArgumentOrigin } from '../core/provenance/origin.ts';
import type { Preview, Risk } from '../core/tool.ts';
import type { SandboxFacts } from '../terminal/app-options.ts';
import { questionLines } from '../terminal/questions/permission-body.ts';
import { type Io, paintTo, themeOf } from './io.ts';
import { forgetTyped, readLine } from './read-line.ts';

export type Question = {
  id: string;
  name: string;
  arguments: JsonObject;
  risk: Risk;
  rule: Rule;
  because?: string | undefined;
  provenance?: readonly ArgumentOrigin[] | undefined;
  asksEachTime?: boolean | undefined;
  onlyReads?: boolean | undefined;
  preview?: Preview | undefined;
  mainArgument?: string | undefined;
};
export type Answer = { decision: PermissionDecision; reason?: string };

const CHOICES: Readonly<Record<string, PermissionDecision>> = {
  '1': 'allow_once',
  '2': 'session',
  '3': 'remember',
  '4': 'deny',
};

/** Closed input is a no. A denial may carry a reason behind the 4, which reaches the model. */
export const askPerson = async (
  question: Question,
  sandbox: SandboxFacts,
  io: Io,
  signal: AbortSignal,
): Promise<Answer> => {
  const theme = themeOf(io.stderr, io.env);
  const lines = questionLines(
    { ...question, callId: question.id, mainArgument: question.mainArgument, sandbox },
    io.stderr.columns,
    theme,
    { all: true },
  );
  forgetTyped(io);
  paintTo(io.stderr, `\n⚠️  Permission Request\n\n${lines.join('\n')}\n\n`);
  for (;;) {
    io.stderr.write('[1] Allow Once  [2] Session  [3] Remember  [4] Deny: ');
    const line = await readLine(io, signal);
    if (line === undefined) return { decision: 'deny', reason: 'the person left the question unanswered' };
    const [, key = '', reason = ''] = /^\s*([1-4])\s*(.*)$/.exec(line) ?? [];
    const decision = CHOICES[key];
    if (decision === 'deny' && reason !== '') return { decision, reason };
    if (decision !== undefined && reason === '') return { decision };
    io.stderr.write('Type 1, 2, 3 or 4; behind 4 a reason may stand.\n');
  }
};
