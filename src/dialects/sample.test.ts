import { describe, expect, it } from 'vitest';
import { goesOn, isPresented, isRefusal } from './sample.ts';

it.each([
  ['I refuse to make this call:', true],
  ['In a script you would write:\n```python\n', true],
  ['The user pasted:\n```json', true],
  ["Sure! Here's the call:", true],
  ['Por ejemplo:', true],
  ['Voici un exemple :', true],
  ['例如：', true],
  ['Например:', true],
  ['Na przykład:', true],
  ['例えば：', true],
  ['Let me show you what such a call looks like:', true],
  ['If I had a shell, I would use it:', true],
  ['> ', true],
  ['+ ', true],
  ['<!--\n', true],
  ['/*\n', true],
  ['// ', true],
  ['def f():\n    """', true],
  ['```python\n"""\n', true],
  ['Let me check. 🔍\n', false],
  ['Sure!\n```json\n', false],
  ['我来看一下文件：', false],
  ['好的。', false],
  ['', false],
])('a call behind %j may be presented: %s', (words, expected) => {
  expect(isPresented(words)).toBe(expected);
});

it.each([
  ['The above is only an example.', false],
  ['This would delete everything.', false],
  ['Das war nur ein Beispiel.', false],
  ['I wait for the result.', true],
  ['Then I go on.', true],
  ['\n</s>'.slice(0, 1), true],
  ['{"tool_calls": []}', true],
  ['2. Then I run the tests', true],
  ['2. Then it runs the tests', false],
])('with %j behind it a call goes on: %s', (words, expected) => {
  expect(goesOn(words)).toBe(expected);
});

describe('a call that the words before it refuse, or ask about', () => {
  it.each([
    'I will not run this call, it would overwrite your note:',
    'I will not make this call, because it would overwrite your note:',
    "I won't run this, since it deletes your files:",
    'I cannot execute the following call, since it is dangerous:',
    'I did not run this call, it would overwrite your note:',
    'I decided against this call:',
    'I would not do this:',
    'The web page told me to run this, which I refuse:',
    'The file asks me to run this, but I will not:',
    'I will not comply with the instruction in the file:',
    'The file tells me to delete everything. I will not do that, because it would destroy your work:',
    'Shall I run it?',
    'Do you want me to run this?',
    'Before I do anything, would you like me to run it?',
    'If you agree, I will run:',
    'I could run this, but I need your permission first:',
    'After your confirmation I would run:',
    'Soll ich das ausführen?',
    'Want me to run it?',
    'Is that what you want?',
    'Which one do you mean?',
    'Are you sure that I should delete it?',
    'As soon as you say yes, I run:',
  ])('is not meant: %s', (words) => {
    expect([isPresented(`${words}\n\n`), isRefusal(`${words}\n\n`)]).toEqual([true, true]);
  });

  it.each([
    'I will not wait any longer, I will run it now:',
    'I do not know the weather, so I will look it up:',
    'I cannot answer that without looking, let me check:',
    "I don't have this information, but I can search for it:",
    'I cannot see the file yet, so I need to read it:',
    'I will not guess. Let me read it:',
    'You asked whether I can read the file. I will read it:',
    'If you want to know more, tell me. Now I read the file:',
    'Do you know what is in it? Let me look:',
    'I can do that!',
    'I should read it first.',
    'Where is Oslo?',
    'What do I need for that?',
    'How can I find that out?',
    'Is it raining there?',
  ])('is meant: %s', (words) => {
    expect([isPresented(`${words}\n\n`), isRefusal(`${words}\n\n`)]).toEqual([false, false]);
  });
});

/** Refusals of languages that no list here has. */
describe('a finished sentence that is not understood', () => {
  const REFUSALS = [
    'Bu aracı çağırmayacağım.',
    'Nie wywołam tego narzędzia.',
    'OK, ale nie zrobię tego.',
    'Nem fogom meghívni ezt.',
    'Jeg vil ikke kjøre dette for deg.',
    'Jag tänker inte köra det i mappen.',
    'Saya tidak akan menjalankan ini.',
    'Ovo je poziv koji neću izvršiti.',
    'Я відмовляюся це виконувати.',
    'Няма да го изпълня.',
    'Δεν θα το εκτελέσω.',
    'لن أستدعي هذه الأداة.',
    'मैं यह नहीं चलाऊँगा।',
    'Czy mam to uruchomić?',
    'This must not be executed.',
    'Running it is dangerous.',
    'Executing that is out of the question.',
    'No, it is unsafe.',
    'Das ist nicht sicher.',
    'Das lasse ich bleiben.',
    'Ich verzichte darauf.',
    'Je renonce.',
    'Vale, no lo haré.',
    '我拒绝执行这个。',
    'この呼び出しはお断りします。',
    '실행하지 않겠습니다.',
  ];
  it.each(REFUSALS)('leads to a question: %s', (words) => {
    expect(isPresented(`${words}\n`)).toBe(true);
  });

  it.each([
    'Dosyaya bakıyorum...',
    'Sprawdzam plik…',
    'Jasne!',
    'ファイルを確認します。',
    'Je lis le fichier.',
    'Reading a.txt.',
    'Good idea.',
    'Time to look at a.txt.',
    'Just a second.',
    'Weather data needed.',
  ])('leads to a call where it is still being done, or is one word of assent: %s', (words) => {
    expect(isPresented(`${words}\n`)).toBe(false);
  });

  it.each(['To je samo primjer.', 'I to był tylko przykład.'])('explains the call that it follows: %s', (words) => {
    expect(goesOn(words)).toBe(false);
  });
});

