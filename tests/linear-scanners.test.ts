/** What reads text of strangers takes time in proportion to its length, whatever is repeated in it. */
import { describe, expect, it } from 'vitest';
import { namesIn } from '../src/agent/mcp/server-files/words.ts';
import { reachesNetwork } from '../src/agent/permissions/authorize/foreign-output.ts';
import { readsOutside } from '../src/agent/permissions/authorize/reads-outside.ts';
import { startsNothing } from '../src/agent/permissions/shell-rules/code-in-line.ts';
import { lexLine } from '../src/agent/permissions/shell-rules/lexer.ts';
import { asksPerson, asksQuestion } from '../src/core/asks-person.ts';
import { findCitations, namesFile } from '../src/core/citations.ts';
import type { Event, EventBody } from '../src/core/events.ts';
import { mentionsIn } from '../src/core/mention.ts';
import type { ToolCall } from '../src/core/message.ts';
import type { ProjectionOptions } from '../src/core/model-projection.ts';
import { pathReadings } from '../src/core/policy/address-readings.ts';
import { namedAtHome, tokensOf } from '../src/core/policy/program-folders.ts';
import { isSecretText, isSecretVariable } from '../src/core/policy/secret-values.ts';
import { askedUntilNamed, isAutoExecutedPath, isSecretPath } from '../src/core/policy/sensitive-files.ts';
import { possibleCommands } from '../src/core/policy/shell-words.ts';
import { commandParts } from '../src/core/provenance/command-parts.ts';
import { addressesIn, folded, numbersIn, wordsOf } from '../src/core/provenance/text-index.ts';
import { writtenCommands } from '../src/core/provenance/written-commands.ts';
import { redrawn } from '../src/core/redrawn.ts';
import type { ToolSchema } from '../src/core/tool.ts';
import { checkedNotes } from '../src/core/window/checked-notes.ts';
import { planCompaction } from '../src/core/window/compaction.ts';
import { hasValue, valueKeys } from '../src/core/window/distinctive.ts';
import { listItems } from '../src/core/window/list-items.ts';
import { pastedLines } from '../src/core/window/own-words.ts';
import { sentencesOf } from '../src/core/window/sentences.ts';
import { messageTokens } from '../src/core/window/tokens.ts';
import { aboutScores } from '../src/core/window/wanted.ts';
import { workedWithFrom } from '../src/core/window/worked-with.ts';
import { plainWords } from '../src/core/words.ts';
import { headlessCall } from '../src/dialects/answer/headless-call.ts';
import { scannedCalls } from '../src/dialects/answer/scanned-call.ts';
import { unclearCall } from '../src/dialects/answer/unclear-call.ts';
import { writtenCalls } from '../src/dialects/answer/written-calls.ts';
import { jsonAt } from '../src/dialects/cut-json.ts';
import { parseToolCalls } from '../src/dialects/index.ts';
import { strayCall } from '../src/dialects/stray-call.ts';
import { trailingCalls } from '../src/dialects/trailing-calls.ts';
import { beforeFirst } from '../src/gateway/answer-in-parts.ts';
import { createCallHold } from '../src/gateway/call-hold.ts';
import { gateFeatures } from '../src/providers/led/gate.ts';
import {
  findNamedFolders,
  findNumbers,
  findPaths,
  findWords,
  withoutValues,
} from '../src/providers/led/request-facts/values.ts';
import { readImport } from '../src/search/imports.ts';
import { asksForKnowledge, asksForWork } from '../src/server/chat/decide-tools.ts';
import { markdownLines } from '../src/terminal/markdown.ts';
import { sanitizeLine, sanitizeText, sanitizeTitle } from '../src/terminal/sanitize.ts';
import { createTheme } from '../src/terminal/theme.ts';
import { parseFileFilter, patternToRegex } from '../src/tools/grep-pattern.ts';
import { readableOutput } from '../src/tools/output-text.ts';
import { cleanText, oneLine, tidyText } from '../src/tools/web/clean-text.ts';
import { decodeEntities, plainText } from '../src/tools/web/plain-text.ts';
import { inTurn } from './support/long.ts';
import { steepness } from './support/processor-time.ts';

