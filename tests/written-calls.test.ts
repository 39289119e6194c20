/**
 * No recognised call is lost, and none is made twice: every notation, in every place, with every separator, once and several
 * times, in every preset, whole and in pieces. What is written is made or reported, in its order; `halter parse`, a
 * conversation and the gateway agree.
 */
import { describe, expect, it } from 'vitest';
import { createToolRegistry } from '../src/agent/loop/run-tool/tool-registry.ts';
import type { ChosenModel } from '../src/agent/models/choose-model.ts';
import { readText } from '../src/cli/parse-faults.ts';
import type { JsonObject } from '../src/core/json.ts';
import { defineTool } from '../src/core/tool/define-tool.ts';
import { ok } from '../src/core/tool-result.ts';
import { type AnswerPart, type AnswerText, createParser, readAnswer } from '../src/dialects/index.ts';
import { isRefusal } from '../src/dialects/sample.ts';
import { askModel } from '../src/gateway/ask-model.ts';
import { sumUsage } from '../src/gateway/usage.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { everyNth, inTurn } from './support/long.ts';

const tools = [
  {
    name: 'read_file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];
const isTool = (name: string): boolean => name === 'read_file';

const FORMS: Record<string, (path: string) => string> = {
  'a JSON object': (path) => `{"name": "read_file", "arguments": {"path": "${path}"}}`,
  'indented JSON': (path) => JSON.stringify({ name: 'read_file', arguments: { path } }, null, 2),
  'the keys of Edison': (path) => `{"tool": "read_file", "args": {"path": "${path}"}}`,
  'the tags of Qwen': (path) => `<tool_call>{"name": "read_file", "arguments": {"path": "${path}"}}</tool_call>`,
  'the tag of Llama': (path) => `<function=read_file>{"path": "${path}"}</function>`,
  'the marks of Mistral': (path) => `[TOOL_CALLS]read_file[ARGS]{"path": "${path}"}`,
  'the marks of Mistral without the first': (path) => `read_file[ARGS]{"path": "${path}"}`,
  'the older mark of Mistral': (path) => `[TOOL_CALLS] [{"name": "read_file", "arguments": {"path": "${path}"}}]`,
};
type Forms = readonly ((path: string) => string)[];
const fenced = (call: string): string => `\`\`\`json\n${call}\n\`\`\``;
const PLACES: Record<string, (call: string) => string> = {
  bare: (call) => call,
  'in fences': fenced,
  'behind bullets': (call) => `- ${call}`,
};
const SEPARATORS = ['\n', '\n\n', '\nAnd the next one:\n', ' and ', ' '];
const ENDS: Record<string, (text: string) => string> = {
  alone: (text) => text,
  'behind words': (text) => `First I look at the file:\n${text}`,
  'before words': (text) => `${text}\n\nI wait for the result.`,
  'between words': (text) => `I look at the file.\n\n${text}\n\nThen I go on.`,
};
const PRESETS = {
  none: { dialect: 'auto', reads: 'auto' },
  'zoo-keeper': { dialect: 'plain-json', reads: 'plain-json' },
  edison: { dialect: 'edison', reads: 'edison' },
  'llama-chat': { dialect: 'mistral-args', reads: 'auto' },
  hermes: { dialect: 'hermes', reads: 'hermes' },
};

const OF_OTHERS = [
  'I refuse to make this call:',
  'Such a call would be dangerous:',
  'It would be wrong to call',
  'If you wanted to write a file, you would send:',
  'To write a file, a model sends:',
  'An agent would emit the following:',
  'The syntax is:',
  'The correct format would be',
  'The attacker put this into the page:',
  'The previous assistant wrote:',
  'The user pasted:',
  'In a script you would write:',
  'I decline to do that:',
  'One could send:',
];
/** What the model says of itself now. */
const OF_ITS_OWN = [
  'I will use the read_file tool:',
  "To do this, I'll call:",
  'Something is wrong with the file, let me look:',
  'The format is unknown, so I need to read the file:',
  'Let me look at what the user pasted:',
  'I need to see what the model wrote:',
  'Ich lese zuerst die Datei:',
  'Je vais lire le fichier :',
  'Voy a leer el archivo:',
  '我来读取文件：',
  'Let me read it and then fix the error:',
];
/** They may lead to a call or to a sample, so the model is asked. */
const UNSURE = [
  "Sure! Here's the call:",
  'The file needs to be read first:',
  'Reading the file:',
  'Calling read_file:',
  'First, the file:',
  'Next step:',
  'Now reading it:',
  'The user asked me to read the file:',
  'The user wants to see the file:',
  'You would like me to read the file, so here it is:',
  'The user would like to know what it says:',
  'The next step would be to read the file:',
  'The best tool for this would be read_file:',
  'It could help to look at the file:',
  'Tool call:',
  'This sends the request:',
  'Okay, as you asked, the file:',
  'Let me see what the code looks like:',
  'The new file looks like this, I save it:',
  'I would first list the folder:',
  'I will start with a listing, for example of sub:',
];
const INTRODUCED = [
  'The file contains:',
  'The file contains this line:',
  'A call looks like this:',
  'For example:',
  'Here is the example:',
  'Here is the example you asked for:',
  'Zum Beispiel:',
  'You would write it like this:',
  'I read the file, and it contains:',
  'The page says this, and I will not run it:',
  ...OF_OTHERS,
  'Such models answer with:',
  'This is what Hermes models produce:',
  'Expected output:',
  'The JSON would be',
  'A hypothetical call:',
  'Template:',
  'Output of the previous model:',
  'Suppose I called:',
  'The wrong way is:',
  'Incorrect:',
  'Usage:',
  'Tool call syntax:',
  'The transcript reads:',
  'Esempio:',
  'Beispielaufruf:',
  '例：',
  'Die Antwort des Modells war:',
  '**Assistant:**',
  'Tak to wygląda:',
  'Así respondería un modelo:',
];
const MEANT = [
  ...OF_ITS_OWN,
  'Let me check what the folder contains:',
  'It looks like I need to list the folder first.',
  'I need the example file:',
];

/** Finished sentences that introduce nothing; in a list behind them, a call may be one of several things that are shown. */
const FINISHED = ['Sure.', 'Okay!', 'Gerne.', '好的。'];
/** Whether they refuse is not known, so a call behind them is asked about, with marks or without. */
const OF_OTHER_LANGUAGES = [
  // It tells the reader as well.
  'Step 1: read the file.',
  'No lo haga.',
  'Nie rób tego.',
  'Tehdä ei pidä.',
  'Bunu yapma.',
  'その呼び出しは禁止です。',
];
/** Of a quotation, an added line, a comment, the row of a table. */
const QUOTED = ['> ', '>', '+ ', '// ', '# ', '| '];
const NEGATED = ['Ich werde das nicht ausführen:', 'Je ne vais pas le lire.', 'No lo voy a leer.', '我不会读取文件。'];

/** Behind a call that nothing introduces: it is made, or the model is asked. */
const BEHIND = [
  'One moment, please.',
  "I'll tell you once I have it.",
  '(waiting for tool output)',
  'Thanks!',
  'This will show me the contents of the file.',
  'The above is only an example.',
  'Danach sage ich dir, was drinsteht.',
  'Un momento, por favor.',
  'Zaraz wracam.',
  '请看结果。',
];

type Row = { what: string; text: string; written: string[] };

const rowsOf = (count: number): Row[] => {
  const names = Object.keys(FORMS);
  const paths = [...Array(count).keys()].map((index) => `f${index + 1}.txt`);
  // Alone, and beside the next notation.
  const mixes: [string, Forms][] = names.flatMap((name, index): [string, Forms][] => {
    const next = names[(index + 3) % names.length] as string;
    const [own, other] = [FORMS[name], FORMS[next]] as [Forms[number], Forms[number]];
    const one: [string, Forms] = [name, paths.map(() => own)];
    return count === 1 ? [one] : [one, [`${name} with ${next}`, paths.map((_, at) => (at % 2 === 0 ? own : other))]];
  });
  return mixes.flatMap(([form, forms]) =>
    Object.entries(PLACES).flatMap(([place, put]) =>
      (count === 1 ? [''] : SEPARATORS).flatMap((separator) =>
        Object.entries(ENDS).map(([end, around]): Row => {
          const calls = paths.map((path, at) => put((forms[at] as Forms[number])(path)));
          const what = `${count} of ${form}, ${place}, ${end}, between them ${JSON.stringify(separator)}`;
          return { what, text: around(calls.join(separator)), written: paths };
        }),
      ),
    ),
  );
};

const parsed = (text: string, dialect: string, pieceLength: number) => {
  const parser = createParser({ dialect, tools });
  const events = [];
  for (let start = 0; start < text.length; start += pieceLength)
    events.push(...parser.push(text.slice(start, start + pieceLength)));
  const { events: last, result } = parser.end();
  return { events: [...events, ...last], result, text: result.content, whole: text };
};

const pathOf = ({ arguments: args, text = '' }: { arguments?: JsonObject; text?: string }): string =>
  String(args?.['path'] ?? /f\d\.txt/.exec(text)?.[0]);

const partPath = (part: AnswerPart): string => {
  if (part.kind === 'call') return pathOf(part.call);
  return part.kind === 'unread' ? pathOf(part.unread) : pathOf({ text: part.broken.text });
};

const isMade = (part: AnswerPart): boolean => part.kind === 'call';

/** Usually each preset plays another fifth of the rows, so that each row is played with one of them. */
const SHARES = 5;
const PRESET_ROWS = Object.entries(PRESETS).map(([name, preset], index) => [name, preset, index % SHARES] as const);

describe.each(PRESET_ROWS)('with the preset %s', (_preset, { dialect, reads }, share) => {
  const readAs = (answer: AnswerText) => readAnswer(answer, { tools, isTool, mayGuess: () => false, dialect, reads });

  it.each([1, 2, 3])('what is written is made or reported, in order and once: %i calls', (count) => {
    verifies('K5', 'L4');
    const rows = rowsOf(count);
    const wrong = [...inTurn(count === 3 ? everyNth(rows, 7) : rows, share, SHARES)].flatMap(
      ({ what, text, written }, index) => {
        const { written: found, held } = readAs(parsed(text, reads, index % 2 === 0 ? 3 : text.length));
        const all = [...found.parts.map(partPath), ...(held?.calls ?? []).map(pathOf)];
        return all.join() === written.join() ? [] : [`${what}: ${all.join()}`];
      },
    );
    expect(wrong).toEqual([]);
  });

  it('halter parse says the same', () => {
    verifies('K5');
    const wrong = [...everyNth([...rowsOf(1), ...rowsOf(2)], 29)].flatMap(({ what, text, written }) => {
      const answer = parsed(text, reads, text.length);
      const { calls, faults } = readText(answer, { dialect: reads, tools });
      const all = [...calls, ...faults].map(pathOf).sort();
      const { parts } = readAs(answer).written;
      const isSame = dialect !== reads || calls.map(pathOf).join() === parts.filter(isMade).map(partPath).join();
      return isSame && all.join() === written.join() ? [] : [`${what}: ${all.join()}`];
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['{"name": "erase_disk", "arguments": {}}', 'erase_disk'],
    ['{"name": "read_file", "arguments": {"path": "f0.txt"', 'read_file'],
    ['{"name": "read_file", "arguments": "f0.txt"}', 'read_file'],
    ['<tool_call>{"name": "erase_disk", "arguments": {}}</tool_call>', 'erase_disk'],
  ])('%s beside a call that can be made is reported as well', (bad, name) => {
    verifies('K5');
    const good = (FORMS['a JSON object'] as Forms[number])('f1.txt');
    for (const text of [
      `${bad}\n${good}`,
      `First I read:\n${bad}\nNow I read:\n${good}`,
      `First I read:\n${good}\nNow I read:\n${bad}`,
    ]) {
      const { written, held } = readAs(parsed(text, reads, 3));
      const told = [...written.parts, ...(held?.calls ?? []).map((unread) => ({ kind: 'unread' as const, unread }))];
      const names = told.map((part) =>
        part.kind === 'call' ? part.call.name : part.kind === 'unread' ? part.unread.name : part.broken.name,
      );
      expect([...names].sort(), text).toEqual([name, 'read_file'].sort());
      const isEnd = reads === 'auto' || reads === 'plain-json' ? text.endsWith(good) : false;
      if (isEnd) expect(told.filter((part) => part.kind === 'call' && isTool(part.call.name)).length, text).toBe(1);
    }
  });

  const samplesOf = (text: string): unknown => {
    const { written, held, warning, text: left } = readAs(parsed(text, reads, 3));
    const all = { made: written.parts.filter(isMade).length, left: left.includes('f1.txt') };
    const called = (told?: { code: string; calls: readonly { arguments: JsonObject }[] }): string[] =>
      told === undefined ? [] : [told.code, ...told.calls.map(pathOf)];
    return { ...all, asked: called(held), told: called(warning) };
  };
  const samples = Object.entries(FORMS).flatMap(([form, call]) =>
    Object.entries(PLACES).map(([place, put]): [string, string] => [`${form}, ${place}`, put(call('f1.txt'))]),
  );

  /** Usually each beginning is played with an eighth of the samples, so that each sample follows many of them. */
  const EIGHTHS = 8;
  const inEighths = (beginnings: readonly string[]): [string, number][] =>
    beginnings.map((words, index) => [words, (index + share) % EIGHTHS]);

  it.each(inEighths(INTRODUCED))('what %j introduces is never made: it is asked about, or told', (words, eighth) => {
    verifies('K5', 'L4');
    const wrong = inTurn(samples, eighth, EIGHTHS).flatMap(([what, call]) => {
      const last = samplesOf(`${words}\n${call}`);
      const among = samplesOf(`${words}\n${call}\n\nThat is what stands there.`);
      const code = ['call_in_text', 'f1.txt'];
      const isRight =
        JSON.stringify([last, among]) ===
        JSON.stringify([
          { made: 0, left: true, asked: isRefusal(words) ? [] : code, told: isRefusal(words) ? code : [] },
          { made: 0, left: true, asked: [], told: code },
        ]);
      return isRight ? [] : [`${what}: ${JSON.stringify([last, among])}`];
    });
    expect(wrong).toEqual([]);
  });

  it.each(inEighths(BEHIND))('%j behind a call makes it no silent answer', (words, eighth) => {
    verifies('K5', 'L4');
    const wrong = ['', 'Let me read the file.\n'].flatMap((before) =>
      inTurn(samples, eighth, EIGHTHS).flatMap(([what, call]) => {
        const { written, held } = readAs(parsed(`${before}${call}\n${words}`, reads, 3));
        const all = [...written.parts.map(partPath), ...(held?.calls ?? []).map(pathOf)];
        return all.join() === 'f1.txt' ? [] : [`${before}${what}: ${all}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ['I refuse to make this call:', ''],
    ['I decline to do that:', ''],
    ['The page says this, and I will not run it:', ''],
    ['This is what the page wants.', 'I will not run it.'],
    ['', "I won't make that call without your word."],
  ])('a call that is refused (%j … %j) is told of, and never asked for', (before, behind) => {
    verifies('K5', 'L4');
    const wrong = samples.flatMap(([what, call]) => {
      const { made, asked, told } = samplesOf([before, call, behind].filter((one) => one !== '').join('\n')) as {
        made: number;
        asked: string[];
        told: string[];
      };
      // Marks make a call wherever no sentence before them introduces a sample; a named dialect answers what stands in it.
      if (behind !== '' && (made > 0 || dialect !== 'auto')) return [];
      return JSON.stringify([made, asked, told]) === '[0,[],["call_in_text","f1.txt"]]'
        ? []
        : [`${what}: ${asked}|${told}`];
    });
    expect(wrong).toEqual([]);
  });

  it.each(inEighths(MEANT))('%j introduces a call that is meant', (words, eighth) => {
    verifies('K5', 'L4');
    const wrong = inTurn(samples, eighth, EIGHTHS).flatMap(([what, call]) => {
      const answer = parsed(`${words}\n${call}`, reads, 3);
      const { written, held, warning } = readAs(answer);
      const paths = [...written.parts.map(partPath), ...(held?.calls ?? []).map(pathOf)];
      const isRight = paths.join() === 'f1.txt' && warning === undefined;
      const mustBeMade = reads === 'auto' || reads === 'plain-json';
      return isRight && (!mustBeMade || written.parts.every(isMade)) ? [] : [`${what}: ${JSON.stringify(written)}`];
    });
    expect(wrong).toEqual([]);
  });

  const madeIn = ({ written }: ReturnType<typeof readAs>, what: string): string[] =>
    written.parts.every(isMade) && written.parts.map(partPath).join() === 'f1.txt' ? [] : [what];
  const askedIn = ({ written, held }: ReturnType<typeof readAs>, what: string): string[] => {
    const asked = [...written.parts.map(partPath), ...(held?.calls ?? []).map(pathOf)];
    return !written.parts.some(isMade) && asked.join() === 'f1.txt' ? [] : [what];
  };

  /** Others tell a call by their own marks alone. */
  const ofAuto = (words: readonly string[]): readonly string[] => (reads === 'auto' ? words : []);

  it.each(ofAuto(FINISHED))('%j introduces nothing: what follows is made, and in a list asked about', (words) => {
    verifies('K5', 'L4');
    const wrong = samples.flatMap(([what, call]) => {
      const read = readAs(parsed(`${words}\n${call}`, reads, 3));
      const isListed = what.endsWith('behind bullets');
      return isListed ? askedIn(read, what) : madeIn(read, what);
    });
    expect(wrong).toEqual([]);
  });

  it.each(ofAuto([...OF_OTHER_LANGUAGES, ...NEGATED]))('behind %j a call is asked about', (words) => {
    verifies('K5', 'L4');
    const wrong = samples.flatMap(([what, call]) => askedIn(readAs(parsed(`${words}\n${call}`, reads, 3)), what));
    expect(wrong).toEqual([]);
  });

  it.each(inEighths(QUOTED))('what stands behind the mark %j is asked about', (mark, eighth) => {
    verifies('K5', 'L4');
    const wrong = inTurn(samples, eighth, EIGHTHS).flatMap(([what, call]) => {
      const text = call
        .split('\n')
        .map((line) => mark + line)
        .join('\n');
      return ['', 'I look at it now.\n\n', 'Let me see:\n'].flatMap((words) => {
        const { written, held } = readAs(parsed(words + text, reads, 3));
        const isTold = held !== undefined || written.parts.some(({ kind }) => kind !== 'call');
        return isTold && !written.parts.some(isMade) ? [] : [`${what}, ${words}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it.each(inEighths(UNSURE))('%j runs nothing unasked, and nothing is lost', (words, eighth) => {
    verifies('K5', 'L4');
    const wrong = inTurn(samples, eighth, EIGHTHS).flatMap(([what, call]) => {
      const { written, held, text } = readAs(parsed(`${words}\n${call}`, reads, 3));
      const isAsked = held?.calls.map(pathOf).join() === 'f1.txt' && text === `${words}\n${call}`;
      return isAsked && written.parts.length === 0 ? [] : [`${what}: ${JSON.stringify(written)}`];
    });
    expect(wrong).toEqual([]);
  });

  it.each([(call: string) => `The page says:\n> ${call}`, (call: string) => `1: # Notes\n2: ${call}`])(
    'a quoted line is never made',
    (quote) => {
      const wrong = Object.entries(FORMS).flatMap(([form, call]) => {
        if (form === 'indented JSON') return [];
        const { written } = readAs(parsed(quote(call('f1.txt')), reads, 3));
        return written.parts.some(isMade) ? [form] : [];
      });
      expect(wrong).toEqual([]);
    },
  );
});

it.each([
  ['the tags of Qwen', '<tool_call>{"name": "NAME", "arguments": {"path": "f1.txt"}}</tool_call>'],
  ['the tag of Llama', '<function=NAME>{"path": "f1.txt"}</function>'],
  ['the marks of Mistral', '[TOOL_CALLS]NAME[ARGS]{"path": "f1.txt"}'],
  [
    'the tags of Qwen behind words',
    'I look.\n<tool_call>{"name": "NAME", "arguments": {"path": "f1.txt"}}</tool_call>',
  ],
  [
    'parameters',
    '<function_calls>\n<invoke name="NAME">\n<parameter name="path">f1.txt</parameter>\n</invoke>\n</function_calls>',
  ],
  ['the keys of GLM', '<tool_call>NAME\n<arg_key>path</arg_key>\n<arg_value>f1.txt</arg_value>\n</tool_call>'],
])('halter parse knows the tools as a run does: %s', (_what, form) => {
  verifies('K5');
  const read = (name: string) => {
    const { calls, faults } = readText(parsed(form.replace('NAME', name), 'auto', 3), { dialect: 'auto', tools });
    return [calls.map((call) => call.name), faults.map((fault) => [fault.name, fault.problem])];
  };
  expect(read('erase_disk')).toEqual([[], [['erase_disk', 'unread']]]);
  expect(read('ReadFile')).toEqual([['read_file'], []]);
});

describe('beside calls in the field for calls', () => {
  const copies = Object.entries(FORMS).flatMap(([name, form]) =>
    Object.entries(PLACES).map(([place, put]): [string, (path: string) => string] => [
      `${name}, ${place}`,
      (path) => put(form(path)),
    ]),
  );
  it.each(Object.entries(PRESETS))('a copy in the text is not made again (%s)', (_preset, { dialect, reads }) => {
    verifies('K5');
    const madeOf = (text: string, native: { name: string; arguments: JsonObject }[]): string[] => {
      const context = { tools, isTool, mayGuess: () => false, dialect, reads, native };
      return readAnswer(parsed(text, reads, 3), context).written.parts.map(partPath);
    };
    const native = (path: string) => ({ name: 'read_file', arguments: { path } });
    const wrong = copies.flatMap(([what, copy]) => {
      const seen = [
        madeOf(copy('f1.txt'), [native('f1.txt')]),
        madeOf(`I look:\n${copy('f1.txt')}`, [native('f1.txt')]),
        madeOf(`${copy('f1.txt')}\n${copy('f1.txt')}`, [native('f1.txt'), native('f1.txt')]),
        madeOf(`${copy('f1.txt')}\n${copy('f2.txt')}`, [native('f1.txt')]),
      ];
      return JSON.stringify(seen) === '[[],[],[],["f2.txt"]]' ? [] : [`${what}: ${JSON.stringify(seen)}`];
    });
    expect(wrong).toEqual([]);
  });

  it('the order of its keys means nothing', () => {
    const call = '<tool_call>{"name": "read_file", "arguments": {"b": [1, {"d": 2, "c": 3}], "path": "a"}}</tool_call>';
    const native = [{ name: 'read_file', arguments: { path: 'a', b: [1, { c: 3, d: 2 }] } }];
    const context = { tools, isTool, mayGuess: () => false, dialect: 'auto', reads: 'auto', native };
    expect(readAnswer(parsed(call, 'auto', 3), context).written.parts).toEqual([]);
  });
});

it('a sample in inline code is an answer', () => {
  for (const text of ['Write `<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>` for that.']) {
    const context = { tools, isTool, mayGuess: () => false, dialect: 'auto', reads: 'auto' };
    const { written, held, warning, text: left } = readAnswer(parsed(text, 'auto', 3), context);
    expect([written.parts, held, warning, left]).toEqual([[], undefined, undefined, text]);
  }
});

it('the gateway hands over the same calls, and leaves the others in the text', async () => {
  verifies('K5', 'L4');
  const registry = createToolRegistry(
    tools.map((tool) => defineTool({ ...tool, description: '', run: async () => ok('') })),
  );
  const wrong: string[] = [];
  for (const { what, text, written } of everyNth([...rowsOf(1), ...rowsOf(2)], 23)) {
    const provider = scriptedProvider([{ text }]);
    const chosen = { provider, model: 'm' } as unknown as ChosenModel;
    const { signal } = new AbortController();
    const asking = { chosen, registry, sampling: {}, stop: [], parallel: true, usage: sumUsage(), signal };
    const said = await askModel(asking, [{ role: 'user', content: 'go' }], () => {});
    const made = said.calls.map(pathOf);
    // A text that was streamed to the caller stays, be it that a call in it is made; what is held is asked about first.
    const left = said.text + said.damaged;
    const all = written.filter((path) => made.includes(path) || left.includes(path));
    const context = { tools, isTool, mayGuess: () => false, dialect: 'auto', reads: 'auto' };
    const inRun = readAnswer(parsed(text, 'auto', 3), context).written.parts.map(partPath);
    if (all.join() !== written.join() || made.join() !== inRun.join()) wrong.push(`${what}: ${made.join()}`);
  }
  expect(wrong).toEqual([]);
});

it.each([
  ['<function=read_file>{"path": "f1.txt"}</functio', ''],
  ['I read `<function=read_file>{"path": "f1.txt"}</function>`', 'I read'],
  ['I read `a` now:\n<function=read_file>{"path": "f1.txt"}</function>', 'I read `a` now:'],
])('nothing of the marks around a call is left: %j', (text, left) => {
  const context = { tools, isTool, mayGuess: () => false, dialect: 'auto', reads: 'auto' };
  const read = readAnswer(parsed(text, 'auto', 3), context);
  expect([read.text, read.written.parts.map(partPath)]).toEqual([left, ['f1.txt']]);
});
