/** A format, the tools and a text: the parser that people see. */
import type { ParseResult, Parser, ParserEvent, ParserOptions } from '../types.ts';
import { answerFor } from './answer.ts';
import { newCore } from './core.ts';
import type { Format } from './format.ts';
import { type Plan, planFormat } from './plan.ts';
import { Offers } from './tools.ts';

const plans = new WeakMap<Format, Plan>();

const planOf = (format: Format): Plan => {
  let plan = plans.get(format);
  if (plan === undefined) {
    plan = planFormat(format);
    plans.set(format, plan);
  }
  return plan;
};

const numbered = (number: number): string => `call_${number}`;

export const parserFor = (format: Format, options: Omit<ParserOptions, 'dialect'>): Parser => {
  const core = newCore(new Offers(options.tools));
  const answer = answerFor(core, planOf(format), options.makeId ?? numbered);
  core.start(answer.read(options.startInReasoning === true));
  let result: ParseResult | undefined;
  return {
    push: (text: string): ParserEvent[] => (result === undefined ? core.push(text) : []),
    end: () => {
      if (result !== undefined) return { events: [], result };
      const events = core.end();
      const { out, truncated } = core;
      result = {
        dialect: answer.format() ?? format.name,
        content: out.content,
        reasoning: out.reasoning,
        calls: out.calls,
        broken: out.broken,
        truncated,
      };
      return { events, result };
    },
  };
};
