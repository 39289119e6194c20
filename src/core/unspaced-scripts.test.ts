/** Every script without blanks between its words is read by all that reads words. */
import { describe, expect, it } from 'vitest';
import { snippetOf } from './snippet.ts';
import { wordsIn } from './window/distinctive.ts';
import { worthOf } from './window/own-words.ts';
import { isWrittenProse } from './written-prose.ts';

/** A sentence without blanks, and a question that shares words with it. */
const SCRIPTS: readonly [string, string, string][] = [
  ['Han', '黄铜钥匙放在第七个抽屉里', '黄铜钥匙在哪里'],
  ['Hiragana', 'かぎはひきだしのなかにあります', 'かぎはどこですか'],
  ['Katakana', 'カギハヒキダシノナカニアリマス', 'カギハドコデスカ'],
  ['Thai', 'กุญแจทองเหลืองอยู่ในลิ้นชัก', 'กุญแจทองเหลืองอยู่ที่ไหน'],
  ['Lao', 'ກະແຈທອງເຫຼືອງຢູ່ໃນລິ້ນຊັກ', 'ກະແຈທອງເຫຼືອງຢູ່ໃສ'],
  ['Khmer', 'កូនសោលង្ហិនស្ថិតនៅក្នុងថត', 'កូនសោលង្ហិននៅឯណា'],
  ['Myanmar', 'ကြေးဝါသော့သည်အံဆွဲထဲတွင်ရှိသည်', 'ကြေးဝါသော့ဘယ်မှာလဲ'],
  ['Tibetan', 'ལྡེ་མིག་དེ་འོག་སྒྲོམ་ནང་ཡོད།', 'ལྡེ་མིག་ག་པར་ཡོད།'],
];
const FILLER = 'A quiet line of other words.\n'.repeat(100);

describe.each(SCRIPTS)('%s', (_script, sentence, question) => {
  it('is found by a part of its words', () => {
    expect(snippetOf(`${FILLER}${sentence}\n${FILLER}`, question, 500)).toContain(sentence);
  });

  it('is told from what a machine made', () => {
    expect(isWrittenProse(sentence.repeat(50))).toBe(true);
  });

  it('is compared by pairs of its signs, of which each says more than a letter', () => {
    expect(wordsIn([...sentence].slice(0, 4).join('')).length).toBe(3);
    expect(worthOf(sentence)).toBeGreaterThan(sentence.length);
  });
});
