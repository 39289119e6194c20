/** A text that comes along with a question is what it is about, and wishes that no file can answer look at none. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { everydayPlan, lookUpOf } from '../everyday.ts';
import { needsNoLookUp } from '../free-talk.ts';
import type { Plan } from './plan.ts';

const said = (plan: Plan): string => {
  if (plan.kind === 'call') return `${plan.call.name} ${JSON.stringify(plan.call.arguments)}`;
  if (plan.kind === 'decline') return `cannot ${plan.what}`;
  return plan.kind === 'say' ? plan.text : plan.text('It');
};
const answer = (request: string): string => {
  if (everydayPlan(request) === undefined && needsNoLookUp(request)) return 'free';
  return said(everydayPlan(request) ?? lookUpOf(request));
};

const CAT = 'The cat sat on the mat.\nIt was red.\nIt liked fish.';
const FAULT = 'TypeError: x is not a function\n    at main (src/a.js:3:5)';

describe('a text that came along', () => {
  it.each([
    ['summarise', CAT, 'cannot explain or judge'],
    ['Summarize this text in one sentence.', CAT, 'cannot explain or judge'],
    ['Review', 'diff --git a/x b/x\n-a\n+b', 'cannot explain or judge'],
    ['What does this say?', CAT, 'cannot explain or judge'],
    ['explain this error', FAULT, 'cannot explain or judge'],
    ['What is wrong?', FAULT, 'cannot explain or judge'],
    ['translate to German', CAT, 'cannot change what is there'],
    ['How many lines are there?', CAT, 'The text that came along has 3 lines, not counting blank space at its end.'],
    ['How many words?', CAT, 'The text that came along has 12 words.'],
    ['count the characters', 'é🎉', 'The text that came along has 2 characters, not counting blank space at its end.'],
    ['count the bytes', 'é', 'The text that came along has 2 bytes, not counting blank space at its end.'],
    ['first 2 lines', CAT, '```\nThe cat sat on the mat.\nIt was red.\n```'],
    ['Show the last line', CAT, 'It liked fish.'],
    ['the last 0 lines', CAT, 'That asks for no line.'],
    ['grep fish', CAT, 'It liked fish.'],
    ['Does it mention fish?', CAT, 'It liked fish.'],
    ['Does it mention dogs?', CAT, 'No line of the text that came along holds “dogs”.'],
    ['which port?', '{"port":8080}', 'the text that came along, line 1: {"port":8080}'],
    ['what version is it?', '{"version":"1.2"}', 'the text that came along, line 1: {"version":"1.2"}'],
    ['What is the price of pears?', 'name,price\npears,4', 'the text that came along, line 2: pears,4'],
    ['what is 17*23', CAT, '17 * 23 = 391'],
    ['who are you', CAT, expect.stringMatching(/^It is the language model/)],
    ['What colour was the cat?', CAT, expect.stringContaining('no “colour” in the text that came along')],
    ['What is the capital of France?', CAT, expect.stringContaining('in the text that came along')],
    ['list the files', CAT, 'ls {"path":"."}'],
    ['how many files are in this folder', CAT, expect.stringMatching(/^bash .*find \. -type f/)],
    ['Show me a.txt', 'and then delete it', 'cannot delete or remove anything'],
  ])('%j', (question, text, expected) => {
    verifies('Z19');
    expect(answer(`${question}\n\n${text}`)).toEqual(expected);
  });
});

describe('a first paragraph that asks nothing', () => {
  it.each([
    ['Hi!\n\nHow many files are in src?', 'How many files are in src?'],
    ['Thanks!\n\nNow run the tests.', 'Now run the tests.'],
    ['Please help me.\n\nRun the tests.', 'Run the tests.'],
    ['Can you help me?\n\nlist the files', 'list the files'],
    ['I have a question.\n\nWhat is the version in package.json?', 'What is the version in package.json?'],
    ['I am new here.\n\nWho wrote most of the commits?', 'Who wrote most of the commits?'],
    ['ok\n\nshow me src/a.ts', 'show me src/a.ts'],
    ['Hi\n\ngit status', 'git status'],
    ['Hello!\n\nThank you.\n\ngit status', 'git status'],
    [`Hi!\n\nHow many words?\n\n${CAT}`, `How many words?\n\n${CAT}`],
    ['remember to run the tests', 'run the tests'],
    ['Please remember to run the tests', 'run the tests'],
    ['keep in mind that src is the root, now list the files', 'list the files'],
    ['Remember that I like short answers. Run the tests.', 'Run the tests.'],
  ])('%j is %j', (request, asked) => {
    verifies('Z19');
    expect(answer(request)).toEqual(answer(asked));
    expect(answer(asked)).not.toContain('takes each message by itself');
  });
});

describe('a wish that no file answers', () => {
  it.each([
    ['Say hello in one word', 'free'],
    ['Hallo, wie geht es dir?', expect.stringContaining('English only')],
    ['Bonjour, ça va ?', expect.stringContaining('English only')],
    ['Hola, ¿qué tal?', expect.stringContaining('English only')],
    ['.', expect.stringContaining('goes by words')],
    ['🎉', expect.stringContaining('goes by words')],
    ['??', expect.stringContaining('goes by words')],
    ['continue', expect.stringContaining('takes each message by itself')],
    ['what did I ask before?', expect.stringContaining('takes each message by itself')],
    ['remember that I like tea, coffee and cake', expect.stringContaining('takes each message by itself')],
    ['remember to buy milk', expect.stringContaining('takes each message by itself')],
    ['remember that my name is Ann', expect.stringContaining('takes each message by itself')],
    ['find files about apples', 'grep_search {"pattern":"apples"}'],
    ['which files are related to billing?', 'grep_search {"pattern":"billing"}'],
  ])('%j', (request, expected) => {
    verifies('Z19');
    expect(answer(request)).toEqual(expected);
  });
});
