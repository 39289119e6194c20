import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { WithCode } from './with-code.tsx';

describe('a sentence with code in it', () => {
  it.each([
    ['Run `halter pull x` now.', 'Run <code>halter pull x</code> now.'],
    ['`a` and `b`', '<code>a</code> and <code>b</code>'],
    ['one ` alone', 'one ` alone'],
    ['`<b>`', '<code>&lt;b&gt;</code>'],
  ])('%j', (text, html) => {
    expect(renderToStaticMarkup(createElement(WithCode, { text })).replaceAll(/ class="[^"]*"/g, '')).toBe(html);
  });
});
