/** What a check of the probe is made of. Checks are data: a question, and what speaks for the answer. */
import type { JsonObject, JsonSchema, JsonValue } from '../../../core/json.ts';
import type { ModelMessage } from '../../../core/message.ts';
import type { ModelSpeed } from '../../../core/model-profile.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import type { Answer, Asker, Question } from './ask.ts';

export type Verdict = { passed: boolean; detail: string };

/** What earlier checks found out and later ones build on. */
export type Findings = {
  /** How tools are given in the checks of arguments: by the server's own field, or in the prompt in this format. */
  injected?: string;
  /** Neither way gave a call, so there is nothing to check further. */
  noCalls?: true;
  dialect?: string;
  reasoning: 'none' | 'separate' | 'in_text';
  /** The window that the server was found to have. */
  windowTokens?: number;
  /** Tokens as the server counts them, for each one that is estimated. */
  tokenRatio?: number;
  schemaHeld?: boolean;
  speed: ModelSpeed;
};

export type Check = {
  id: string;
  group: 'answers' | 'tools' | 'calls as text' | 'arguments' | 'turns' | 'judgement' | 'schema' | 'window' | 'speed';
  title: string;
  /** Why it cannot be asked here. */
  skip?(asker: Asker, findings: Findings): string | undefined;
  run(asker: Asker, findings: Findings): Promise<Verdict>;
};

export const user = (content: string): ModelMessage => ({ role: 'user', content });
export const system = (content: string): ModelMessage => ({ role: 'system', content });

export const tool = (
  name: string,
  description: string,
  properties: JsonObject = {},
  required?: string[],
): ToolSchema => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties, required: required ?? Object.keys(properties) } satisfies JsonSchema,
  },
});

/** One question and a judgement of its answer. A question that fails is a failed check, with the server's words. */
export const judged = async (
  asker: Asker,
  question: Question,
  judge: (answer: Answer) => Verdict,
): Promise<Verdict> => {
  const asked = await asker.ask(question);
  return asked.ok ? judge(asked.answer) : { passed: false, detail: asked.error.message };
};

export const passed = (detail = ''): Verdict => ({ passed: true, detail });
export const failed = (detail: string): Verdict => ({ passed: false, detail });

const EXCERPT = 60;
/** What came instead, short. */
export const said = (answer: Answer): string => {
  const [call] = answer.calls;
  if (call) return `it called ${call.name} ${JSON.stringify(call.arguments)}`.slice(0, EXCERPT * 2);
  if (answer.broken > 0) return 'its call broke off or could not be read';
  const text = answer.text.replaceAll(/\s+/g, ' ').trim();
  if (text !== '') return `it said "${text.slice(0, EXCERPT)}${text.length > EXCERPT ? '…' : ''}"`;
  return answer.reasoning === '' ? 'it said nothing' : 'it only thought';
};

/** Exactly one call, of this tool, whose arguments are these (a function decides, or equal values do). */
export const expectCall = (
  answer: Answer,
  name: string,
  fits: JsonObject | ((args: JsonObject) => boolean) = () => true,
): Verdict => {
  const [call] = answer.calls;
  if (call === undefined || call.name !== name || call.malformed) return failed(said(answer));
  const good = typeof fits === 'function' ? fits(call.arguments) : holds(call.arguments, fits);
  return good ? passed(call.from === 'text' ? 'the call came as text and was read' : '') : failed(said(answer));
};

const holds = (args: JsonObject, wanted: JsonObject): boolean =>
  Object.entries(wanted).every(([key, value]) => sameValue(args[key], value));
/** Words are compared without their case, as models vary it and no tool minds. */
const sameValue = (one: JsonValue | undefined, other: JsonValue): boolean =>
  typeof one === 'string' && typeof other === 'string'
    ? one.trim().toLowerCase() === other.toLowerCase()
    : JSON.stringify(one) === JSON.stringify(other);

export const ASSISTANT = system(
  'You are an assistant with tools. Call a tool when the answer depends on it; otherwise just answer. Answer short.',
);
