/** A call in marks of its own that ends an answer behind a few ordinary words is one; behind words that show it, it is none. */
import { expect, test } from 'vitest';
import { createParser, readAnswer, type ToolDefinition } from '../src/dialects/index.ts';
import { verifies } from './requirements.ts';

const tools: ToolDefinition[] = [
  {
    name: 'look',
    parameters: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'], additionalProperties: false },
  },
];

const isMade = (whole: string, dialect: 'auto' | 'hermes' = 'auto'): boolean => {
  const parser = createParser({ dialect, tools });
  const events = [...parser.push(whole)];
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole };
  const isTool = (name: string): boolean => name === 'look';
  const judged = readAnswer(answer, { tools, isTool, mayGuess: () => false, dialect, reads: dialect });
  return judged.written.parts.some(({ kind }) => kind === 'call');
};

const NOTATIONS = {
  hermes: '<tool_call>\n{"name": "look", "arguments": {"x": 3}}\n</tool_call>',
  mistral: '[TOOL_CALLS]look[ARGS]{"x": 3}',
  qwen: '<tool_call>\n<function=look>\n<parameter=x>\n3\n</parameter>\n</function>\n</tool_call>',
  llama: '<|python_tag|>{"name": "look", "parameters": {"x": 3}}',
  deepseek:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look<｜tool▁sep｜>{"x": 3}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
};
const ROWS = Object.entries(NOTATIONS);

const PLAIN = [
  'ok\n',
  'Sure\n',
  'Checking the file now\n',
  'Step 1\n\n',
  '**Looking up**\n',
  '1. look at x\n',
  '- look\n',
  '(looking)\n',
  'Okay, so first x is 3\n\n',
  'Let me check\n',
  '# Plan\nlook\n',
  'Right, on it\n',
  '### Looking it up\n\n',
  'One moment\n\n',
  'Next step\n',
  'x = 3\n',
  'First x\n',
  '→ look\n',
  'Done, next\n',
  'Sicher\n',
  'Schritt 1\n\n',
  'Suche läuft\n',
  'Gut, zuerst x\n',
  '**Nachsehen**\n',
  'Mache ich\n',
  'Wird erledigt\n',
  'Claro\n',
  'Paso 1\n\n',
  'Buscando ahora\n',
  '- mirar x\n',
  'De acuerdo, primero x\n',
  '**Consulta**\n',
  '好的\n',
  '步骤 1\n\n',
  '正在查询\n',
  '先看 x\n',
  '**查找**\n',
  '没问题\n',
];

const SHOWN = [
  'For example:\n',
  'For example\n',
  'Example\n',
  '**Example**\n',
  'Like this:\n',
  'like this\n',
  'The format is\n',
  'The format is:\n',
  'Format\n',
  'Hermes\n',
  '## Hermes format\n',
  'Expected output\n',
  'Output\n',
  'Input\n',
  'Assistant\n',
  'Model output\n',
  'Wrong\n',
  'Correct\n',
  'Before\n',
  'Usage\n',
  'README.md\n',
  'From the log\n',
  'Line 214 of the log\n',
  'The page says\n',
  'A model writes\n',
  'It looks like\n',
  'Never send\n',
  'I refuse\n',
  'No\n',
  'Shall I run it?\n',
  'Do not run\n',
  'Syntax\n',
  'Template\n',
  'Figure 2\n',
  'Listing 3\n',
  'Models wrap it in two tags\n',
  'You could send\n',
  '> Sure\n> ',
  'The user wrote\n',
  'The following\n',
  'Note that a call has this form\n',
  'The value is "\n',
  'Zum Beispiel\n',
  'Beispiel\n',
  'So sieht es aus\n',
  'Das Format\n',
  'Ausgabe\n',
  'Falsch\n',
  'Ich zeige es\n',
  'Ich lehne ab\n',
  'Nein\n',
  'So etwa\n',
  'Por ejemplo\n',
  'Ejemplo\n',
  'El formato es\n',
  'Salida\n',
  'Así\n',
  'Incorrecto\n',
  'No lo hago\n',
  'Sintaxis\n',
  '例如\n',
  '示例\n',
  '格式如下\n',
  '输出\n',
  '错误\n',
  '写法\n',
  '不执行\n',
  '这样\n',
  'Contoh\n',
  'Przykład\n',
  'Esempio\n',
  'Exemple\n',
  'Örnek\n',
  'Пример\n',
  'Eksempel\n',
];

test.each(ROWS)('%s: plain words before it do not make it text', (_name, call) => {
  verifies('K5');
  expect(PLAIN.filter((words) => !isMade(words + call))).toEqual([]);
});

test('the same in a dialect that is named', () => {
  expect(PLAIN.filter((words) => !isMade(words + NOTATIONS.hermes, 'hermes'))).toEqual([]);
});

test.each(ROWS)('%s: what shows or refuses it keeps it text', (_name, call) => {
  verifies('L4');
  expect(SHOWN.filter((words) => isMade(words + call))).toEqual([]);
});

test.each(ROWS)(
  '%s: words behind it, other arguments and an earlier sample are no matter of the words before',
  (_name, call) => {
    verifies('L4');
    const wrong = call
      .replaceAll('3', 'many')
      .replace('"x": many', '"y": "many"')
      .replace('parameter=x', 'parameter=y');
    for (const text of [
      `Sure\n${call}\nThis is what a model sends.`,
      `Step 1\n\n${wrong}`,
      `Models send such a thing. It is one line of text.\n\nStep 1\n\n${call}`,
      `Here is an example of a call.\n\nStep 1\n\n${call}`,
      `\`\`\`\nSure\n${call}\n\`\`\``,
    ])
      expect(isMade(text), text).toBe(false);
  },
);
