/**
 * Some programs offer a shell and no tool for files. To read one file that is named takes a command that nobody has to
 * think of; without it a small model would make up what stands in the file.
 */
import type { ToolSchema } from '../../../core/tool.ts';
import { fileIn } from '../everyday/kinds.ts';
import { quoted } from '../everyday/plan.ts';
import { asSchema, schemaTypes } from '../grammar.ts';
import { findQuoted } from '../request-facts/values.ts';
import { plainWords } from '../words.ts';
import type { DecodedCall } from './call.ts';
import { requiredNames } from './choose-arguments.ts';

const READS =
  /^(?:(?:please|can you|could you|would you|hey|ok)[, ]+)*(?:read|show|open|print|display|cat|view)\b|\bwhat\b.*\b(?:in|inside|say|says|contain|contains)\b/i;
/** What does more than read asks for a command of its own. */
const DOES_MORE =
  /\b(?:write|change|edit|replace|delete|remove|rename|move|copy|create|add|append|run|execute|start|fix|test|compile|build|commit|install|format|sort|count|convert)\b/i;

/** The argument of a shell that takes nothing else; undefined where the tool is none. */
const commandArgument = (tool: ToolSchema): string | undefined => {
  const { name, parameters } = tool.function;
  const [argument, ...others] = requiredNames(tool);
  const isCommand = argument === 'command' || argument === 'cmd';
  const isText = schemaTypes(asSchema(asSchema(parameters['properties'])[argument ?? '']))[0] === 'string';
  const isShell = plainWords(name).some((word) => ['bash', 'shell', 'terminal', 'command', 'exec'].includes(word));
  return isCommand && isText && isShell && others.length === 0 ? argument : undefined;
};

export const shellRead = (request: string, tools: readonly ToolSchema[]): DecodedCall | undefined => {
  const found = READS.test(request) && !DOES_MORE.test(request) ? fileIn(request) : undefined;
  // A name with blanks stands in quotes, and only its end is found.
  const file = findQuoted(request).find(({ text }) => found !== undefined && text.endsWith(found))?.text ?? found;
  if (file === undefined || file.startsWith('-')) return undefined;
  for (const tool of tools) {
    const argument = commandArgument(tool);
    if (argument === undefined) continue;
    const args = { [argument]: `cat ${quoted(file)}` };
    return { name: tool.function.name, arguments: args, text: JSON.stringify(args) };
  }
  return undefined;
};
