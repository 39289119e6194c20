import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { estimateTokens, messageTokens } from './tokens.ts';

/** Counted once with o200k. */
const COUNTED: readonly [string, string, number][] = [
  ['English', 'The quick brown fox jumps over the lazy dog. '.repeat(200), 2_001],
  ['Chinese', '我们今天去公园散步,天气非常好,大家都很高兴。人工智能模型可以调用工具来完成任务。'.repeat(20), 560],
  ['Japanese', '今日は天気がとても良いので、公園へ散歩に行きました。ツールを呼び出すことができます。'.repeat(20), 600],
  ['Russian', 'Сегодня хорошая погода, и мы пошли гулять в парк. Модель может вызывать инструменты.'.repeat(20), 460],
  [
    'German',
    'Heute ist das Wetter sehr schön, und wir sind im Park spazieren gegangen. Das Modell kann Werkzeuge aufrufen.'.repeat(
      20,
    ),
    480,
  ],
  ['Arabic', 'الطقس جميل اليوم وذهبنا في نزهة إلى الحديقة. يمكن للنموذج استدعاء الأدوات.'.repeat(20), 520],
  ['numbers', Array.from({ length: 3_000 }, (_, index) => (index * 7_919) % 100_003).join(' '), 8_968],
];

describe('the estimate of tokens', () => {
  it.each(COUNTED)('is near the count for %s', (_name, text, counted) => {
    verifies('B7');
    expect(estimateTokens(text) / counted).toBeGreaterThan(0.8);
    expect(estimateTokens(text) / counted).toBeLessThan(1.2);
  });

  it('grows with the text, and is nothing for nothing', () => {
    expect(estimateTokens('')).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        const together = estimateTokens(one + other);
        expect(together).toBeGreaterThanOrEqual(0);
        expect(together).toBeLessThanOrEqual(one.length + other.length + 2);
      }),
    );
  });

  it('counts what every part of a message holds', () => {
    const plain = messageTokens({ role: 'assistant', content: 'hello', tool_calls: [], finish: 'stop' });
    const call = { id: 'a', name: 'ls', arguments: { path: 'src' }, source: 'native' as const, repairs: [] };
    const calling = messageTokens({ role: 'assistant', content: 'hello', tool_calls: [call], finish: 'tool_calls' });
    expect(calling).toBeGreaterThan(plain + 10);
    const image = { type: 'image' as const, mime_type: 'image/png', data_base64: 'x'.repeat(100_000) };
    expect(messageTokens({ role: 'user', content: [image] })).toBeLessThan(1_000);
  });
});