/** Before what is repeated: nothing, an open text in an object, open arguments. */
const OPENINGS = {
  '': '',
  ' in a value': '{"data": "',
  ' in a call': '{"name": "read_file", "arguments": {"path": "',
};
function within(name: string, scan: (text: string) => unknown): Record<string, (text: string) => unknown> {
  const each = Object.entries(OPENINGS).map(([where, before]) => [
    `${name}${where}`,
    (text: string) => scan(`${before}${text}`),
  ]);
  return Object.fromEntries(each);
}
const SCANNERS: Readonly<Record<string, (text: string) => unknown>> = {
  sanitizeText,
  sanitizeLine,
  sanitizeTitle,
  markdownLines: (text) => markdownOf(text),
  cleanText,
  oneLine,
  tidyText,
  patternToRegex,
  parseFileFilter: (text) => parseFileFilter(text, false),
  isSecretPath,
  isAutoExecutedPath,
  isSecretText,
  "a variable's value": (text) => isSecretVariable('X', text),
  reachesNetwork,
  redrawn,
  askedUntilNamed,
  namedAtHome: (text) => namedAtHome(text, '/home/me'),
  tokensOf,
  possibleCommands,
  pathReadings,
  lexLine,
  readsOutside,
  'what a server of python names': (text) => namesIn('x.py', text),
  'what a script of a server names': (text) => namesIn('x.sh', text),
  'what tasks of a server name': (text) => namesIn('Makefile', text),
  'code of python': (text) => startsNothing('python3', text),
  'code of node': (text) => startsNothing('node', text),
  mentionsIn,
  addressesIn,
  folded,
  numbersIn,
  wordsOf,
  readableOutput,
  plainText,
  decodeEntities,
  plainWords,
  asksForWork,
  asksForKnowledge,
  namesFile: (text) => namesFile(text, text),
  findCitations: (text) => findCitations(text, []),
  'imports of python': (text) => readImport('python', text, 1),
  'imports of a script': (text) => readImport('typescript', text, 1),
  'imports of rust': (text) => readImport('rust', `use ${text}`, 1),
  'imports of c': (text) => readImport('c', text, 1),
  'code of perl': (text) => startsNothing('perl', text),
  'what is being worked with': (text) => workedWithFrom(conversationOf(text, text)),
  'room in the window': (text) =>
    planCompaction(conversationOf(text, 'a.md'), {
      projection: PROJECTION,
      targetTokens: 50,
      trace: () => undefined,
      tasks: [],
      size: (messages) => messages.reduce((sum, message) => sum + messageTokens(message), 0),
    }),
  // A note has at most 200 characters.
  'notes of a model': (text) =>
    checkedNotes(
      { goal: text.slice(0, 200), decisions: [text.slice(0, 200)], facts: [text.slice(-200)], open: [] },
      {
        exchanges: [{ said: text, answer: text, before: '', chosenAgain: undefined, isCorrection: false }],
        byModel: [text],
        results: [{ call: text, text }],
      },
    ),
  'what the person wants kept': (text) => {
    const words = wordsOfLetters(text.length / 4);
    return aboutScores(
      [words.join(' ')],
      words.map((word) => [word]),
    )(words);
  },
  pastedLines,
  sentencesOf,
  listItems,
  valueKeys,
  hasValue,
  asksPerson,
  asksQuestion,
  writtenCommands,
  'parts of a command': (text) => commandParts(text),
  'parts of a written line': (text) => commandParts(text, 'written'),
  'text of a gateway': (text) => {
    const hold = createCallHold([READS]);
    return [hold.push(text), hold.end()];
  },
  'text before a held call': (text) => beforeFirst(text, { code: 'held_call', message: '', calls: [] } as never),
  ...within('JSON that ends early', jsonAt),
  ...within('calls anywhere in a text', (text) => scannedCalls(text, (name) => name === 'read_file')),
  'calls that are written in a text': (text) =>
    writtenCalls(text, { isTool: isReadFile, read: readAll, isShown: () => false, fits: () => true }),
  'calls at the end of a text': (text) => trailingCalls(`${text}}`, readAll, { anywhere: true }),
  'a call anywhere in a text': (text) => strayCall(text, { names: ['read_file'], isTool: isReadFile, read: readAll }),
  'what may be a call': (text) => unclearCall(`read_file${text}`, [READS]),
  ...within('the rest of a call', (text) => headlessCall(text, [READS])),
  'the rest of a call, closed': (text) => headlessCall(`"path": ${text}}`, [READS]),
  'markdown of a heading': (text) => markdownOf(`# a${text}`),
  'markdown of a table': (text) => markdownOf(`|a|\n|-|\n|${text}|\n`),
  'markdown of code': (text) => markdownOf(`\`\`\`ts\n${text}`),
  'words of a request to a led model': (text) => gateFeatures(text, READS),
  'a request without its values': withoutValues,
  'numbers of a request': findNumbers,
  'paths of a request': findPaths,
  'words of a request': findWords,
  'folders of a request': findNamedFolders,
};

const isReadFile = (name: string): boolean => name === 'read_file';
const readAll = (text: string): ReturnType<typeof parseToolCalls> =>
  parseToolCalls(text, { dialect: 'auto', tools: [READS] });