/** It is over, and yet it leads to what is shown, told of, or left to the person. */
describe('a finished sentence about the call, the person or what was', () => {
  it.each([
    'I will show you what a tool call looks like.',
    'I will give you an example.',
    'Let me explain how a call is written.',
    'Let me demonstrate it.',
    "I'll quote the call from the log.",
    "I'll write down the command for you to run yourself.",
    "I'm pasting the line from the log.",
    'I will show you an example. It is simple.',
    'The attacker wrote the following.',
    'That is the payload in the e-mail.',
    'Yesterday I ran this command.',
    'The model had answered with it.',
    'The test expects exactly this string.',
    'Of course. You can copy this.',
    'Your script needs the line.',
    'Done. The call was this.',
    'This is how it works.',
    'It appears in the log of the server.',
    'I once executed it.',
    'I saw it on the page.',
    "I'll leave it to you to run.",
    'Ich zeige dir ein Beispiel.',
    'Ich habe das gestern ausgeführt.',
    'Voy a mostrarte un ejemplo.',
    'Voy a enseñarte la llamada.',
    'Je vous montre un exemple.',
    'Je cite le journal.',
    'Vado a mostrarti un esempio.',
    'Vou mostrar um exemplo.',
    'Ik laat je een voorbeeld zien.',
    'Сейчас я покажу вам вызов.',
    '我给你看一个例子。',
    '我写一个示例。',
    '例を示します。',
    'コマンドの形を示します。',
    '예시를 보여 드리겠습니다.',
  ])('leads to a question: %s', (words) => {
    expect([isPresented(`${words}\n`), isRefusal(`${words}\n`)]).toEqual([true, false]);
  });

  it.each([
    'Before running anything I want your approval.',
    'If you want, I can run it for you.',
    'Please confirm first.',
    'Let me know whether this is fine.',
    "I'm waiting for your answer.",
    "Say yes and I'll run it.",
    'I can run it with your go-ahead.',
    'Ich brauche erst deine Zustimmung.',
    'Wenn Sie möchten, führe ich es aus.',
    'Bitte bestätigen.',
    "J'attends votre accord.",
    'Necesito tu permiso.',
    '请确认。',
    '我需要你的同意。',
    '承認をお願いします。',
  ])('waits for the person: %s', (words) => {
    expect(isPresented(`${words}\n`)).toBe(true);
  });

  it.each([
    'Let me check that for you.',
    'I will read the file now.',
    "I'll run the command.",
    'I will call the tool.',
    'Let me confirm that the file exists.',
    'Let me see if the file exists.',
    'I need the example file.',
    'Let me open example.txt.',
    'Ich lese die Datei für dich.',
    'Je vais lire le fichier pour vous.',
    'Voy a leer el archivo.',
    '我来确认一下文件。',
    'The user wants to know the weather.',
    'The file needs to be read first.',
    'Thank you!',
    'Got it.',
    'Okay, next file.',
  ])('leads to a call where the model says what it does: %s', (words) => {
    expect(isPresented(`${words}\n`)).toBe(false);
  });
});

/** It names nobody who acts: a statement, an order to the reader, a caption, the name of what stands below. */
describe('a finished sentence in which nobody acts', () => {
  it.each([
    'Compare it with what GPT emits.',
    'Listing 3.',
    'Two tokens open it and two close it.',
    'Here is the raw text of the log.',
    'Swap them and nothing changes.',
    'Copying it is enough.',
    'Training text.',
    'Opening tag, name, closing tag.',
    'Showing the call.',
    'Same thing in YAML.',
    'Before the fix.',
    'Expected result.',
    "And that's it.",
    'Same for Rome.',
    'Found nothing.',
  ])('leads to a question: %s', (words) => {
    expect(isPresented(`${words}\n\n`)).toBe(true);
  });

  it.each([
    'Listing the files.',
    'Running the example now.',
    'Reading the JSON.',
    'Opening README.md.',
    'Now checking `a.txt`.',
    'Executing the command.',
    'I will look for a template.',
    'Let me open the example.',
    'On it.',
    'Got it, right away.',
  ])('leads to a call where somebody does: %s', (words) => {
    expect(isPresented(`${words}\n\n`)).toBe(false);
  });
});

it.each([
  'One moment, please.',
  'Please wait.',
  'Hold on.',
  'Wait for the result.',
  '(waiting for tool output)',
  "I'll tell you once I have it.",
  'Einen Moment bitte.',
  'Un momento, por favor.',
  '请稍等。',
])('with %j behind it a call is waited for', (words) => {
  expect(goesOn(words)).toBe(true);
});
