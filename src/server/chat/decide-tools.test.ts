import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { decideTools } from './decide-tools.ts';

it.each([
  'What files are here?',
  'Read a.txt',
  '¿Qué archivos hay aquí?',
  'que hay en esta carpeta',
  'Quels fichiers y a-t-il ici ?',
  'Welche Dateien liegen hier?',
  'Was liegt hier herum?',
  'Quali file ci sono qui?',
  'Quais arquivos existem aqui?',
  'Welke bestanden zijn hier?',
  'Jakie pliki tu są?',
  'Hvilke filer er der her?',
  'Vilka filer finns här?',
  'Burada hangi dosyalar var?',
  'Ce fișiere sunt aici?',
  'Milyen fájlok vannak itt?',
  'Какие здесь файлы?',
  'Які тут файли?',
  'ここにはどんなファイルがありますか？',
  '这里有哪些文件？',
  '여기에 어떤 파일이 있나요?',
  'ما هي الملفات الموجودة هنا؟',
  'יש כאן אילו קבצים?',
  'यहाँ कौन सी फ़ाइलें हैं?',
  'ที่นี่มีไฟล์อะไรบ้าง',
  'Có những tệp nào ở đây?',
  'File apa saja yang ada di sini?',
  'Hello, was gibt es hier so alles?',
])('tools are on offer where the words want work, or may want it: %s', (message) => {
  verifies('E13');
  expect(decideTools({ message })).toBe(true);
  expect(decideTools({ message, mode: 'chat' })).toBe(false);
  expect(decideTools({ message, tools_allowed: false })).toBe(false);
});

it.each([
  'hello',
  'Thanks!',
  'Tell me a joke about cats',
  'What is the capital of France?',
  'Why is the sky blue?',
  'How are you?',
  'ok',
])('plain talk in English is answered without: %s', (message) => {
  verifies('E13');
  expect(decideTools({ message })).toBe(false);
  expect(decideTools({ message, mode: 'agent' })).toBe(true);
});
