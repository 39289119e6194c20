/** A grammar, the tools and a text: the parser that people see. */
import type { ParseResult, Parser, ParserEvent, ParserOptions } from '../types.ts';
import { answerFor } from './answer.ts';
import { type Core, newCore } from './core.ts';
import type { Grammar } from './grammar.ts';
import { type Plan, planGrammar } from './plan.ts';
import { Offers } from './tools.ts';

const plans = new WeakMap<Grammar, Plan>();

const planOf = (grammar: Grammar): Plan => {
  let plan = plans.get(grammar);
  if (plan === undefined) {
    plan = planGrammar(grammar);
    plans.set(grammar, plan);
  }
  return plan;
};

/** Stands before some texts and means nothing. */
const BYTE_ORDER_MARK = /^\ufeff/;

const numbered = (number: number): string => `call_${number}`;

/** A stream that is read never fails, so what is no text, or no id of its own, gives way to the next number that is free. */
const idsOf =
  (core: Core, makeId: (number: number) => unknown) =>
  (number: number): string => {
    let next = number;
    let id: unknown;
    try {
      id = makeId(number);
    } catch {}
    while (typeof id !== 'string' || id === '' || core.out.calls.some((call) => call.id === id)) id = numbered(next++);
    return id;
  };

export const parserFor = (grammar: Grammar, options: Omit<ParserOptions, 'dialect'>): Parser => {
  const core = newCore(new Offers(options.tools));
  const answer = answerFor(core, planOf(grammar), idsOf(core, options.makeId ?? numbered));
  core.start(answer.read(options.startInReasoning === true));
  let result: ParseResult | undefined;
  let begun = false;
  return {
    push: (text: string): ParserEvent[] => {
      if (result !== undefined || text === '') return [];
      const piece = begun ? text : text.replace(BYTE_ORDER_MARK, '');
      begun = true;
      return core.push(piece);
    },
    end: ({ isCut = false } = {}) => {
      if (result !== undefined) return { events: [], result };
      const events = core.end(isCut);
      const { out, truncated } = core;
      result = {
        dialect: answer.dialect() ?? grammar.name,
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