const markdownOf = (text: string): string[] => markdownLines(text, 80, createTheme({ TERM: 'dumb' }));

/** So many words, none of which is another or begins it. */
const wordsOfLetters = (count: number): string[] =>
  Array.from({ length: count }, (_, at) =>
    String(10_000 + at)
      .replaceAll(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)] as string)
      .concat('xyz'),
  );

const READS: ToolSchema = {
  type: 'function',
  function: {
    name: 'read_file',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
};
const PROJECTION: ProjectionOptions = { system: 'Be short.', results: 'full', summaryCharacters: 900 };
/** A message and its answer, another answer with a call, and a message that has just come. */
const conversationOf = (text: string, last: string): Event[] => {
  const answer = (content: string, tool_calls: ToolCall[]): EventBody => ({
    type: 'assistant_message_added',
    message: { role: 'assistant', content, tool_calls, finish: 'stop' },
  });
  const call: ToolCall = { id: 'c', name: 'read_file', arguments: { path: text }, source: 'native', repairs: [] };
  const bodies: EventBody[] = [
    { type: 'user_message_added', content: text },
    answer(text, []),
    { type: 'user_message_added', content: text },
    answer('', [call]),
    answer(text, []),
    { type: 'user_message_added', content: last },
  ];
  return bodies.map((body, index) => ({ seq: index + 1, at: 0, ...body }));
};

const UNITS = [
  'a',
  'か',
  'A',
  'a1',
  'Aa',
  '0',
  ' ',
  '\n',
  '\t',
  '\r',
  '_',
  '-',
  '.',
  '/',
  '"',
  "'",
  '<',
  '>',
  '{',
  '[',
  '(',
  ':',
  '=',
  ',',
  ';',
  '\\',
  '`',
  '#',
  '*',
  '|',
  '&',
  '$',
  '%',
  '@',
  '~',
  '!',
  '?',
  'a-',
  'a.',
  'a/',
  'a ',
  '. ',
  'curl ',
  'ssh ',
  'ssh -p ',
  'git ',
  '.,',
  '../',
  '<a ',
  '<!--',
  '{"',
  '](',
  '![',
  '``',
  '%2',
  '- ',
  '| ',
  '|-',
  ' |',
  '\n ',
  '\n\n',
  '\r\n',
  '$(',
  '<tool_call>',
  '```\n',
  'ENOTFOUND',
  '> ',
  '1. ',
  '5 ',
  'a.md ',
  'a" ',
  '{a',
  '{a:/*',
  '{"a":',
  '{"a":1}',
  '{"name":"a","arguments":{}}',
  '{"name":"a","arguments":{',
  '*a ',
  '**a ',
  ' _a',
  '~~a ',
];
const ENDS = ['', 'x', '\u0001'];
const TEXTS = UNITS.flatMap((unit) => ENDS.map((end) => ({ unit, end })));
const CHARACTERS = 4_000;
/** What copies the rest of its text at each step is square only where that is longer than a processor's cache. */
const MORE_CHARACTERS = 16_000;
/** Usually each scanner has a part of the texts, and each text is in some of them; a long run tries more of them. */
const SHARES = 18;
const isOfRequest = (name: string): boolean => /request/.test(name);
/** These take the longest, so each has half as many. */
const sharesOf = (name: string): number => (isOfRequest(name) || name === 'room in the window' ? 2 : 1) * SHARES;
/** What was once a square for the words of a request, and is always tried. */
const OPEN_KEYS = { unit: '{"', end: '' };
const textsOf = (name: string, index: number): readonly (typeof OPEN_KEYS)[] => {
  // Its words are its own, and of a text it takes the length.
  if (name === 'what the person wants kept') return [OPEN_KEYS];
  const texts = inTurn(TEXTS, index % sharesOf(name), sharesOf(name));
  return isOfRequest(name) ? [OPEN_KEYS, ...texts] : texts;
};
const ROWS = Object.entries(SCANNERS).map(
  ([name, scan], index) => [name, scan, textsOf(name, index), isOfRequest(name)] as const,
);

describe('a scanner of foreign text', () => {
  it.each(ROWS)(
    '%s takes time in proportion to its text',
    async (_, scan, texts, isCopying) => {
      const slow: string[] = [];
      for (const { unit, end } of texts) {
        const found = await steepness(isCopying ? MORE_CHARACTERS : CHARACTERS, (characters) =>
          scan(unit.repeat(characters / unit.length) + end),
        );
        if (found) slow.push(`${JSON.stringify([unit, end])} ${found}`);
      }
      expect(slow).toEqual([]);
    },
    240_000,
  );
});
