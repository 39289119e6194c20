/** What a question of an MCP server says. Everything in it that comes from the server or a model is escaped, behind the edge. */

import { type FormField, fieldHint, formFields } from '../../core/form-fields.ts';
import type { JsonObject } from '../../core/json.ts';
import { counted } from '../../core/number-text.ts';
import type { ServerQuestion } from '../../core/server-question.ts';
import { sanitizeLine, sanitizeText } from '../sanitize.ts';
import { labelled, quote, wrapSpans } from '../text.ts';
import type { Paint, Theme } from '../theme.ts';

const paragraph = (text: string, width: number, paint?: Paint): string[] =>
  quote(sanitizeText(text).trimEnd(), width, '  ', paint);

const TITLES: Readonly<Record<ServerQuestion['kind'], string>> = {
  form: 'A server asks you to fill in a form',
  url: 'A server asks you to open a page',
  sampling: 'A server asks for words of the model',
  sampling_answer: 'The answer of the model, before the server gets it',
};
export const serverQuestionTitle = ({ kind }: ServerQuestion): string => TITLES[kind];

const fieldLine = (field: FormField, width: number, theme: Theme): string[] => {
  const label = field.label === '' ? '' : ` ${field.label}`;
  const hint = fieldHint(field);
  return wrapSpans(
    [
      { text: `  ${sanitizeLine(field.name)}`, paint: theme.bold },
      { text: sanitizeLine(label) },
      { text: hint === '' ? '' : ` (${sanitizeLine(hint)})`, paint: theme.dim },
    ],
    width,
    '    ',
  ).map((line) => line.text);
};

/** `values`: what is filled in by now. */
export const serverQuestionLines = (
  question: ServerQuestion,
  width: number,
  theme: Theme,
  values?: JsonObject,
): string[] => {
  const head = [
    ...labelled('MCP server: ', sanitizeLine(question.server), width, theme),
    ...labelled('It says: ', sanitizeLine(question.message), width, theme),
  ];
  switch (question.kind) {
    case 'form':
      return [
        ...head,
        ...(values === undefined
          ? formFields(question.fields).flatMap((field) => fieldLine(field, width, theme))
          : Object.entries(values).flatMap(([name, value]) =>
              labelled(`  ${sanitizeLine(name)}: `, sanitizeLine(JSON.stringify(value)), width, theme),
            )),
        theme.dim('What you fill in goes to this server.'),
      ];
    case 'url':
      return [
        ...head,
        ...labelled('Address: ', sanitizeLine(question.url), width, theme),
        ...labelled('Host: ', sanitizeLine(hostOf(question.url)), width, theme, theme.warn),
        theme.dim('halter does not fetch it. It opens in your browser only if you say so.'),
      ];
    case 'sampling':
      return [
        ...head,
        ...(question.system === undefined
          ? []
          : [theme.bold('Instructions before it:'), ...paragraph(question.system, width)]),
        theme.bold(`The model would be asked (no tools, at most ${counted(question.max_tokens, 'token')}):`),
        ...paragraph(question.prompt, width),
      ];
    case 'sampling_answer':
      return [...head, theme.bold(`${sanitizeLine(question.model)} says:`), ...paragraph(question.answer, width)];
    default:
      return question satisfies never;
  }
};

/** As the network knows it, so that letters of other scripts do not pass for ours. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');
