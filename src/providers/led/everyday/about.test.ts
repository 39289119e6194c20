import { expect, it } from 'vitest';
import { everydayPlan } from '../everyday.ts';

const toldOf = (request: string): string | undefined => {
  const plan = everydayPlan(request);
  return plan?.kind === 'about' ? plan.text('The starter') : undefined;
};
it.each([
  ['thanks', /welcome/],
  ['OK, thank you very much!', /welcome/],
  ['what can you do?', /^The starter looks things up .* cannot explain .*`ollama pull/],
  ['can you help me with this project?', /^The starter looks things up/],
  ['help', /^The starter looks things up/],
  ['Who are you and what can you do?', /^The starter is the language model/],
  ['Who are you?', /halter is the program around it/],
  ['which model are you', /halter is the program around it/],
  ['who made you?', /does not know that/],
  ['wie viele Dateien', /English only.*`ollama pull/],
  ['Was steht in README?', /English only/],
  ['Lösche a.txt', /English only/],
  ['Führe die Tests aus', /English only/],
  ['combien de fichiers', /English only/],
  ['¿Cuántos archivos hay aquí?', /English only/],
  ['このフォルダのファイルは?', /English only/],
  ['сколько файлов', /English only/],
])('says of itself on "%s" only what is true', (request, said) => expect(toldOf(request)).toMatch(said));

it.each([
  'thanks, now delete a.txt',
  'can you help me fix main.py',
  'what can you do about the bug in main.py',
  'help me rename a.txt',
  'was the last commit mine?',
  'git status bitte',
  'du -sh',
  'Is the licence MIT?',
  'Where is der.txt?',
])('takes "%s" for no small talk', (request) => expect(toldOf(request)).toBeUndefined());
